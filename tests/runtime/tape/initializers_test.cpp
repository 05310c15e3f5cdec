// Ways to initialize a parameter, replayed: nn::init, in-place operators, operators without a Meta
// kernel, out=, set_data, generators.
#include "tests/runtime/tape/support.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cctype>

namespace metasan::testing {
namespace {

namespace init = torch::nn::init;

struct Case {
  const char* name;
  std::vector<int64_t> sizes;
  std::function<void(at::Tensor&)> initialize;
};

void PrintTo(const Case& test_case, std::ostream* out) {
  *out << test_case.name;
}

/// The fields of a case, for a body that writes to the parameter `w`.
#define INITIALIZER(Name, Sizes, ...)                                    \
  Case {                                                                 \
    Name, std::vector<int64_t> Sizes, [](at::Tensor& w) { __VA_ARGS__; } \
  }

std::vector<Case> init_functions() {
  return {
      INITIALIZER("constant_", ({4, 4}), init::constant_(w, 2)),
      INITIALIZER("dirac_", ({4, 4, 3}), init::dirac_(w)),
      INITIALIZER("eye_", ({4, 4}), init::eye_(w)),
      INITIALIZER("normal_", ({4, 8}), init::normal_(w)),
      INITIALIZER("ones_", ({4, 4}), init::ones_(w)),
      INITIALIZER("orthogonal_", ({4, 4}), init::orthogonal_(w)),
      INITIALIZER("sparse_", ({6, 6}), init::sparse_(w, 0.5)),
      INITIALIZER("uniform_", ({4, 4}), init::uniform_(w)),
      INITIALIZER("kaiming_normal_", ({4, 4}), init::kaiming_normal_(w)),
      INITIALIZER("kaiming_uniform_", ({4, 4}), init::kaiming_uniform_(w)),
      INITIALIZER("xavier_normal_", ({4, 4}), init::xavier_normal_(w)),
      INITIALIZER("xavier_uniform_", ({4, 4}), init::xavier_uniform_(w)),
      INITIALIZER("zeros_", ({4, 4}), init::zeros_(w)),
  };
}

std::vector<Case> in_place() {
  return {
    INITIALIZER("truncated_normal", ({4, 4}), w.uniform_(-.9, .9); w.erfinv_(); w.mul_(1.4);
                w.clamp_(-2, 2)),
        INITIALIZER("exponential_", ({4, 4}), w.exponential_()),
        INITIALIZER("bernoulli_", ({4, 4}), w.bernoulli_(.5)),
        INITIALIZER("random_", ({4, 4}), w.random_(10)),
        INITIALIZER("masked_fill_", ({4, 4}), w.normal_();
                    w.masked_fill_(torch::rand({4, 4}) > .5, 0)),
        INITIALIZER("index_put_", ({4, 4}), w.zero_();
                    w.index_put_({torch::indexing::Slice(), 1}, 3.0);
                    w.index_put_({torch::tensor({0, 2})}, torch::ones({2, 4}))),
        INITIALIZER("index_fill_", ({4, 4}), w.normal_();
                    w.index_fill_(0, torch::tensor({1, 3}), 0)),
        INITIALIZER("scatter_", ({2, 4}), w.zero_(); w.scatter_(1, torch::tensor({{0}, {2}}), 1.0)),
        INITIALIZER("slices", ({4, 4}), w.normal_(); w[1].zero_(); w.slice(0, 2, 3).fill_(7);
                    w.t().select(0, 3).mul_(2)),
        INITIALIZER("resize_", ({4, 4}), w.resize_({8, 8}).fill_(1)),
        INITIALIZER("transposed in place", ({4, 2}), w.normal_(); w.t_()),
        INITIALIZER("data", ({4, 4}), w.data().normal_()),
        INITIALIZER("set_data", ({4, 4}), w.set_data(torch::randn({4, 4}))),
        INITIALIZER("set_", ({4, 4}), w.set_(torch::randn({4, 4})); w.mul_(2)),
        INITIALIZER("out", ({4, 4}), at::randn_out(w, {4, 4});
                    at::add_out(w, w, torch::ones({4, 4}))),
        INITIALIZER("many writes", ({64}), for (int i = 0; i < 64; ++i) { w[i].fill_(i); }),
  };
}

std::vector<Case> computed() {
  return {
    INITIALIZER("randn_like", ({4, 4}), w.copy_(torch::randn_like(w).mul(.1).clamp(-.1, .1))),
        INITIALIZER("randperm", ({4}), w.copy_(torch::randperm(4).to(torch::kFloat))),
        INITIALIZER("multinomial", ({4}),
                    w.copy_(torch::multinomial(torch::ones(4), 4).to(torch::kFloat))),
        INITIALIZER("svd", ({4, 4}), w.normal_(); w.copy_(std::get<0>(torch::svd(w)))),
        INITIALIZER("relu", ({4, 4}), w.copy_(torch::relu(torch::randn({4, 4})))),
        INITIALIZER("logspace", ({4}), w.copy_(torch::logspace(0, 1, 4))),
        INITIALIZER("triu_indices", ({2, 6}),
                    w.copy_(torch::triu_indices(4, 4, 1).to(torch::kFloat))),
        INITIALIZER("one_hot", ({4, 4}),
                    w.copy_(torch::one_hot(torch::arange(4), 4).to(torch::kFloat))),
        INITIALIZER("where", ({4, 4}),
                    w.copy_(torch::where(torch::rand({4, 4}) > .5, torch::ones({4, 4}),
                                         torch::zeros({4, 4})))),
        INITIALIZER("hann_window", ({8}), w.copy_(torch::hann_window(8))),
        INITIALIZER("fft", ({4, 4}), w.copy_(torch::real(torch::fft_fft2(torch::randn({4, 4}))))),
        INITIALIZER("meshgrid", ({3, 3}), const auto c = torch::cumsum(torch::ones(3), 0);
                    const auto grid = torch::meshgrid({c, c}, "ij"); w.copy_(grid[0] * grid[1])),
        INITIALIZER("lists", ({4, 4}), const auto s = torch::stack(torch::randn({4, 4}).unbind(0));
                    const auto halves = s.chunk(2, 1);
                    w.copy_(torch::cat({halves[1], halves[0]}, 1))),
        INITIALIZER("several results", ({4}), w.copy_(std::get<0>(torch::sort(torch::randn({4}))))),
        INITIALIZER("half", ({4, 4}), w.copy_(torch::randn({4, 4}).to(torch::kHalf))),
        INITIALIZER("swapped", ({4}), auto other = torch::randn({4}); w.copy_(other);
                    other.copy_(w * 2); w.add_(other); other.zero_()),
        INITIALIZER("transposed", ({4, 2}), w.copy_(torch::randn({2, 4}).t().contiguous())),
        INITIALIZER("explicit device", ({4}), w.copy_(torch::ones({4}, torch::kCPU))),
        INITIALIZER("device of a parameter", ({4}),
                    w.copy_(torch::ones({4}, w.options()) + torch::zeros({4}, w.device()))),
        INITIALIZER("generator", ({4, 4}), auto g = at::make_generator<at::CPUGeneratorImpl>(5);
                    w.normal_(0, 1, g); w.add_(torch::rand({4, 4}, g))),
        INITIALIZER("generator without Meta kernel", ({8}),
                    auto g = at::make_generator<at::CPUGeneratorImpl>(5);
                    w.copy_(torch::randperm(8, g).to(torch::kFloat))),
        INITIALIZER("default dtype", ({4}),
                    torch::set_default_dtype(caffe2::TypeMeta::Make<double>());
                    const auto values = torch::linspace(0, 1, 4);
                    torch::set_default_dtype(caffe2::TypeMeta::Make<float>()); w.copy_(values)),
        INITIALIZER("constant", ({3}), std::vector<float> v{5, 6, 7}; w.copy_(torch::tensor(v));
                    v[0] = 0; w.mul_(torch::tensor(2.0))),
        INITIALIZER("memory of the caller", ({3}), std::vector<float> v{5, 6, 7};
                    w.copy_(torch::from_blob(v.data(), {3})); v.assign(3, 0)),
        INITIALIZER("constant moved to the device of a parameter", ({3}),
                    auto moved = torch::tensor({1.F, 2.F, 3.F}).to(w.device());
                    moved.mul_(2); w.copy_(moved)),
        INITIALIZER("constant changed by computed values", ({3}),
                    auto c = torch::tensor({1.F, 2.F, 3.F});
                    c.mul_(torch::arange(3)); w.copy_(c)),
  };
}

class Initializers : public ::testing::TestWithParam<Case> {};

TEST_P(Initializers, GiveTheSameValuesLater) {
  expect_as_constructed([] {
    const torch::NoGradGuard no_grad;
    return std::make_shared<OneParameter>(GetParam().sizes, GetParam().initialize);
  });
}

std::string test_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Functions, Initializers, ::testing::ValuesIn(init_functions()), test_name);
INSTANTIATE_TEST_SUITE_P(InPlace, Initializers, ::testing::ValuesIn(in_place()), test_name);
INSTANTIATE_TEST_SUITE_P(Computed, Initializers, ::testing::ValuesIn(computed()), test_name);

}  // namespace
}  // namespace metasan::testing
