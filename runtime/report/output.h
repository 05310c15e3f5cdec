#pragma once

#include <string>
#include <string_view>

namespace metasan::report {

/// Appends to where option log_path says: stderr, stdout, or a file of this process. One write(2)
/// under a lock: texts of several threads do not mix.
void write_log(std::string_view text);

/// Appends to the file at `path`, in the same way.
void append_to_file(const std::string& path, std::string_view text);

/// True when option log_path names a file.
bool logs_to_file();

/// True when what write_log() writes is to be coloured, by option color.
bool log_has_color();

}  // namespace metasan::report
