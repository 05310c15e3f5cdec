// Every violation of the safetensors format ends in its own typed error, and every odd but sound
// file is read.
#include "runtime/checkpoint/checkpoint.h"
#include "tests/runtime/checkpoint/hostile/hostile_file.h"
#include "tests/support/temp_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace metasan::testing {
namespace {

class HostileFileTest : public ::testing::TestWithParam<HostileFile> {};

TEST_P(HostileFileTest, IsAcceptedOrRejectedWithItsOwnCode) {
  const HostileFile& file = GetParam();
  const TempDirectory directory;
  const std::filesystem::path path = directory.write("model.safetensors", file.bytes());
  if (!file.expected) {
    EXPECT_NO_THROW(checkpoint::Checkpoint::open(path));
    return;
  }
  try {
    checkpoint::Checkpoint::open(path);
    FAIL() << "accepted";
  } catch (const CheckpointError& error) {
    const std::string message = error.what();
    EXPECT_EQ(to_string(error.code()), to_string(*file.expected)) << message;
    EXPECT_EQ(error.file(), path);
    EXPECT_THAT(message, ::testing::HasSubstr(path.string()));
    for (const std::string& text : file.in_message) {
      EXPECT_THAT(message, ::testing::HasSubstr(text));
    }
  }
}

std::string case_name(const ::testing::TestParamInfo<HostileFile>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Framing, HostileFileTest, ::testing::ValuesIn(files_with_broken_framing()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Json, HostileFileTest, ::testing::ValuesIn(files_with_broken_json()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Extents, HostileFileTest, ::testing::ValuesIn(files_with_broken_extents()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Sound, HostileFileTest, ::testing::ValuesIn(odd_files_that_are_sound()),
                         case_name);

}  // namespace
}  // namespace metasan::testing
