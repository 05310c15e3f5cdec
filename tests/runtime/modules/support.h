#pragma once

#include <metasan/metasan.h>

#include "runtime/guard/hits.h"
#include "tests/runtime/guard/expect_report.h"
#include "tests/runtime/tape/support.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <string>

namespace metasan::testing {

/// A module with parameters, buffers of two dtypes and a child, which LibTorch can clone.
struct SmallNetImpl : torch::nn::Cloneable<SmallNetImpl> {
  SmallNetImpl() { reset(); }  // NOLINT(clang-analyzer-optin.cplusplus.VirtualCall): as LibTorch's

  void reset() override {
    first = register_module("first", torch::nn::Linear(3, 4));
    norm = register_module("norm", torch::nn::BatchNorm1d(4));
    last = register_module("last", torch::nn::Linear(4, 2));
    scale = register_parameter("scale", torch::full({2}, 2.0));
  }
  at::Tensor forward(const at::Tensor& x) { return last(torch::tanh(norm(first(x)))) * scale; }

  torch::nn::Linear first{nullptr}, last{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
  at::Tensor scale;
};
TORCH_MODULE(SmallNet);

inline SmallNet empty_net() {
  return init_empty_weights([] { return SmallNet(); });
}

/// The net as construction makes it with this seed, by way of the empty-weights scope.
inline SmallNet materialized_net(std::uint64_t seed_value) {
  auto net = empty_net();
  seed(seed_value);
  materialize(net);
  return net;
}

/// The same net, made by LibTorch alone.
inline SmallNet plain_net(std::uint64_t seed_value) {
  seed(seed_value);
  return SmallNet();
}

inline bool all_equal(const torch::nn::Module& a, const torch::nn::Module& b) {
  const auto same = [](const auto& left, const auto& right) {
    if (left.size() != right.size()) {
      return false;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i].key() != right[i].key() || !torch::equal(left[i].value(), right[i].value())) {
        return false;
      }
    }
    return true;
  };
  return same(a.named_parameters(), b.named_parameters()) &&
         same(a.named_buffers(), b.named_buffers());
}

/// How many operators went through the guard while `call` ran.
template <typename Call>
std::uint64_t guarded_calls(Call&& call) {
  const auto before = guard::fallback_hits();
  call();
  return guard::fallback_hits() - before;
}

}  // namespace metasan::testing
