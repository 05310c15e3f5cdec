#pragma once

#include <metasan/errors.h>

#include <filesystem>
#include <string>

namespace metasan::checkpoint {

/// Throws CheckpointError with the text "MetaSan: 'file': message (Code)".
///
/// `message` says what was expected, what was found, and the next step; lower case, no full stop.
[[noreturn]] void fail(CheckpointErrorCode code, const std::filesystem::path& file,
                       const std::string& tensor, const std::string& message);

}  // namespace metasan::checkpoint
