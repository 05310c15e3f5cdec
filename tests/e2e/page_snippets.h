#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

/// A block of C++ code in a page of docs/rules, as a function; see generate_page_snippets.py.
struct PageSnippet {
  std::string rule;
  std::string name;
  bool is_wrong;           ///< from the section "Wrong"
  bool rule_has_run_time;  ///< the runtime of this version finds the rule
  void (*run)(const std::filesystem::path& checkpoint, c10::Device device);
};

/// How GoogleTest prints a snippet.
inline void PrintTo(const PageSnippet& snippet, std::ostream* out) {
  *out << snippet.name;
}

extern const std::vector<PageSnippet> page_snippets;
