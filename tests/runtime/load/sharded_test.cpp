// A sharded checkpoint loads as one, and its defects leave the module alone.
#include <metasan/empty_init.h>

#include "tests/runtime/checkpoint/expect_error.h"
#include "tests/runtime/load/support.h"

namespace metasan::testing {
namespace {

class ShardedLoad : public ::testing::Test {
 protected:
  ShardedLoad() {
    const auto tensors = guard::named_tensors(*reference_);
    std::string map;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const std::string shard =
          i < 2 ? "model-00001-of-00002.safetensors" : "model-00002-of-00002.safetensors";
      map += (i == 0 ? "\"" : ",\"") + tensors[i].first + "\":\"" + shard + '"';
    }
    directory_.write("model-00001-of-00002.safetensors",
                     safetensors_of({tensors.begin(), tensors.begin() + 2}));
    directory_.write("model-00002-of-00002.safetensors",
                     safetensors_of({tensors.begin() + 2, tensors.end()}));
    index_ = directory_.write("model.safetensors.index.json",
                              R"({"metadata":{},"weight_map":{)" + map + "}}");
  }

  TempDirectory directory_;
  TwoLayers reference_;
  std::filesystem::path index_;
  TwoLayers model_ = init_empty_weights([] { return TwoLayers(); });
};

TEST_F(ShardedLoad, FromTheIndex) {
  const LoadReport report = load_checkpoint_in_model(model_, index_);
  EXPECT_EQ(report.loaded.size(), 4U);
  EXPECT_EQ(report.bytes_mapped, report.bytes);
  EXPECT_TRUE(torch::equal(model_->second->weight, reference_->second->weight));
}

TEST_F(ShardedLoad, FromTheDirectoryWithAStrayFile) {
  directory_.write("consolidated.safetensors", "not a checkpoint at all");
  const LoadReport report = load_checkpoint_in_model(model_, directory_.path());
  EXPECT_TRUE(torch::equal(model_->first->bias, reference_->first->bias));
  EXPECT_THAT(report.warnings,
              ::testing::ElementsAre(::testing::HasSubstr("'consolidated.safetensors'")));
}

TEST_F(ShardedLoad, AMissingShard) {
  const Snapshot before(*model_);
  std::filesystem::remove(directory_.path() / "model-00002-of-00002.safetensors");
  expect_checkpoint_error([&] { load_checkpoint_in_model(model_, index_); },
                          CheckpointErrorCode::MissingShard,
                          {"1 of 2 shards are missing: 'model-00002-of-00002.safetensors'"});
  EXPECT_TRUE(before.matches(*model_));
}

}  // namespace
}  // namespace metasan::testing
