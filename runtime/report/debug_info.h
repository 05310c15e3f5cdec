#pragma once

#include <string>
#include <vector>

namespace metasan::report {

/// One source-level frame; inlined functions are frames of their own.
struct Frame {
  std::string function;  ///< demangled
  std::string file;      ///< empty without debug information
  unsigned line = 0;
  std::string object;  ///< the executable or library, without its directory

  /// "function at file:line"; "function in object" without debug information.
  std::string to_string() const;
  /// False for the frames of LibTorch, MetaSan and the standard library, which say little about the
  /// cause.
  bool is_user_code() const;
};

/// The debug information of this process. Not thread safe.
class DebugInfo {
 public:
  DebugInfo();
  ~DebugInfo();
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;

  /// The frames at an instruction, innermost first: at least one, more where functions were
  /// inlined.
  std::vector<Frame> frames_at(void* instruction);

 private:
  struct Session;
  Session* session_;
};

}  // namespace metasan::report
