#pragma once

#include <filesystem>

namespace metasan::checkpoint {

/// Throws FileNotFound: with the part of the path that does exist, and the name there that is
/// nearest to the missing one.
[[noreturn]] void fail_not_found(const std::filesystem::path& path);

}  // namespace metasan::checkpoint
