#pragma once

#include <metasan/empty_init.h>
#include <metasan/materialize.h>
#include <metasan/state.h>

#include "runtime/guard/naming.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace metasan::testing {

using ModulePtr = std::shared_ptr<torch::nn::Module>;
using Build = std::function<ModulePtr()>;

/// Seeds the generator that construction draws from, and no other: a test's second device has none.
inline void seed(std::uint64_t value) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(value);
}

inline at::Tensor generator_state() {
  return at::detail::getDefaultCPUGenerator().get_state();
}

inline bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.detach().contiguous();
  const at::Tensor y = b.detach().contiguous();
  return x.nbytes() == y.nbytes() &&
         (x.nbytes() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0);
}

/// Two modules of one class have the same tensors: values bit for bit, and everything else that can
/// be seen of them.
inline void expect_same_tensors(const torch::nn::Module& actual,
                                const torch::nn::Module& expected) {
  const auto a = guard::named_tensors(actual);
  const auto e = guard::named_tensors(expected);
  ASSERT_EQ(a.size(), e.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE(e[i].first);
    ASSERT_EQ(a[i].first, e[i].first);
    const at::Tensor& tensor = a[i].second;
    const at::Tensor& reference = e[i].second;
    ASSERT_EQ(state_of(tensor), State::Materialized);
    EXPECT_EQ(tensor.sizes(), reference.sizes());
    EXPECT_EQ(tensor.strides(), reference.strides());
    EXPECT_EQ(tensor.dtype(), reference.dtype());
    EXPECT_EQ(tensor.device(), reference.device());
    EXPECT_EQ(tensor.requires_grad(), reference.requires_grad());
    EXPECT_EQ(tensor.is_leaf(), reference.is_leaf());
    EXPECT_TRUE(same_bits(tensor, reference)) << tensor << "\n" << reference;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_EQ(tensor.is_alias_of(a[j].second), reference.is_alias_of(e[j].second)) << a[j].first;
    }
  }
}

/// Builds empty and materializes; then compares with plain construction from the same state of the
/// generator, and the states that both end in.
inline void expect_as_constructed(const Build& build) {
  constexpr std::uint64_t kSeed = 11;
  seed(kSeed);
  const ModulePtr plain = build();
  const at::Tensor plain_end = generator_state();

  seed(kSeed);
  const at::Tensor start = generator_state();
  const ModulePtr module = init_empty_weights(build);
  EXPECT_TRUE(same_bits(generator_state(), start)) << "building empty drew random numbers";
  materialize(*module);
  EXPECT_TRUE(same_bits(generator_state(), plain_end)) << "the generator ends elsewhere";
  expect_same_tensors(*module, *plain);
}

/// A module with one parameter of these sizes, which `initialize` writes.
struct OneParameter : torch::nn::Module {
  OneParameter(at::IntArrayRef sizes, const std::function<void(at::Tensor&)>& initialize)
      : weight(register_parameter("weight", torch::empty(sizes), /*requires_grad=*/false)) {
    initialize(weight);
  }
  at::Tensor weight;
};

}  // namespace metasan::testing
