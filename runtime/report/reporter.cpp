#include <metasan/errors.h>

#include "runtime/guard/violation.h"
#include "runtime/report/render.h"

namespace metasan::report {
namespace {

void throw_report(const guard::Violation& violation) {
  const auto name = violation.tensors.empty() ? std::string() : violation.tensors.front().name;
  throw MetaTensorError(violation.rule, name, violation.op,
                        render(violation, guard::capture_stack()));
}

constexpr guard::Reporter kReporter{&throw_report, &throw_report};
[[maybe_unused]] const bool installed = (guard::set_reporter(kReporter), true);

}  // namespace
}  // namespace metasan::report
