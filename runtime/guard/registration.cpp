#include "runtime/guard/registration.h"

#include <memory>
#include <vector>

namespace metasan::guard {

torch::Library& permanent_library(const std::string& ns, c10::DispatchKey key,
                                  std::source_location where) {
  static auto* libraries = new std::vector<std::unique_ptr<torch::Library>>();
  libraries->push_back(std::make_unique<torch::Library>(torch::Library::IMPL, ns, key,
                                                        where.file_name(), where.line()));
  return *libraries->back();
}

}  // namespace metasan::guard
