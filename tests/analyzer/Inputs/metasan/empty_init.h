#pragma once
#include <metasan/load.h>

namespace metasan {
class InitEmptyWeights {
public:
  explicit InitEmptyWeights(std::source_location where = std::source_location::current());
  ~InitEmptyWeights();
  InitEmptyWeights(const InitEmptyWeights &) = delete;
};
void name_tensors(ModuleRef);
template <class Builder> auto init_empty_weights(Builder &&builder) {
  InitEmptyWeights scope;
  return builder();
}
} // namespace metasan
