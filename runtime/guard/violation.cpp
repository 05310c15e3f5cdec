#include "runtime/guard/violation.h"

#include <metasan/errors.h>

#include "runtime/guard/record.h"

#include <atomic>

namespace metasan::guard {
namespace {

[[noreturn]] void throw_plain(const Violation& violation) {
  const auto& name = violation.tensors.empty() ? std::string() : violation.tensors.front().name;
  throw MetaTensorError(violation.rule, name, violation.op,
                        std::string(info(violation.rule).summary) + ": " + violation.torch_text);
}

std::atomic<Reporter> reporter{&throw_plain};

}  // namespace

TensorFacts facts_of(const at::Tensor& tensor) {
  TensorFacts facts{.name = {},
                    .sizes = tensor.sizes().vec(),
                    .dtype = tensor.scalar_type(),
                    .declaration = nullptr,
                    .derived_by = {}};
  if (const auto record = record_of(tensor)) {
    facts.name = record->name();
    facts.declaration = record->declaration();
    facts.derived_by = record->derived_by();
  }
  return facts;
}

void set_reporter(Reporter new_reporter) {
  reporter = new_reporter;
}

void raise(const Violation& violation) {
  reporter.load()(violation);
  throw_plain(violation);  // a reporter that returned: the violation is thrown all the same
}

}  // namespace metasan::guard
