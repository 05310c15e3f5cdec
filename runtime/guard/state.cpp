#include <metasan/state.h>

#include "runtime/guard/naming.h"
#include "runtime/guard/record.h"

#include <algorithm>

namespace metasan {

std::string_view to_string(State state) {
  switch (state) {
    case State::Declared:
      return "declared";
    case State::Uninitialized:
      return "uninitialized";
    case State::Offloaded:
      return "offloaded";
    case State::Materialized:
      return "materialized";
  }
  return "";
}

State state_of(const at::Tensor& tensor) {
  TORCH_CHECK(tensor.defined(), "MetaSan: state_of: the tensor is undefined");
  if (const auto record = guard::record_of(tensor)) {
    return record->state();
  }
  return tensor.is_meta() ? State::Declared : State::Materialized;
}

State state_of(ModuleRef module) {
  guard::name_tensors(*module);
  State join = State::Materialized;
  for (const auto& [name, tensor] : guard::named_tensors(*module)) {
    join = std::min(join, state_of(tensor));
  }
  return join;
}

}  // namespace metasan
