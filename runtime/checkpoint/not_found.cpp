#include "runtime/checkpoint/not_found.h"

#include "runtime/checkpoint/error.h"
#include "runtime/options/names.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <vector>

namespace metasan::checkpoint {
namespace fs = std::filesystem;

void fail_not_found(const fs::path& path) {
  std::error_code ignored;
  fs::path missing = fs::absolute(path, ignored);
  while (missing.has_relative_path() && !fs::is_directory(missing.parent_path(), ignored)) {
    missing = missing.parent_path();
  }
  const fs::path parent = missing.parent_path();
  std::vector<std::string> names;
  for (fs::directory_iterator it(parent, ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    names.push_back(it->path().filename().string());
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto nearest = nearest_name(missing.filename().string(), candidates);
  fail(CheckpointErrorCode::FileNotFound, path, "",
       fmt::format(
           "it does not exist: '{}' has no {}{}", parent.string(),
           quote(missing.filename().string()),
           nearest ? fmt::format("; did you mean '{}'?", (parent / *nearest).string()) : ""));
}

}  // namespace metasan::checkpoint
