// Reads DWARF with libdw. Wrappers that search a whole compilation unit for each address take tens
// of milliseconds per frame in one that includes torch/torch.h; this looks at definitions first,
// which is where the answer nearly always is.
#include "runtime/report/debug_info.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

namespace metasan::report {
namespace {

std::string demangle(const char* symbol) {
  if (symbol == nullptr) {
    return {};
  }
  // The name of a C function is no encoding, though it may be one of a type.
  if (std::string_view(symbol).substr(0, 2) != "_Z") {
    return symbol;
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

std::string clean_path(const char* path) {
  return path == nullptr ? std::string() : std::filesystem::path(path).lexically_normal().string();
}

/// The name of a function's entry: qualified when the compiler recorded the linkage name.
std::string function_name(Dwarf_Die& die, bool& qualified) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    if (dwarf_attr_integrate(&die, name, &attribute) != nullptr) {
      qualified = name != DW_AT_name;
      return demangle(dwarf_formstring(&attribute));
    }
  }
  return {};
}

bool holds_declarations(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/// Appends the entries below `parent` that contain the address, outermost first. Definitions stand
/// directly in the compilation unit with GCC; `into_namespaces` also finds those that other
/// compilers leave in their namespace.
bool find_scopes(Dwarf_Die& parent, Dwarf_Addr address, bool into_namespaces,
                 std::vector<Dwarf_Die>& scopes) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) {
    return false;
  }
  do {
    if (dwarf_haspc(&child, address) == 1) {
      scopes.push_back(child);
      find_scopes(child, address, false, scopes);
      return true;
    }
    if (into_namespaces && holds_declarations(dwarf_tag(&child)) &&
        find_scopes(child, address, true, scopes)) {
      return true;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/// Where an inlined function was called from.
void read_call_site(Dwarf_Die& unit, Dwarf_Die& inlined, Frame& frame) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  Dwarf_Files* files = nullptr;
  if (dwarf_getsrcfiles(&unit, &files, nullptr) == 0 &&
      dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute), &value) == 0) {
    frame.file = clean_path(dwarf_filesrc(files, value, nullptr, nullptr));
  }
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute), &value) == 0) {
    frame.line = static_cast<unsigned>(value);
  }
}

}  // namespace

struct DebugInfo::Session {
  Dwfl_Callbacks callbacks{};
  Dwfl* dwfl = nullptr;

  Session() {
    callbacks.find_elf = dwfl_linux_proc_find_elf;
    callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
    dwfl = dwfl_begin(&callbacks);
    refresh();
  }
  ~Session() { dwfl_end(dwfl); }

  /// Takes note of libraries that were loaded since.
  void refresh() {
    dwfl_report_begin_add(dwfl);
    dwfl_linux_proc_report(dwfl, getpid());
    dwfl_report_end(dwfl, nullptr, nullptr);
  }

  Dwfl_Module* module_at(Dwarf_Addr address) {
    auto* module = dwfl_addrmodule(dwfl, address);
    if (module == nullptr) {
      refresh();
      module = dwfl_addrmodule(dwfl, address);
    }
    return module;
  }
};

DebugInfo::DebugInfo() : session_(new Session) {}
DebugInfo::~DebugInfo() {
  delete session_;
}

std::vector<Frame> DebugInfo::frames_at(void* instruction) {
  const auto address = reinterpret_cast<Dwarf_Addr>(instruction);
  Frame frame;
  auto* module = session_->module_at(address);
  if (module == nullptr) {
    return {frame};
  }
  const char* path =
      dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  frame.object = path == nullptr ? std::string() : std::filesystem::path(path).filename().string();

  Dwarf_Addr bias = 0;
  auto* unit = dwfl_module_addrdie(module, address, &bias);
  if (unit == nullptr) {
    frame.function = demangle(dwfl_module_addrname(module, address));
    return {frame};
  }
  if (auto* line = dwarf_getsrc_die(unit, address - bias)) {
    int number = 0;
    dwarf_lineno(line, &number);
    frame.line = static_cast<unsigned>(number);
    frame.file = clean_path(dwarf_linesrc(line, nullptr, nullptr));
  }
  std::vector<Dwarf_Die> scopes;
  find_scopes(*unit, address - bias, false, scopes) ||
      find_scopes(*unit, address - bias, true, scopes);

  // From the innermost function outwards: each has the place reached so far, and is called from its
  // own call site.
  std::vector<Frame> frames;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    const auto tag = dwarf_tag(&*scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) {
      continue;
    }
    bool qualified = false;
    frame.function = function_name(*scope, qualified);
    if (!qualified && tag == DW_TAG_subprogram) {
      // What has no linkage, as in an anonymous namespace, still has a symbol.
      const auto symbol = demangle(dwfl_module_addrname(module, address));
      frame.function = symbol.empty() ? frame.function : symbol;
    }
    frames.push_back(frame);
    if (tag == DW_TAG_inlined_subroutine) {
      read_call_site(*unit, *scope, frame);
    }
  }
  if (frames.empty()) {
    frame.function = demangle(dwfl_module_addrname(module, address));
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace metasan::report
