#include "runtime/guard/violation.h"

#include <metasan/errors.h>

#include "runtime/guard/record.h"
#include "runtime/guard/remembered.h"

#include <atomic>
#include <exception>

namespace metasan::guard {
namespace {

void throw_plain(const Violation& violation) {
  const auto& name = violation.tensors.empty() ? std::string() : violation.tensors.front().name;
  throw MetaTensorError(violation.rule, name, violation.op,
                        std::string(info(violation.rule).summary) + ": " + violation.torch_text);
}

void say_nothing(const Violation&, const std::string&) {}

constexpr Reporter kPlainReporter{&throw_plain, &throw_plain, &say_nothing};
std::atomic<const Reporter*> reporter{&kPlainReporter};

}  // namespace

std::string_view state_note(State state) {
  switch (state) {
    case State::Declared:
      return "declared, no data";
    case State::Uninitialized:
      return "uninitialized, memory that was not written in full";
    case State::Offloaded:
      return "offloaded, its data are elsewhere";
    case State::Materialized:
      return "materialized, with data";
  }
  return "";
}

TensorFacts facts_of(const at::Tensor& tensor) {
  TensorFacts facts{.name = {},
                    .sizes = tensor.sizes().vec(),
                    .dtype = tensor.scalar_type(),
                    .declaration = nullptr,
                    .derived_by = {},
                    .state = state_of(tensor)};
  auto record = record_of(tensor);
  if (!record) {
    record = recall(tensor);
  }
  if (record) {
    facts.name = record->name();
    facts.declaration = record->declaration();
    facts.derived_by = record->derived_by();
    facts.history = record->history();
    if (const auto binding = record->binding()) {
      facts.checkpoint = binding->path();
      facts.checkpoint_note = binding->note(facts.name);
    }
  }
  return facts;
}

void set_reporter(const Reporter& new_reporter) {
  reporter = &new_reporter;
}

void report(const Violation& violation) {
  reporter.load()->report(violation);
}

void raise(const Violation& violation) {
  reporter.load()->raise(violation);
  std::terminate();  // a reporter's raise does not return
}

void report_healed(const Violation& violation, const std::string& what) {
  reporter.load()->healed(violation, what);
}

}  // namespace metasan::guard
