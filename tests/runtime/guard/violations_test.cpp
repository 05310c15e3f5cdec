// What LibTorch gets wrong with empty tensors, much of it silently, and what MetaSan says instead.
#include <metasan/metasan.h>

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <sstream>

namespace {

using metasan::MetaTensorError;
using metasan::Rule;
using metasan::State;
using metasan::state_of;
using testing::HasSubstr;

struct HeadImpl : torch::nn::Module {
  HeadImpl() {
    proj = register_module("proj", torch::nn::Linear(4, 4));
    steps = register_buffer("steps", torch::zeros({}));
  }
  torch::nn::Linear proj{nullptr};
  torch::Tensor steps;
};
TORCH_MODULE(Head);

class Violations : public testing::Test {
 protected:
  Head model = metasan::init_empty_weights([] { return Head(); });
  torch::Tensor weight = model->proj->weight;
  torch::Tensor real = torch::ones({4, 4});

  /// Runs `call`, which must be refused with `rule`, and returns the report.
  template <typename Call>
  std::string report_of(Rule rule, Call&& call) {
    try {
      call();
    } catch (const MetaTensorError& error) {
      EXPECT_EQ(metasan::info(error.rule()).id, metasan::info(rule).id) << error.what();
      return error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "not a MetaTensorError: " << error.what();
      return {};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }
};

TEST_F(Violations, MovingAnEmptyModuleIsACopyOut) {
  const auto report = report_of(Rule::MetaCopyOut, [&] { model->to(torch::kCPU); });
  EXPECT_THAT(report, HasSubstr("Cannot copy out of meta tensor; no data!"));
  EXPECT_THAT(report, HasSubstr("'proj.weight' [4, 4] float32"));
  EXPECT_THAT(report, HasSubstr("HeadImpl"));
  EXPECT_THAT(report, HasSubstr("InitEmptyWeights scope at"));
  EXPECT_THAT(report, HasSubstr("load_checkpoint_and_dispatch"));
  EXPECT_THAT(report, HasSubstr("SUMMARY: MetaSan: meta-copy-out proj.weight"));
  EXPECT_EQ(state_of(model), State::Declared);
}

TEST_F(Violations, TheErrorIsOneThatPyTorchCodeCatches) {
  EXPECT_THROW(weight.cpu(), c10::NotImplementedError);
  EXPECT_THROW(weight.cpu(), c10::Error);
}

TEST_F(Violations, EverySpellingOfACopyOut) {
  torch::NoGradGuard no_grad;
  report_of(Rule::MetaCopyOut, [&] { weight.cpu(); });
  report_of(Rule::MetaCopyOut, [&] { weight.to(torch::kCPU, torch::kHalf); });
  report_of(Rule::MetaCopyOut, [&] { weight.to(real); });
  report_of(Rule::MetaCopyOut, [&] { weight.t().cpu(); });
  report_of(Rule::MetaCopyOut, [&] { weight.type_as(real); });
  report_of(Rule::MetaCopyOut, [&] { real.copy_(weight); });
  report_of(Rule::MetaCopyOut, [&] { std::stringstream() << weight; });
  EXPECT_TRUE(torch::equal(real, torch::ones({4, 4})));
}

TEST_F(Violations, ReadingValues) {
  const auto report = report_of(Rule::MetaDataDependent, [&] { weight.sum().item<float>(); });
  EXPECT_THAT(report, HasSubstr("Tensor.item() cannot be called on meta tensors"));
  EXPECT_THAT(report, HasSubstr("a result of aten::sum"));
  EXPECT_THAT(report, HasSubstr("'proj.weight'"));
  report_of(Rule::MetaDataDependent, [&] { weight.nonzero(); });
  report_of(Rule::MetaDataDependent, [&] { torch::equal(weight, weight); });
  report_of(Rule::MetaDataDependent, [&] { torch::allclose(weight, weight); });
  report_of(Rule::MetaDataDependent, [&] { weight.masked_select(weight > 0); });
  report_of(Rule::MetaDataDependent, [&] { weight[0][0].is_nonzero(); });
  report_of(Rule::MetaDataDependent, [&] { torch::_unique2(weight); });
  report_of(Rule::MetaDataDependent, [&] { weight.index({weight > 0}); });
  report_of(Rule::MetaDataDependent,
            [&] { (void)static_cast<bool>((weight > 0).all().item<bool>()); });
}

TEST_F(Violations, RawAccessThrowsWhereLibTorchGivesNull) {
  for (const auto& view : {weight, weight.t(), weight.detach(), weight[0]}) {
    try {
      view.data_ptr();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const c10::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("meta-raw-access"));
      EXPECT_THAT(error.what(), HasSubstr("'proj.weight'"));
      EXPECT_THAT(error.what(), HasSubstr("its data is not allocated yet"));
    }
  }
  EXPECT_THROW(weight.data_ptr<float>(), c10::Error);
  EXPECT_THROW(weight.const_data_ptr<float>(), c10::Error);
  EXPECT_THROW(weight.mutable_data_ptr<float>(), c10::Error);
  EXPECT_THROW((weight.accessor<float, 2>()), c10::Error);
  EXPECT_THROW(weight.storage().data(), c10::Error);
  EXPECT_THROW(weight.storage().mutable_data(), c10::Error);
}

TEST_F(Violations, RawAccessIsRefusedAgainAfterAnOperator) {
  torch::NoGradGuard no_grad;
  weight.add_(1);
  EXPECT_THROW(weight.data_ptr(), c10::Error);
}

TEST_F(Violations, AWriteIntoAnEmptyTensorIsNotLost) {
  torch::NoGradGuard no_grad;
  const auto report = report_of(Rule::MetaWriteLost, [&] { weight.copy_(real); });
  EXPECT_THAT(report, HasSubstr("load_checkpoint_in_model"));
  report_of(Rule::MetaWriteLost, [&] { model->steps.copy_(torch::tensor(3.0)); });
  report_of(Rule::MetaWriteLost, [&] { weight[0].copy_(real[0]); });
  report_of(Rule::MetaWriteLost, [&] { weight.addmm_(real, real); });
}

TEST_F(Violations, MixedOperandsAreRefusedWhereLibTorchReturnsMetaOrGarbage) {
  torch::NoGradGuard no_grad;
  const auto vector = torch::ones({4});
  const auto report = report_of(Rule::MetaMixed, [&] { torch::mv(weight, vector); });
  EXPECT_THAT(report, HasSubstr("'proj.weight'"));
  EXPECT_THAT(report, HasSubstr("has data on cpu"));
  report_of(Rule::MetaMixed, [&] { torch::matmul(weight, vector); });
  report_of(Rule::MetaMixed, [&] { torch::mm(weight, real); });
  report_of(Rule::MetaMixed, [&] { torch::mm(real, weight); });
  report_of(Rule::MetaMixed, [&] { model->proj->forward(real); });
  report_of(Rule::MetaMixed, [&] { weight + real; });
  report_of(Rule::MetaMixed, [&] { real + weight[0][0]; });
  report_of(Rule::MetaMixed, [&] { torch::cat({real, weight}); });
  report_of(Rule::MetaMixed, [&] { torch::stack({weight, real}); });
  report_of(Rule::MetaMixed, [&] { torch::einsum("ij,jk->ik", {real, weight}); });
  report_of(Rule::MetaMixed, [&] { torch::fill(real, weight[0][0]); });
  report_of(Rule::MetaMixed, [&] { torch::embedding(weight, torch::tensor({1, 2})); });
}

TEST_F(Violations, RealTensorsAreNotSilentlyLeftUnwritten) {
  torch::NoGradGuard no_grad;
  const auto index = torch::zeros({4, 4}, torch::kLong);
  report_of(Rule::MetaMixed, [&] { real.fill_(weight[0][0]); });
  report_of(Rule::MetaMixed, [&] { real.scatter_(0, index, weight); });
  report_of(Rule::MetaMixed, [&] { real.addmm_(weight, weight); });
  report_of(Rule::MetaMixed, [&] { torch::mm_out(real, weight, weight); });
  report_of(Rule::MetaMixed, [&] { torch::add_out(real, weight, weight); });
  report_of(Rule::MetaMixed, [&] { real.index_put_({torch::tensor({0})}, weight[0]); });
  EXPECT_TRUE(torch::equal(real, torch::ones({4, 4})));
}

TEST_F(Violations, AnOperatorWithoutMetaKernelIsReportedByName) {
  const auto report = report_of(Rule::MetaDataDependent, [&] { torch::relu(weight); });
  EXPECT_THAT(report, HasSubstr("aten::relu"));
  EXPECT_THAT(report, HasSubstr("'proj.weight'"));
}

TEST_F(Violations, AReportInsideTheScopeSaysSo) {
  metasan::InitEmptyWeights scope;
  const auto report =
      report_of(Rule::MetaDataDependent, [] { torch::rand({4})[2].item<double>(); });
  EXPECT_THAT(report, HasSubstr("inside the empty-weights scope opened at"));
}

TEST_F(Violations, MetadataIsLegal) {
  EXPECT_EQ(weight.sizes(), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(weight.numel(), 16);
  EXPECT_TRUE(weight.is_contiguous());
  for (const auto& result :
       {weight.clone(), weight.detach(), weight.view({16}), weight.t().contiguous(),
        weight.to(torch::kMeta), weight.to(torch::kHalf), weight.reshape({-1}),
        torch::empty_like(weight), weight + weight, weight * 2, weight * torch::tensor(2.0),
        torch::mm(weight, weight), weight.sum(), real.to(torch::kMeta) + weight}) {
    EXPECT_EQ(state_of(result), State::Declared);
  }
  EXPECT_EQ(state_of(torch::zeros_like(weight, torch::kCPU)), State::Materialized);
  EXPECT_EQ(state_of(weight.new_zeros({2}, torch::kCPU)), State::Materialized);
  EXPECT_EQ(real.expand_as(weight).sizes(), weight.sizes());
  EXPECT_EQ(real.view_as(weight).sizes(), weight.sizes());
  EXPECT_EQ(real.to(weight).device(), torch::kMeta);
  EXPECT_TRUE(weight.is_same_size(real));
  torch::NoGradGuard no_grad;
  torch::nn::init::xavier_uniform_(weight);
  model->zero_grad();
  torch::optim::Adam optimizer(model->parameters(), 0.1);
  EXPECT_EQ(state_of(model), State::Declared);
}

TEST_F(Violations, AShapeErrorStaysWhatItIs) {
  try {
    torch::mm(weight, weight[0]);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const MetaTensorError& error) {
    ADD_FAILURE() << error.what();
  } catch (const c10::Error&) {
  }
}

}  // namespace
