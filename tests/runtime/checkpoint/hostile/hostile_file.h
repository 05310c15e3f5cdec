#pragma once

#include <metasan/errors.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace metasan::testing {

/// A file that a reader may trip over, and what must come of it.
struct HostileFile {
  std::string name;
  std::function<std::string()> bytes;
  std::optional<CheckpointErrorCode>
      expected;  ///< empty: safetensors accepts it, and so must MetaSan
  std::vector<std::string> in_message = {};
};

inline void PrintTo(const HostileFile& file, std::ostream* out) {
  *out << file.name;
}

std::vector<HostileFile> files_with_broken_framing();
std::vector<HostileFile> files_with_broken_json();
std::vector<HostileFile> files_with_broken_extents();
std::vector<HostileFile> odd_files_that_are_sound();

}  // namespace metasan::testing
