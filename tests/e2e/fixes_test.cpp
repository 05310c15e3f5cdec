// What the fix-its make of tests/analyzer/real-headers/fix-all.cpp does what its author wanted.
#include "fix_all_fixed.cpp"

#include "tests/support/safetensors_writer.h"
#include "tests/support/temp_directory.h"

#include <metasan/state.h>

#include <gtest/gtest.h>

#include <array>

namespace {

using metasan::testing::SafetensorsWriter;
using metasan::testing::TempDirectory;

template <std::size_t Count>
std::string_view bytes(const std::array<float, Count>& values) {
  return {reinterpret_cast<const char*>(values.data()), sizeof(values)};
}

class Fixed : public testing::Test {
 protected:
  static std::string checkpoint_bytes() {
    const std::array<float, 4> weight = {1, 2, 3, 4};
    const std::array<float, 2> bias = {5, 6};
    SafetensorsWriter writer;
    writer.add("fc.weight", "F32", {2, 2}, bytes(weight)).add("fc.bias", "F32", {2}, bytes(bias));
    return writer.bytes();
  }
  static void expect_loaded(NetImpl& model, torch::Dtype dtype = torch::kFloat) {
    EXPECT_TRUE(
        torch::equal(model.forward(torch::ones({1, 2}, dtype)), torch::tensor({{8, 13}}, dtype)));
  }

  TempDirectory directory_;
  std::filesystem::path file_ = directory_.write("net.safetensors", checkpoint_bytes());
};

TEST_F(Fixed, DispatchThatLoads) {
  expect_loaded(*dispatchedBeforeTheLoad(file_, torch::kCPU));
  expect_loaded(*dispatchedAndLoadedLater(file_));
}

TEST_F(Fixed, MoveThatLoads) {
  expect_loaded(*movedInPlaceOfALoad(file_));
}

TEST_F(Fixed, MoveThatAllocatesForALaterLoad) {
  expect_loaded(*movedBeforeTheLoad(file_, torch::kCPU));
}

TEST_F(Fixed, MoveThatIsLeftOutOrOnlyCasts) {
  expect_loaded(*movedAfterTheDispatch(file_));
  expect_loaded(*movedAndCastAfterTheDispatch(file_), torch::kDouble);
}

TEST_F(Fixed, ScopeThatCoversWhatFollows) {
  Net model = unnamedScope();
  EXPECT_EQ(metasan::state_of(model), metasan::State::Declared);
  metasan::load_checkpoint_in_model(model, file_);
  expect_loaded(*model);
}

}  // namespace
