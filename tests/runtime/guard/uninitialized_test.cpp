// Memory from to_empty: what may be done with it before all of it was written, and what ends the
// tracking.
#include <metasan/metasan.h>

#include "runtime/guard/hits.h"
#include "runtime/guard/uninitialized.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

namespace {

using metasan::MetaTensorError;
using metasan::Rule;
using metasan::State;
using metasan::state_of;
using metasan::guard::fallback_hits;
using testing::HasSubstr;

class Uninitialized : public testing::Test {
 protected:
  Uninitialized() { metasan::to_empty(model, torch::kCPU); }

  /// The report about `read`, which must be refused.
  template <typename Read>
  std::string report_of(Read&& read) {
    try {
      read();
    } catch (const MetaTensorError& error) {
      EXPECT_EQ(metasan::info(error.rule()).id, metasan::info(Rule::UninitializedRead).id);
      return error.what();
    }
    ADD_FAILURE() << "nothing was reported";
    return {};
  }

  torch::NoGradGuard no_grad;
  torch::nn::Linear model = metasan::init_empty_weights([] { return torch::nn::Linear(6, 4); });
  torch::Tensor weight = model->weight;
};

TEST_F(Uninitialized, ToEmptyGivesMemoryThatMustNotBeRead) {
  EXPECT_EQ(state_of(weight), State::Uninitialized);
  EXPECT_EQ(state_of(model), State::Uninitialized);
  EXPECT_TRUE(weight.is_cpu());
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_TRUE(weight.is_leaf());
  const auto report = report_of([&] { weight.sum(); });
  EXPECT_THAT(report, HasSubstr("'weight'"));
  EXPECT_THAT(report, HasSubstr("elements [0, 24) of 24, the first at [0, 0], were never written"));
  report_of([&] { model->forward(torch::ones({2, 6})); });
  report_of([&] { weight[0][0].item<float>(); });
  report_of([&] { torch::ones({4, 6}).copy_(weight); });
  report_of([&] { weight.add_(1); });
  report_of([&] { torch::equal(weight, weight); });
  report_of([&] { torch::cat({weight, weight}); });
  report_of([&] { weight.t().contiguous().sum(); });
}

TEST_F(Uninitialized, AReadUnderAutogradIsSeenToo) {
  const torch::AutoGradMode grad(true);
  report_of([&] { model->forward(torch::ones({2, 6})).sum().backward(); });
}

TEST_F(Uninitialized, MetadataIsLegal) {
  EXPECT_EQ(weight.sizes(), (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(weight.view({24}).numel(), 24);
  EXPECT_EQ(torch::zeros_like(weight).sum().item<float>(), 0);
  EXPECT_EQ(torch::empty_like(weight).sizes(), weight.sizes());
  EXPECT_EQ(weight.new_ones({2}).sum().item<float>(), 2);
  EXPECT_EQ(torch::ones({24}).view_as(weight.view({24})).numel(), 24);
  model->zero_grad();
  model->eval();
  torch::optim::Adam optimizer(model->parameters(), 0.1);
  EXPECT_EQ(state_of(weight), State::Uninitialized);
}

TEST_F(Uninitialized, EachFullWriteEndsIt) {
  const std::vector<std::function<void(torch::Tensor)>> writes{
      [](torch::Tensor t) { t.fill_(2); },
      [](torch::Tensor t) { t.zero_(); },
      [](torch::Tensor t) { t.normal_(); },
      [](torch::Tensor t) { t.copy_(torch::ones({4, 6})); },
      [](torch::Tensor t) { t.t().copy_(torch::ones({6, 4})); },
      [](torch::Tensor t) { torch::ones_out(t, {4, 6}); },
      [](torch::Tensor t) { torch::add_out(t, torch::ones({4, 6}), torch::ones({4, 6})); },
      [](torch::Tensor t) { t.set_data(torch::ones({4, 6})); },
      [](torch::Tensor t) { torch::nn::init::xavier_uniform_(t); },
      [](torch::Tensor t) { t.data().uniform_(); },
      [](torch::Tensor t) { t.detach().exponential_(); },
  };
  for (std::size_t i = 0; i < writes.size(); ++i) {
    auto layer = metasan::init_empty_weights([] { return torch::nn::Linear(6, 4); });
    metasan::to_empty(layer, torch::kCPU);
    writes[i](layer->weight);
    EXPECT_EQ(state_of(layer->weight), State::Materialized) << i;
    const auto before = fallback_hits();
    EXPECT_TRUE(layer->weight.sum().isfinite().item<bool>()) << i;
    EXPECT_EQ(fallback_hits(), before) << i;
  }
}

TEST_F(Uninitialized, WritesThroughViewsAddUp) {
  const auto transposed = weight.t();
  weight.slice(0, 0, 2).fill_(1);
  EXPECT_EQ(weight[1].sum().item<float>(), 6);
  EXPECT_THAT(report_of([&] { weight.sum(); }),
              HasSubstr("elements [12, 24) of 24, the first at [2, 0], were never written"));
  weight.select(1, 0).fill_(2);
  EXPECT_THAT(report_of([&] { weight.sum(); }),
              HasSubstr("elements [13, 18) of 24, the first at [2, 1], were never written"));
  transposed.slice(0, 1, 6).slice(1, 2, 4).fill_(3);
  EXPECT_EQ(state_of(weight), State::Materialized);
  EXPECT_EQ(weight.sum().item<float>(), 2 * 5 + 4 * 2 + 10 * 3);
  const auto before = fallback_hits();
  transposed.sum();
  EXPECT_EQ(fallback_hits(), before);
}

TEST_F(Uninitialized, AnOutArgumentThatIsAlsoReadIsARead) {
  report_of([&] { torch::add_out(weight, weight, torch::ones({4, 6})); });
}

TEST_F(Uninitialized, WritesToChosenElementsCountAsThoseElements) {
  weight.index_put_({torch::tensor({0, 3})}, torch::ones({2, 6}));
  EXPECT_EQ(weight[3].sum().item<float>(), 6);
  EXPECT_THAT(report_of([&] { weight.sum(); }),
              HasSubstr("elements [6, 18) of 24, the first at [1, 0], were never written"));
  weight.masked_fill_(torch::arange(24).view({4, 6}) < 12, 2);
  EXPECT_THAT(report_of([&] { weight.sum(); }), HasSubstr("elements [12, 18) of 24"));
  weight.index_fill_(0, torch::tensor({2}), 5);
  EXPECT_EQ(weight.sum().item<float>(), 2 * 12 + 5 * 6 + 6);
  report_of([&] {
    model->bias.index_put_({torch::tensor({0, 1, 2, 3})}, torch::ones({4}), /*accumulate=*/true);
  });
  model->bias.scatter_(0, torch::tensor({3, 2, 1, 0}), torch::arange(4, torch::kFloat));
  EXPECT_EQ(model->bias[0].item<float>(), 3);
}

TEST_F(Uninitialized, ALoadEndsIt) {
  torch::nn::Linear source(6, 4);
  std::stringstream archive;
  torch::save(source, archive);
  torch::load(model, archive);
  EXPECT_EQ(state_of(model), State::Materialized);
  EXPECT_TRUE(torch::equal(model->weight, source->weight));
}

TEST_F(Uninitialized, ARawPointerForWritingEndsIt) {
  auto* data = weight.mutable_data_ptr<float>();
  std::fill(data, data + weight.numel(), 2.0F);
  EXPECT_EQ(weight.sum().item<float>(), 48);
  EXPECT_EQ(state_of(weight), State::Materialized);
  std::fill_n(model->bias.data_ptr<float>(), 4, 1.0F);
  EXPECT_EQ(model->bias.sum().item<float>(), 4);
}

TEST_F(Uninitialized, ARawPointerTakenThroughAViewEndsItToo) {
  const auto row = weight[0];
  row.accessor<float, 1>()[0] = 1;
  EXPECT_EQ(state_of(weight), State::Materialized);
}

TEST_F(Uninitialized, AnOperatorsOwnPointersDoNotEndIt) {
  weight[0].fill_(1);
  weight[1].normal_();
  EXPECT_EQ(state_of(weight), State::Uninitialized);
  report_of([&] { weight.sum(); });
}

TEST_F(Uninitialized, ACopyOfWhatWasNeverWrittenIsTracked) {
  model->to(torch::kDouble);
  EXPECT_EQ(state_of(model->weight), State::Uninitialized);
  EXPECT_EQ(model->weight.scalar_type(), torch::kDouble);
  report_of([&] { model->weight.sum(); });
  const auto clone = model->weight.clone();
  EXPECT_EQ(state_of(clone), State::Uninitialized);
  model->weight.zero_();
  EXPECT_EQ(state_of(model->weight), State::Materialized);
  report_of([&] { clone.sum(); });
}

TEST_F(Uninitialized, TrainingWorksOnceItIsWritten) {
  const torch::AutoGradMode grad(true);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  for (auto& parameter : model->parameters()) {
    torch::nn::init::ones_(parameter);
  }
  model->forward(torch::ones({2, 6})).sum().backward();
  optimizer.step();
  EXPECT_NEAR(model->weight[0][0].item<float>(), 0.8, 1e-6);
}

TEST_F(Uninitialized, TiedTensorsAreOneMemory) {
  struct TiedImpl : torch::nn::Module {
    TiedImpl() {
      embedding = register_parameter("embedding", torch::randn({4, 4}));
      head = register_parameter("head", embedding.detach());
    }
    torch::Tensor embedding, head;
  };
  auto tied = metasan::init_empty_weights([] { return std::make_shared<TiedImpl>(); });
  metasan::to_empty(tied, torch::kCPU);
  report_of([&] { tied->head.sum(); });
  tied->embedding.fill_(2);
  EXPECT_EQ(tied->head.sum().item<float>(), 32);
  EXPECT_EQ(state_of(tied), State::Materialized);
}

TEST_F(Uninitialized, InPlaceViewsReadNothing) {
  weight.t_();
  weight.unsqueeze_(0).squeeze_().transpose_(0, 1);
  EXPECT_EQ(state_of(weight), State::Uninitialized);
  weight[0].fill_(1);
  EXPECT_THAT(report_of([&] { weight.sum(); }), HasSubstr("elements [6, 24) of 24"));
  weight.fill_(1);
  EXPECT_EQ(state_of(weight), State::Materialized);
}

TEST_F(Uninitialized, ResizingKeepsWhatWasWritten) {
  weight.requires_grad_(false);
  weight.slice(0, 0, 2).fill_(1);
  weight.resize_({3, 6});
  EXPECT_EQ(weight.slice(0, 0, 2).sum().item<float>(), 12);
  EXPECT_THAT(report_of([&] { weight.sum(); }), HasSubstr("elements [12, 18) of 18"));
  weight.resize_({100, 6});  // in other memory
  EXPECT_EQ(weight.slice(0, 0, 2).sum().item<float>(), 12);
  EXPECT_THAT(report_of([&] { weight.sum(); }), HasSubstr("elements [12, 600) of 600"));
  weight.slice(0, 2).fill_(2);
  EXPECT_EQ(state_of(weight), State::Materialized);
  EXPECT_EQ(weight.sum().item<float>(), 12 + 2 * (600 - 12));
}

TEST_F(Uninitialized, AStorageIsWatchedWhoeverGetsIt) {
  auto other = torch::ones({1});
  other.set_(weight);
  EXPECT_EQ(state_of(other), State::Uninitialized);
  report_of([&] { other.sum(); });
  weight.set_(torch::ones({2}));
  EXPECT_EQ(state_of(weight), State::Materialized);
  EXPECT_EQ(weight.sum().item<float>(), 2);
  report_of([&] { other.sum(); });
  other.fill_(1);
  EXPECT_EQ(other.sum().item<float>(), 24);
}

TEST_F(Uninitialized, WhatIsOverwrittenInACopyIsNotRead) {
  EXPECT_EQ(at::fill(weight, 2).sum().item<float>(), 48);
  EXPECT_EQ(at::zero(weight).sum().item<float>(), 0);
  EXPECT_TRUE(at::uniform(weight).sum().isfinite().item<bool>());
  EXPECT_TRUE(at::bernoulli(weight, 0.5).sum().isfinite().item<bool>());
  EXPECT_EQ(at::copy(weight, torch::ones({4, 6})).sum().item<float>(), 24);
  EXPECT_EQ(state_of(weight), State::Uninitialized);
  at::_foreach_copy_({weight, model->bias}, {torch::ones({4, 6}), torch::ones({4})});
  EXPECT_EQ(state_of(model), State::Materialized);
}

TEST_F(Uninitialized, ACopyIntoOtherMemoryIsARead) {
  auto out = torch::zeros({4, 6});
  report_of([&] { at::clone_out(out, weight); });
  report_of([&] { at::randint_like(torch::ones({2}), model->bias[0]); });
}

TEST_F(Uninitialized, ThousandsOfScatteredWritesStayCheap) {
  auto large = metasan::init_empty_weights([] { return torch::nn::Linear(1000, 1000); });
  metasan::to_empty(large, torch::kCPU);
  for (int column = 0; column < 1000; ++column) {
    large->weight.select(1, column).fill_(1);
  }
  EXPECT_EQ(large->weight.sum().item<float>(), 1e6);
}

TEST_F(Uninitialized, TheReportSaysWhereItGotItsMemory) {
  const auto report = report_of([&] { weight.sum(); });
  EXPECT_THAT(report, HasSubstr("given memory by metasan::to_empty"));
  EXPECT_THAT(report, HasSubstr("uninitialized"));
}

TEST(UninitializedEdges, ATensorWithoutElementsHasNothingToWrite) {
  struct Holder : torch::nn::Module {
    Holder() { none = register_buffer("none", torch::empty({0, 3})); }
    torch::Tensor none;
  };
  auto model = metasan::init_empty_weights([] { return std::make_shared<Holder>(); });
  metasan::to_empty(model, torch::kCPU);
  EXPECT_EQ(model->none.sum().item<float>(), 0);
}

}  // namespace
