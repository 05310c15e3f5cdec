#include "runtime/guard/saved_generator.h"

#include <ATen/CPUGeneratorImpl.h>

namespace metasan::guard {

SavedGenerator::SavedGenerator()
    : generator_(at::detail::getDefaultCPUGenerator()), state_(generator_.get_state()) {}

SavedGenerator::~SavedGenerator() {
  if (restore_) {
    generator_.set_state(state_);
  }
}

}  // namespace metasan::guard
