#include "runtime/report/symbolize.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace metasan::report {
namespace {

/// The qualified name in a demangled signature: "int a::f<std::x>(b::c)" gives "a::f<std::x>".
std::string_view qualified_name(std::string_view signature) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    if (signature.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    const char c = signature[i];
    depth += (c == '<') - (c == '>');
    if (depth == 0 && c == ' ') {
      begin = i + 1;
    } else if (depth == 0 && c == '(' && i > begin) {
      return signature.substr(begin, i - begin);
    }
  }
  return signature.substr(begin);
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](auto prefix) { return text.starts_with(prefix); });
}

/// The folder of the runtime's sources: a file below it is MetaSan's, also where functions were
/// inlined and have no qualified name.
std::string_view own_sources() {
  constexpr std::string_view kThisFile = __FILE__;
  return kThisFile.substr(0, kThisFile.rfind("report/"));
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](auto part) { return text.find(part) != text.npos; });
}

}  // namespace

std::string Frame::to_string() const {
  const auto& name = function.empty() ? std::string("??") : function;
  return file.empty() || line == 0 ? fmt::format("{} in {}", name, object)
                                   : fmt::format("{} at {}:{}", name, file, line);
}

bool Frame::is_user_code() const {
  if (function.empty() ||
      starts_with_any(object,
                      {"libtorch", "libc10", "libmetasan", "libstdc++", "libc.so", "ld-linux"}) ||
      contains_any(file, {"/torch/include/", "/include/c++/", "/include/metasan/"}) ||
      file.starts_with(own_sources())) {
    return false;
  }
  return !starts_with_any(
      qualified_name(function),
      {"c10::", "at::", "torch::", "std::", "metasan::", "__gnu_cxx::", "_start"});
}

std::vector<Frame> symbolize(const std::vector<void*>& stack) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static DebugInfo debug_info;
  static std::unordered_map<void*, std::vector<Frame>> known;

  std::vector<Frame> frames;
  for (auto* address : stack) {
    auto [entry, is_new] = known.try_emplace(address);
    if (is_new) {
      // A return address belongs to the line after the call, unless one looks just before it.
      entry->second = debug_info.frames_at(static_cast<char*>(address) - 1);
    }
    frames.insert(frames.end(), entry->second.begin(), entry->second.end());
  }
  return frames;
}

const Frame* user_frame(const std::vector<Frame>& frames) {
  const auto found =
      std::find_if(frames.begin(), frames.end(), [](const Frame& f) { return f.is_user_code(); });
  return found == frames.end() ? nullptr : &*found;
}

}  // namespace metasan::report
