// From what a user gives to the file that is read, and what is said when there is none.
#include "runtime/checkpoint/discovery.h"
#include "tests/runtime/checkpoint/expect_error.h"
#include "tests/support/temp_directory.h"

namespace metasan::checkpoint {
namespace {

using metasan::testing::expect_checkpoint_error;
using metasan::testing::TempDirectory;
using Code = CheckpointErrorCode;

class Discovery : public ::testing::Test {
 protected:
  void with(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      directory_.write(name, "x");
    }
  }
  std::string found() const { return find_source(directory_.path()).file.filename().string(); }
  void expect_error(Code code, std::initializer_list<std::string> texts) const {
    expect_checkpoint_error([&] { find_source(directory_.path()); }, code, texts);
  }

  TempDirectory directory_;
};

TEST_F(Discovery, TakesAFileAsItIs) {
  with({"weights.bin"});
  const Source source = find_source(directory_.path() / "weights.bin");
  EXPECT_EQ(source.kind, Source::Kind::Safetensors);
}

TEST_F(Discovery, TakesJsonForAnIndex) {
  with({"model.safetensors.index.json"});
  EXPECT_EQ(find_source(directory_.path() / "model.safetensors.index.json").kind,
            Source::Kind::Index);
}

TEST_F(Discovery, AnIndexDecidesOverShards) {
  with({"model.safetensors.index.json", "model-00001-of-00001.safetensors", "config.json"});
  EXPECT_EQ(found(), "model.safetensors.index.json");
}

TEST_F(Discovery, AnIndexOfAnotherNameIsFound) {
  with({"diffusion.safetensors.index.json", "a.safetensors"});
  EXPECT_EQ(found(), "diffusion.safetensors.index.json");
}

TEST_F(Discovery, ModelSafetensorsWinsWithAWarning) {
  with({"model.safetensors", "adapter_model.safetensors"});
  const Source source = find_source(directory_.path());
  EXPECT_EQ(source.file.filename(), "model.safetensors");
  EXPECT_THAT(source.warnings,
              ::testing::ElementsAre(::testing::HasSubstr("only 'model.safetensors' was read")));
}

TEST_F(Discovery, TheOnlySafetensorsFileIsFound) {
  with({"weights.safetensors", "pytorch_model.bin"});
  EXPECT_EQ(found(), "weights.safetensors");
}

TEST_F(Discovery, SeveralFilesAreAmbiguous) {
  with({"a.safetensors", "b.safetensors"});
  expect_error(Code::AmbiguousDirectory, {"'a.safetensors', 'b.safetensors'"});
}

TEST_F(Discovery, SeveralIndexesAreAmbiguous) {
  with({"a.safetensors.index.json", "b.safetensors.index.json", "model.safetensors"});
  expect_error(Code::AmbiguousDirectory,
               {"'a.safetensors.index.json', 'b.safetensors.index.json'"});
}

TEST_F(Discovery, AnIndexBesideAWholeModelIsAmbiguous) {
  with({"model.safetensors.index.json", "model.safetensors"});
  expect_error(Code::AmbiguousDirectory, {"'model.safetensors', 'model.safetensors.index.json'"});
}

TEST_F(Discovery, ShardsWithoutTheirIndexAreAmbiguous) {
  with({"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"});
  expect_error(Code::AmbiguousDirectory, {"model-00001-of-00002.safetensors"});
}

TEST_F(Discovery, UnsupportedFilesAreListed) {
  with({"pytorch_model.bin", "config.json"});
  expect_error(Code::NoWeightsFound, {"no supported weight file", "'pytorch_model.bin'"});
}

TEST_F(Discovery, AnEmptyDirectoryIsSaidToBeEmpty) {
  expect_error(Code::EmptyDirectory, {"empty"});
}

TEST_F(Discovery, AWrongPathNamesTheNearestOne) {
  with({"model.safetensors", "config.json"});
  expect_checkpoint_error([&] { find_source(directory_.path() / "modle.safetensors"); },
                          Code::FileNotFound,
                          {"no 'modle.safetensors'", "did you mean '", "/model.safetensors'?"});
}

TEST_F(Discovery, AWrongDirectoryNamesTheFirstMissingPart) {
  with({"checkpoints/model.safetensors"});
  expect_checkpoint_error(
      [&] { find_source(directory_.path() / "checkpoint" / "deep" / "model.safetensors"); },
      Code::FileNotFound, {"no 'checkpoint'", "/checkpoints'?"});
}

}  // namespace
}  // namespace metasan::checkpoint
