// The text of a raw access, which LibTorch throws.
#include <metasan/metasan.h>

#include <gmock/gmock.h>
#include <torch/torch.h>
#include <unistd.h>

namespace {

std::string text_of_access(const torch::Tensor& tensor) {
  try {
    tensor.data_ptr();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(RawAccessText, HasTheFormOfAReport) {
  const auto line = __LINE__ + 1;
  const auto layer = metasan::init_empty_weights([] { return torch::nn::Linear(3, 2); });
  const auto text = text_of_access(layer->weight);
  EXPECT_THAT(text, testing::HasSubstr(
                        "==" + std::to_string(getpid()) +
                        "==ERROR: MetaSan: meta-raw-access: the memory of a tensor without data is "
                        "accessed\n"
                        "  torch     The tensor has a non-zero number of elements, but its data is "
                        "not allocated yet.\n"
                        "  tensor    'weight' [2, 3] float32, declared, no data\n"
                        "  declared  by aten::empty.memory_format, under the InitEmptyWeights "
                        "scope at " __FILE__ ":" +
                        std::to_string(line) +
                        "\n"
                        "  fix       load the weights first: "
                        "metasan::load_checkpoint_and_dispatch(model, checkpoint, device)\n"
                        "SUMMARY: MetaSan: meta-raw-access weight"));
}

TEST(RawAccessText, OfATensorWithoutAName) {
  metasan::InitEmptyWeights scope;
  EXPECT_THAT(text_of_access(torch::empty({2})),
              testing::HasSubstr("\n  tensor    a tensor [2] float32, declared, no data\n"));
}

}  // namespace
