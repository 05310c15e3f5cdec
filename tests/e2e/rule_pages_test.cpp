// The code in the pages of docs/rules does what the pages say: what is under "Wrong" is reported as
// that rule, all else runs.
#include "page_snippets.h"

#include <metasan/errors.h>

#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace {

/// A directory of its own, in which the snippets run: some write files.
class RulePages : public testing::TestWithParam<PageSnippet> {
 protected:
  void SetUp() override {
    previous_ = std::filesystem::current_path();
    directory_ = std::filesystem::path(testing::TempDir()) / ("rule_pages_" + GetParam().name);
    std::filesystem::create_directories(directory_);
    std::filesystem::current_path(directory_);
    write_checkpoint();
  }

  void TearDown() override {
    std::filesystem::current_path(previous_);
    std::filesystem::remove_all(directory_);
  }

  void run() { GetParam().run(checkpoint_, c10::kCPU); }

 private:
  /// The weights of a torch::nn::Linear(4, 4), all zero.
  void write_checkpoint() {
    constexpr std::string_view header =
        R"({"weight":{"dtype":"F32","shape":[4,4],"data_offsets":[0,64]},)"
        R"("bias":{"dtype":"F32","shape":[4],"data_offsets":[64,80]}})";
    const std::uint64_t size = header.size();
    std::ofstream file(checkpoint_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&size), sizeof(size));
    file << header << std::string(80, '\0');
  }

  std::filesystem::path checkpoint_ = "model.safetensors";
  std::filesystem::path directory_;
  std::filesystem::path previous_;
};

TEST_P(RulePages, DoesWhatThePageSays) {
  const PageSnippet& snippet = GetParam();
  if (!snippet.is_wrong) {
    EXPECT_NO_THROW(run());
  } else if (snippet.rule_has_run_time) {
    try {
      run();
      FAIL() << "nothing was reported";
    } catch (const metasan::MetaTensorError& error) {
      EXPECT_EQ(metasan::info(error.rule()).id, snippet.rule) << error.what();
    } catch (const c10::Error& error) {
      // A raw access is refused by LibTorch itself, with the text that MetaSan gave the storage.
      EXPECT_THAT(error.what_without_backtrace(), testing::HasSubstr("MetaSan: " + snippet.rule));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Docs, RulePages, testing::ValuesIn(page_snippets),
                         [](const auto& info) { return info.param.name; });

}  // namespace
