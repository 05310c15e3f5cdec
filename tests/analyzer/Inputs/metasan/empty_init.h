#pragma once
#include <torch/torch.h>

namespace metasan {
class InitEmptyWeights {
public:
  explicit InitEmptyWeights();
  ~InitEmptyWeights();
  InitEmptyWeights(const InitEmptyWeights &) = delete;
};
template <class Builder> auto init_empty_weights(Builder &&builder) {
  InitEmptyWeights scope;
  return builder();
}
} // namespace metasan
