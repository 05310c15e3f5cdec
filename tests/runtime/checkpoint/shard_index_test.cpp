// A sharded checkpoint: the index against its shards, in both directions.
#include "runtime/checkpoint/checkpoint.h"
#include "tests/runtime/checkpoint/expect_error.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temp_directory.h"

#include <chrono>

namespace metasan::checkpoint {
namespace {

using metasan::testing::expect_checkpoint_error;
using metasan::testing::SafetensorsWriter;
using metasan::testing::TempDirectory;
using Code = CheckpointErrorCode;

constexpr const char* kFirst = "model-00001-of-00002.safetensors";
constexpr const char* kSecond = "model-00002-of-00002.safetensors";

/// Two shards: the first has `a`, the second `b` and `c`.
class ShardedCheckpoint : public ::testing::Test {
 protected:
  ShardedCheckpoint() {
    directory_.write(kFirst, SafetensorsWriter().add("a", "F32", {1}, "1234").bytes());
    directory_.write(
        kSecond, SafetensorsWriter().add("b", "F32", {1}, "5678").add("c", "U8", {1}, "9").bytes());
  }

  Checkpoint open(const std::string& index) {
    directory_.write("model.safetensors.index.json", index);
    return Checkpoint::open(directory_.path());
  }
  void expect_error(const std::string& index, Code code,
                    std::initializer_list<std::string> texts = {}) {
    expect_checkpoint_error([&] { open(index); }, code, texts);
  }
  static std::string map(const std::string& entries) {
    return R"({"weight_map":{)" + entries + "}}";
  }

  const std::string a_ = std::string(R"("a":")") + kFirst + '"';
  const std::string b_ = std::string(R"("b":")") + kSecond + '"';
  const std::string c_ = std::string(R"("c":")") + kSecond + '"';
  TempDirectory directory_;
};

TEST_F(ShardedCheckpoint, GathersTheTensorsOfAllShards) {
  const Checkpoint checkpoint =
      open(R"({"metadata":{"total_size":9},"weight_map":{)" + c_ + "," + a_ + "," + b_ + "}}");
  ASSERT_EQ(checkpoint.entries().size(), 3U);
  EXPECT_EQ(checkpoint.files().size(), 2U);
  EXPECT_EQ(std::to_integer<char>(checkpoint.payload(*checkpoint.find("c"))[0]), '9');
  EXPECT_THAT(checkpoint.warnings(), ::testing::IsEmpty());
}

TEST_F(ShardedCheckpoint, ABareMapIsAccepted) {
  EXPECT_EQ(open("{" + a_ + "," + b_ + "," + c_ + "}").entries().size(), 3U);
}

TEST_F(ShardedCheckpoint, AWrongTotalSizeIsAWarning) {
  const Checkpoint checkpoint =
      open(R"({"metadata":{"total_size":10},"weight_map":{)" + a_ + "," + b_ + "," + c_ + "}}");
  EXPECT_THAT(checkpoint.warnings(),
              ::testing::ElementsAre(::testing::HasSubstr("total_size 10, its shards have 9")));
}

TEST_F(ShardedCheckpoint, AStrayFileIsAWarningAndIsNotRead) {
  directory_.write("extra.safetensors", "garbage");
  const Checkpoint checkpoint = open(map(a_ + "," + b_ + "," + c_));
  EXPECT_THAT(checkpoint.warnings(),
              ::testing::ElementsAre(::testing::HasSubstr("does not name 'extra.safetensors'")));
}

TEST_F(ShardedCheckpoint, NamesThatOnlyTheIndexHas) {
  expect_error(map(a_ + "," + b_ + "," + c_ + R"(,"d":")" + kFirst + '"'), Code::IndexShardMismatch,
               {"1 tensors of the index are not in the shard that it names: 'd'"});
}

TEST_F(ShardedCheckpoint, NamesThatOnlyAShardHas) {
  expect_error(map(a_ + "," + b_), Code::IndexShardMismatch,
               {"1 tensors of the shards are not in the index: 'c'"});
}

TEST_F(ShardedCheckpoint, ANameInAnotherShardThanTheIndexSays) {
  expect_error(map(a_ + R"(,"b":")" + kFirst + "\"," + c_), Code::IndexShardMismatch, {"'b'"});
}

TEST_F(ShardedCheckpoint, ANameInTwoShards) {
  directory_.write(
      kFirst,
      SafetensorsWriter().add("a", "F32", {1}, "1234").add("b", "F32", {1}, "5678").bytes());
  expect_error(map(a_ + "," + b_ + "," + c_), Code::DuplicateTensor, {"'b'", kFirst, kSecond});
}

TEST_F(ShardedCheckpoint, AllMissingShardsAreListedAtOnce) {
  std::filesystem::remove(directory_.path() / kFirst);
  std::filesystem::remove(directory_.path() / kSecond);
  expect_error(map(a_ + "," + b_ + "," + c_), Code::MissingShard,
               {"2 of 2 shards are missing", kFirst, kSecond});
}

TEST_F(ShardedCheckpoint, AShardThatIsALfsPointer) {
  directory_.write(kSecond, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n");
  expect_error(map(a_ + "," + b_ + "," + c_), Code::LfsPointer, {kSecond, "5 bytes"});
}

TEST_F(ShardedCheckpoint, AnIndexThatIsALfsPointer) {
  expect_error("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
               Code::LfsPointer);
}

TEST_F(ShardedCheckpoint, ATruncatedShardNamesItsFirstCutTensor) {
  const auto path = directory_.path() / kSecond;
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 2);
  expect_error(map(a_ + "," + b_ + "," + c_), Code::MetadataIncompleteBuffer,
               {kSecond, "2 are missing", "'b'"});
}

TEST_F(ShardedCheckpoint, PathsThatLeaveTheDirectory) {
  for (const char* path :
       {"../x.safetensors", "/x.safetensors", "C:/x.safetensors", "a/../../x.safetensors",
        R"(..\\x.safetensors)", R"(x\u0000.safetensors)"}) {
    expect_error(map(std::string(R"("a":")") + path + '"'), Code::UnsafePath, {"'a'"});
  }
}

TEST_F(ShardedCheckpoint, ShardsOfAnotherFormat) {
  expect_error(map(R"("a":"pytorch_model-00001-of-00002.bin")"), Code::UnsupportedFormat,
               {"'a'", ".bin"});
}

TEST_F(ShardedCheckpoint, IndexesThatAreNotIndexes) {
  expect_error("", Code::IndexInvalid);
  expect_error("[]", Code::IndexInvalid);
  expect_error("{}", Code::IndexInvalid, {"no tensor"});
  expect_error(R"({"weight_map":[]})", Code::IndexInvalid, {"weight_map"});
  expect_error(R"({"weight_map":{"a":1}})", Code::IndexInvalid, {"'a'"});
  expect_error(R"({"model_type":"bert","layers":6})", Code::UnsupportedFormat);
  expect_error(map(a_ + "," + a_), Code::DuplicateTensor, {"'a'"});
}

TEST(LargeShardedCheckpoint, OpensAHundredThousandTensorsQuickly) {
  const TempDirectory directory;
  SafetensorsWriter writer;
  std::string index;
  for (int i = 0; i < 100'000; ++i) {
    const std::string name = "model.layers." + std::to_string(i) + ".weight";
    writer.add(name, "U8", {1}, "x");
    index += (i == 0 ? "\"" : ",\"") + name + "\":\"model.safetensors\"";
  }
  directory.write("model.safetensors", writer.bytes());
  const auto path = directory.write("index.json", "{" + index + "}");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Checkpoint::open(path).entries().size(), 100'000U);
  // Takes 0.1 s; the bound only catches a quadratic step, on a slow machine and under a sanitizer
  // too.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace metasan::checkpoint
