// Meta tensors that were not made under a scope: torch::empty(sizes, torch::kMeta) and other
// libraries' own.
#include <metasan/metasan.h>

#include "tests/runtime/guard/expect_report.h"

#include <gmock/gmock.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/torch.h>

#include <sstream>

namespace metasan::testing {
namespace {

using ::testing::HasSubstr;

class UnguardedMeta : public ::testing::Test {
 protected:
  torch::NoGradGuard no_grad;
  torch::Tensor meta = torch::empty({4, 4}, torch::kMeta);
  const torch::Tensor registered = meta;  // as a module has its parameters twice
  torch::Tensor real = torch::ones({4, 4});
};

TEST_F(UnguardedMeta, CopiesOutAreReported) {
  const auto report = report_of(Rule::MetaCopyOut, [&] { meta.cpu(); });
  EXPECT_THAT(report, HasSubstr("Cannot copy out of meta tensor; no data!"));
  EXPECT_THAT(report, HasSubstr("[4, 4] float32"));
  report_of(Rule::MetaCopyOut, [&] { meta.to(torch::kCPU, torch::kHalf); });
  report_of(Rule::MetaCopyOut, [&] { real.copy_(meta); });
  report_of(Rule::MetaCopyOut, [&] { meta.t().type_as(real); });
  report_of(Rule::MetaCopyOut, [&] { std::stringstream() << meta; });
}

TEST_F(UnguardedMeta, AWriteIntoOneIsNotLost) {
  report_of(Rule::MetaWriteLost, [&] { meta.copy_(real); });
  report_of(Rule::MetaWriteLost, [&] { meta[0].copy_(real[0]); });
}

TEST_F(UnguardedMeta, ReadsOfValuesAreReported) {
  const auto report = report_of(Rule::MetaDataDependent, [&] { meta.sum().item<float>(); });
  EXPECT_THAT(report, HasSubstr("Tensor.item() cannot be called on meta tensors"));
  report_of(Rule::MetaDataDependent, [&] { meta.nonzero(); });
  report_of(Rule::MetaDataDependent, [&] { torch::equal(meta, meta); });
  report_of(Rule::MetaDataDependent, [&] { meta.masked_select(meta > 0); });
  report_of(Rule::MetaDataDependent, [&] { torch::_unique2(meta); });
  report_of(Rule::MetaDataDependent, [&] { torch::allclose(meta, meta); });
  report_of(Rule::MetaDataDependent, [&] { (void)meta[0][0].is_nonzero(); });
}

TEST_F(UnguardedMeta, MetadataStaysLegal) {
  EXPECT_TRUE((meta + meta).is_meta());
  EXPECT_TRUE(torch::mm(meta, meta).is_meta());
  EXPECT_TRUE(meta.clone().is_meta());
  EXPECT_TRUE(meta.to(torch::kHalf).is_meta());
  EXPECT_TRUE(real.to(torch::kMeta).is_meta());
  EXPECT_TRUE(real.to(torch::kMeta, torch::kHalf).is_meta());
  EXPECT_TRUE(real.to(meta).is_meta());
  EXPECT_TRUE(torch::empty_like(meta).copy_(meta).is_meta());
  meta.normal_();
}

TEST_F(UnguardedMeta, CanBeSwitchedOff) {
  const auto before = options();
  auto off = before;
  off.guard_meta = false;
  set_options(off);
  meta.copy_(real);
  EXPECT_THROW(meta.sum().item<float>(), c10::NotImplementedError);
  try {
    meta.cpu();
    ADD_FAILURE() << "LibTorch itself refuses this";
  } catch (const MetaTensorError& error) {
    ADD_FAILURE() << error.what();
  } catch (const c10::NotImplementedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Cannot copy out of meta tensor; no data!"));
  }
  set_options(before);
}

TEST_F(UnguardedMeta, SavingOneIsReported) {
  report_of(Rule::MetaSaved, [&] { torch::pickle_save(meta); });
  std::stringstream file;
  report_of(Rule::MetaSaved, [&] { torch::save(meta, file); });
}

TEST(Saving, AnEmptyModuleIsNotWrittenWithoutItsValues) {
  auto model = init_empty_weights([] { return torch::nn::Linear(3, 2); });
  std::stringstream file;
  const auto report = report_of(Rule::MetaSaved, [&] { torch::save(model, file); });
  EXPECT_THAT(report, HasSubstr("'weight' [2, 3] float32"));
  report_of(Rule::MetaSaved, [&] {
    torch::serialize::OutputArchive archive;
    archive.write("weight", model->weight);
    archive.save_to(file);
  });
}

TEST(Saving, UninitializedMemoryIsNotWritten) {
  auto model = init_empty_weights([] { return torch::nn::Linear(3, 2); });
  to_empty(model, torch::kCPU);
  std::stringstream file;
  report_of(Rule::UninitializedRead, [&] { torch::save(model, file); });
}

TEST(Saving, AnOrdinaryModuleIsSavedAsEver) {
  torch::nn::Linear model(3, 2);
  std::stringstream file;
  torch::save(model, file);
  torch::nn::Linear other(3, 2);
  torch::load(other, file);
  EXPECT_TRUE(torch::equal(model->weight, other->weight));
}

}  // namespace
}  // namespace metasan::testing
