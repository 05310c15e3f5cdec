#pragma once
#include <metasan/load.h>

namespace metasan {
void to_empty(ModuleRef, c10::Device);
}
