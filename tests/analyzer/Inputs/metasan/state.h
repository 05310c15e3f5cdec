#pragma once
#include <metasan/load.h>

namespace metasan {
enum class State : unsigned char { Declared, Materialized };
State state_of(const at::Tensor &);
State state_of(ModuleRef);
} // namespace metasan
