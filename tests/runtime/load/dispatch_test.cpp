// Placement on one device: with and without weights, and device maps that make no sense.
#include <metasan/dispatch.h>
#include <metasan/empty_init.h>
#include <metasan/errors.h>

#include "tests/runtime/load/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace metasan::testing {
namespace {

using ::testing::HasSubstr;

class Dispatch : public ::testing::Test {
 protected:
  static TwoLayers empty() {
    return init_empty_weights([] { return TwoLayers(); });
  }
  /// The text of the c10::Error that `call` throws; the model must be as before.
  template <typename Call>
  std::string error_of(TwoLayers model, Call&& call) {
    const Snapshot before(*model);
    try {
      call(model);
    } catch (const c10::Error& error) {
      EXPECT_TRUE(before.matches(*model));
      return error.what();
    }
    return "no error";
  }
  std::string map_error(const DeviceMap& map) {
    return error_of(TwoLayers(), [&](TwoLayers& model) { dispatch_model(model, map); });
  }

  TempDirectory directory_;
  TwoLayers reference_;
  std::filesystem::path path_ =
      directory_.write("model.safetensors", safetensors_of(guard::named_tensors(*reference_)));
};

TEST_F(Dispatch, AnEmptyModuleIsRefusedWithTheReport) {
  TwoLayers model = empty();
  const Snapshot before(*model);
  try {
    dispatch_model(model, torch::kCPU);
    FAIL() << "accepted";
  } catch (const MetaTensorError& error) {
    EXPECT_EQ(error.rule(), Rule::DispatchWithoutWeights);
    EXPECT_EQ(error.op(), "metasan::dispatch_model");
    EXPECT_EQ(error.tensor(), "first.weight");
    EXPECT_THAT(std::string(error.what()),
                HasSubstr("4 of the 4 tensors of the module have no data"));
    EXPECT_THAT(std::string(error.what()), HasSubstr("Cannot copy out of meta tensor; no data!"));
    EXPECT_THAT(std::string(error.what()), HasSubstr("load_checkpoint_and_dispatch"));
  }
  EXPECT_TRUE(before.matches(*model));
}

TEST_F(Dispatch, AHalfLoadedModuleIsRefused) {
  TwoLayers model = empty();
  load_checkpoint_in_model(
      model->first,
      directory_.write("first.safetensors", safetensors_of({{"weight", reference_->first->weight},
                                                            {"bias", reference_->first->bias}})));
  EXPECT_THAT(error_of(model, [](TwoLayers& m) { dispatch_model(m, torch::kCPU); }),
              HasSubstr("2 of the 4 tensors of the module have no data"));
}

TEST_F(Dispatch, AModuleThatIsInPlaceIsLeftAlone) {
  TwoLayers model;
  const Snapshot before(*model);
  dispatch_model(model, torch::kCPU);
  dispatch_model(model, {{"", torch::kCPU}, {"first", torch::kCPU}});
  EXPECT_TRUE(before.matches(*model));
}

TEST_F(Dispatch, LoadAndDispatchInOneStep) {
  TwoLayers model = empty();
  const LoadReport report = load_checkpoint_and_dispatch(model, path_, torch::kCPU);
  EXPECT_EQ(report.loaded.size(), 4U);
  const auto x = torch::randn({4, 2});
  EXPECT_TRUE(torch::equal(model->forward(x), reference_->forward(x)));
}

TEST_F(Dispatch, MissingWeightsNameTheFunctionThatWasCalled) {
  TwoLayers model = empty();
  const auto path = directory_.write("half.safetensors",
                                     safetensors_of({{"first.weight", reference_->first->weight}}));
  try {
    load_checkpoint_and_dispatch(model, path);
    FAIL() << "accepted";
  } catch (const MetaTensorError& error) {
    EXPECT_EQ(error.rule(), Rule::WeightsMissing);
    EXPECT_EQ(error.op(), "metasan::load_checkpoint_and_dispatch");
  }
}

TEST_F(Dispatch, SeveralDevicesAreAnError) {
  EXPECT_THAT(map_error({{"first", torch::kCPU}, {"second", torch::Device(torch::kCUDA, 0)}}),
              HasSubstr("several devices, cpu and cuda:0"));
}

TEST_F(Dispatch, KeysThatNameNothingAreAnErrorWithTheNearestName) {
  EXPECT_THAT(map_error({{"", torch::kCPU}, {"frist", torch::kCPU}}),
              HasSubstr("did you mean 'first'?"));
}

TEST_F(Dispatch, TensorsThatNoKeyCoversAreAnError) {
  EXPECT_THAT(map_error({{"first", torch::kCPU}}), HasSubstr("no entry for 'second.weight'"));
  EXPECT_THAT(map_error({}), HasSubstr("the device map is empty"));
}

TEST_F(Dispatch, DevicesThatAreNotThereAreAnErrorBeforeTheLoad) {
  for (const DeviceMap& map :
       {DeviceMap(torch::kMeta), DeviceMap(torch::kXLA), DeviceMap(torch::Device("cpu:1"))}) {
    EXPECT_THAT(map_error(map), HasSubstr("the device map names '"));
    EXPECT_THAT(
        error_of(empty(),
                 [&](TwoLayers& model) { load_checkpoint_and_dispatch(model, path_, map); }),
        HasSubstr("the device map names '"));
  }
}

TEST(DeviceMapLookup, TheLongestPrefixOfWholeComponentsDecides) {
  const DeviceMap map = {{"", torch::kCPU},
                         {"layer", torch::Device(torch::kCUDA, 0)},
                         {"layer.1", torch::Device(torch::kCUDA, 1)},
                         {"layer.1.bias", torch::Device(torch::kCUDA, 2)}};
  EXPECT_EQ(map.device_of("head.weight"), torch::kCPU);
  EXPECT_EQ(map.device_of("layer.0.weight").index(), 0);
  EXPECT_EQ(map.device_of("layer.1.weight").index(), 1);
  EXPECT_EQ(map.device_of("layer.1.bias").index(), 2);
  EXPECT_EQ(map.device_of("layer.10.bias").index(), 0);
  EXPECT_EQ(map.device_of("layers.weight"), torch::kCPU);
  EXPECT_THROW(DeviceMap({{"layer", torch::kCPU}}).device_of("head"), c10::Error);
}

}  // namespace
}  // namespace metasan::testing
