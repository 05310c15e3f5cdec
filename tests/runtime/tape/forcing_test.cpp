// Operators that need values, called in constructors under the scope.
#include "tests/runtime/tape/support.h"

#include <metasan/errors.h>

namespace metasan::testing {
namespace {

TEST(Forcing, NumbersOfATableAreKnown) {
  expect_as_constructed([] {
    auto module = std::make_shared<torch::nn::Module>();
    const auto rates = torch::linspace(0, 0.1, 4);
    for (int i = 0; i < 4; ++i) {
      module->register_buffer("drop" + std::to_string(i),
                              torch::full({2}, rates[i].item<double>()));
    }
    return module;
  });
}

TEST(Forcing, ValuesAreThoseOfTheMoment) {
  const InitEmptyWeights scope;
  auto table = torch::zeros({3});
  EXPECT_EQ(table.sum().item<float>(), 0);
  table[1] = 5;
  EXPECT_EQ(table.sum().item<float>(), 5);
  EXPECT_EQ(state_of(table), State::Declared);
}

TEST(Forcing, ConditionsAndShapesAreKnown) {
  const InitEmptyWeights scope;
  const auto counts = torch::arange(6);
  EXPECT_TRUE((counts[2] == 2).item<bool>());
  EXPECT_FALSE(torch::zeros({1}).is_nonzero());
  EXPECT_TRUE(torch::equal(counts, torch::arange(6)));
  EXPECT_TRUE(torch::allclose(torch::ones({2}), torch::ones({2})));
  EXPECT_EQ(torch::nonzero(counts > 2).size(0), 3);
  EXPECT_EQ(counts.index({counts > 2}).size(0), 3);
  EXPECT_EQ(counts.max().item<int64_t>(), 5);
}

TEST(Forcing, RandomValuesAreNotKnownYet) {
  const InitEmptyWeights scope;
  const auto start = generator_state();
  EXPECT_THROW(torch::rand({2})[0].item<float>(), MetaTensorError);
  EXPECT_THROW(torch::randn({1}).is_nonzero(), MetaTensorError);
  EXPECT_TRUE(same_bits(generator_state(), start));
}

TEST(Forcing, EndsWithTheScope) {
  const auto table = [] {
    const InitEmptyWeights scope;
    return torch::arange(3);
  }();
  EXPECT_THROW(table[1].item<int64_t>(), MetaTensorError);
}

}  // namespace
}  // namespace metasan::testing
