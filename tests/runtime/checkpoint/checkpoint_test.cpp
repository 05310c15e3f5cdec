// One sound file: what the reader says about its tensors, and how long the mapping lives.
#include "runtime/checkpoint/checkpoint.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temp_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace metasan::checkpoint {
namespace {

using metasan::testing::SafetensorsWriter;
using metasan::testing::TempDirectory;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Checkpoint, ListsTensorsByNameWithDtypeShapeAndBytes) {
  const TempDirectory directory;
  const auto path = directory.write(
      "model.safetensors",
      SafetensorsWriter().add("z", "F32", {1, 2}, "12345678").add("a", "BF16", {}, "ab").bytes());
  const Checkpoint checkpoint = Checkpoint::open(path);
  ASSERT_EQ(checkpoint.entries().size(), 2U);
  EXPECT_EQ(checkpoint.entries()[0].name, "a");
  const Entry* z = checkpoint.find("z");
  ASSERT_NE(z, nullptr);
  EXPECT_EQ(z->dtype, Dtype::F32);
  EXPECT_THAT(z->shape, ::testing::ElementsAre(1, 2));
  EXPECT_EQ(text_of(checkpoint.payload(*z)), "12345678");
  EXPECT_EQ(text_of(checkpoint.payload(*checkpoint.find("a"))), "ab");
  EXPECT_EQ(checkpoint.find("b"), nullptr);
}

// Bytes that safetensors.torch.save_file 0.8.0 wrote for {"weight": [[0, 1], [2, 3]] (F32), "bias":
// [1] (I64)}.
TEST(Checkpoint, ReadsWhatThePythonLibraryWrites) {
  using namespace std::string_literals;
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"bias":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
      R"("weight":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]}})";
  const std::string payload =
      "\x01\0\0\0\0\0\0\0"s
      "\0\0\0\0"s
      "\0\0\x80\x3f"s
      "\0\0\0\x40"s
      "\0\0\x40\x40"s;
  const TempDirectory directory;
  const auto path = directory.write(
      "model.safetensors",
      testing::safetensors_file(header + std::string(-header.size() % 8, ' '), payload));
  const Checkpoint checkpoint = Checkpoint::open(path);
  float weight[4];
  std::memcpy(weight, checkpoint.payload(*checkpoint.find("weight")).data(), sizeof(weight));
  EXPECT_THAT(weight, ::testing::ElementsAre(0.F, 1.F, 2.F, 3.F));
  EXPECT_EQ(checkpoint.find("bias")->dtype, Dtype::I64);
}

TEST(Checkpoint, WritesIntoTheMappingNeverReachTheFile) {
  const TempDirectory directory;
  const std::string bytes = SafetensorsWriter().add("w", "U8", {4}, "abcd").bytes();
  const auto path = directory.write("model.safetensors", bytes);
  const Checkpoint checkpoint = Checkpoint::open(path);
  checkpoint.payload(checkpoint.entries()[0])[0] = std::byte{'X'};
  EXPECT_EQ(text_of(checkpoint.payload(checkpoint.entries()[0])), "Xbcd");
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), bytes);
}

TEST(Checkpoint, AFileOutlivesItsCheckpointAndItsName) {
  const TempDirectory directory;
  const auto path =
      directory.write("model.safetensors", SafetensorsWriter().add("w", "U8", {4}, "abcd").bytes());
  std::shared_ptr<MappedFile> file;
  std::span<std::byte> payload;
  {
    const Checkpoint checkpoint = Checkpoint::open(path);
    file = checkpoint.files()[0];
    payload = checkpoint.payload(checkpoint.entries()[0]);
  }
  std::filesystem::remove(path);
  EXPECT_EQ(text_of(payload), "abcd");
}

}  // namespace
}  // namespace metasan::checkpoint
