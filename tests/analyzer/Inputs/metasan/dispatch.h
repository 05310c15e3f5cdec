#pragma once
#include <metasan/load.h>

namespace metasan {
void dispatch_model(ModuleRef, const DeviceMap &);
}
