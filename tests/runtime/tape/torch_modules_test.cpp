// Every module class that LibTorch ships, built empty and materialized, against plain construction.
#include "tests/runtime/tape/support.h"

#include <cctype>

namespace metasan::testing {
namespace {

namespace nn = torch::nn;

struct Case {
  const char* name;
  Build build;
};

/// What GoogleTest prints of a failed case.
void PrintTo(const Case& test_case, std::ostream* out) {
  *out << test_case.name;
}

#define MODULE(Class, ...)                                                              \
  Case {                                                                                \
    #Class "(" #__VA_ARGS__ ")", [] { return ModulePtr(nn::Class(__VA_ARGS__).ptr()); } \
  }

std::vector<Case> activations() {
  return {MODULE(ELU),           MODULE(SELU),
          MODULE(Hardshrink),    MODULE(Hardtanh),
          MODULE(LeakyReLU),     MODULE(LogSigmoid),
          MODULE(Softmax, 1),    MODULE(Softmin, 1),
          MODULE(LogSoftmax, 1), MODULE(Softmax2d),
          MODULE(PReLU),         MODULE(ReLU),
          MODULE(ReLU6),         MODULE(RReLU),
          MODULE(CELU),          MODULE(GLU),
          MODULE(GELU),          MODULE(SiLU),
          MODULE(Mish),          MODULE(Sigmoid),
          MODULE(Softplus),      MODULE(Softshrink),
          MODULE(Softsign),      MODULE(Tanh),
          MODULE(Tanhshrink),    MODULE(Threshold, 0.1, 20)};
}

std::vector<Case> linear_and_convolution() {
  return {MODULE(Identity),
          MODULE(Linear, 8, 4),
          MODULE(Linear, nn::LinearOptions(8, 4).bias(false)),
          MODULE(Bilinear, 3, 4, 5),
          MODULE(Flatten),
          MODULE(Unflatten, nn::UnflattenOptions(1, {2, 2})),
          MODULE(Conv1d, nn::Conv1dOptions(4, 4, 3)),
          MODULE(Conv2d, nn::Conv2dOptions(4, 4, 3)),
          MODULE(Conv2d, nn::Conv2dOptions(4, 4, 3).groups(2).bias(false)),
          MODULE(Conv3d, nn::Conv3dOptions(4, 4, 3)),
          MODULE(ConvTranspose1d, nn::ConvTranspose1dOptions(4, 4, 3)),
          MODULE(ConvTranspose2d, nn::ConvTranspose2dOptions(4, 4, 3)),
          MODULE(ConvTranspose3d, nn::ConvTranspose3dOptions(4, 4, 3)),
          MODULE(Fold, nn::FoldOptions({4, 5}, {2, 2})),
          MODULE(Unfold, nn::UnfoldOptions({2, 2})),
          MODULE(Embedding, 10, 4),
          MODULE(Embedding, nn::EmbeddingOptions(10, 4).padding_idx(3)),
          MODULE(Embedding, nn::EmbeddingOptions(10, 4).padding_idx(-1)),
          MODULE(EmbeddingBag, 10, 4),
          MODULE(EmbeddingBag, nn::EmbeddingBagOptions(10, 4).padding_idx(2)),
          MODULE(CosineSimilarity),
          MODULE(PairwiseDistance),
          MODULE(Dropout),
          MODULE(Dropout2d),
          MODULE(Dropout3d),
          MODULE(AlphaDropout),
          MODULE(FeatureAlphaDropout)};
}

std::vector<Case> normalization() {
  return {MODULE(BatchNorm1d, 8),
          MODULE(BatchNorm2d, 8),
          MODULE(BatchNorm3d, 8),
          MODULE(BatchNorm1d, nn::BatchNormOptions(8).affine(false)),
          MODULE(BatchNorm1d, nn::BatchNormOptions(8).track_running_stats(false)),
          MODULE(InstanceNorm1d, nn::InstanceNormOptions(4).affine(true).track_running_stats(true)),
          MODULE(InstanceNorm2d, nn::InstanceNormOptions(4).affine(true).track_running_stats(true)),
          MODULE(InstanceNorm3d, nn::InstanceNormOptions(4).affine(true)),
          MODULE(LayerNorm, nn::LayerNormOptions({4, 4})),
          MODULE(LayerNorm, nn::LayerNormOptions({4}).elementwise_affine(false)),
          MODULE(GroupNorm, 2, 4),
          MODULE(LocalResponseNorm, 2),
          MODULE(CrossMapLRN2d, 2)};
}

std::vector<Case> losses() {
  return {
      MODULE(L1Loss),
      MODULE(KLDivLoss),
      MODULE(MSELoss),
      MODULE(BCELoss),
      MODULE(HingeEmbeddingLoss),
      MODULE(MultiMarginLoss),
      MODULE(CosineEmbeddingLoss),
      MODULE(SmoothL1Loss),
      MODULE(HuberLoss),
      MODULE(MultiLabelMarginLoss),
      MODULE(SoftMarginLoss),
      MODULE(MultiLabelSoftMarginLoss),
      MODULE(TripletMarginLoss),
      MODULE(TripletMarginWithDistanceLoss),
      MODULE(CTCLoss),
      MODULE(PoissonNLLLoss),
      MODULE(MarginRankingLoss),
      MODULE(NLLLoss),
      MODULE(CrossEntropyLoss),
      MODULE(CrossEntropyLoss, nn::CrossEntropyLossOptions().weight(torch::tensor({1.0F, 2.0F}))),
      MODULE(BCEWithLogitsLoss),
      MODULE(AdaptiveLogSoftmaxWithLoss, nn::AdaptiveLogSoftmaxWithLossOptions(64, 20, {5, 10}))};
}

std::vector<Case> padding_and_pooling() {
  return {MODULE(ReflectionPad1d, 1),
          MODULE(ReflectionPad2d, 1),
          MODULE(ReflectionPad3d, 1),
          MODULE(ReplicationPad1d, 1),
          MODULE(ReplicationPad2d, 1),
          MODULE(ReplicationPad3d, 1),
          MODULE(ZeroPad1d, 1),
          MODULE(ZeroPad2d, 1),
          MODULE(ZeroPad3d, 1),
          MODULE(ConstantPad1d, 1, 2.),
          MODULE(ConstantPad2d, 1, 2.),
          MODULE(ConstantPad3d, 1, 2.),
          MODULE(PixelShuffle, 2),
          MODULE(PixelUnshuffle, 2),
          MODULE(AvgPool1d, 2),
          MODULE(AvgPool2d, 2),
          MODULE(AvgPool3d, 2),
          MODULE(MaxPool1d, 2),
          MODULE(MaxPool2d, 2),
          MODULE(MaxPool3d, 2),
          MODULE(AdaptiveMaxPool1d, 2),
          MODULE(AdaptiveMaxPool2d, 2),
          MODULE(AdaptiveMaxPool3d, 2),
          MODULE(AdaptiveAvgPool1d, 2),
          MODULE(AdaptiveAvgPool2d, 2),
          MODULE(AdaptiveAvgPool3d, 2),
          MODULE(MaxUnpool1d, 2),
          MODULE(MaxUnpool2d, 2),
          MODULE(MaxUnpool3d, 2),
          MODULE(FractionalMaxPool2d, nn::FractionalMaxPool2dOptions(2).output_size(2)),
          MODULE(FractionalMaxPool3d, nn::FractionalMaxPool3dOptions(2).output_size(2)),
          MODULE(LPPool1d, 2., 2),
          MODULE(LPPool2d, 2., 2),
          MODULE(LPPool3d, 2., 2),
          MODULE(Upsample, nn::UpsampleOptions().scale_factor(std::vector<double>{2.0}))};
}

std::vector<Case> recurrent_and_attention() {
  using EncoderLayer = nn::TransformerEncoderLayerOptions;
  using DecoderLayer = nn::TransformerDecoderLayerOptions;
  return {MODULE(RNN, nn::RNNOptions(4, 6)),
          MODULE(RNN, nn::RNNOptions(4, 6).num_layers(2).bidirectional(true)),
          MODULE(LSTM, nn::LSTMOptions(4, 6).num_layers(2).bidirectional(true)),
          MODULE(LSTM, nn::LSTMOptions(4, 6).num_layers(2).proj_size(3)),
          MODULE(GRU, nn::GRUOptions(4, 6).num_layers(2)),
          MODULE(RNNCell, 4, 6),
          MODULE(LSTMCell, 4, 6),
          MODULE(GRUCell, 4, 6),
          MODULE(MultiheadAttention, nn::MultiheadAttentionOptions(8, 2)),
          MODULE(MultiheadAttention,
                 nn::MultiheadAttentionOptions(8, 2).kdim(4).vdim(6).add_bias_kv(true)),
          MODULE(TransformerEncoderLayer, EncoderLayer(8, 2)),
          MODULE(TransformerDecoderLayer, DecoderLayer(8, 2)),
          MODULE(TransformerEncoder, nn::TransformerEncoderOptions(EncoderLayer(8, 2), 3)),
          MODULE(TransformerDecoder, nn::TransformerDecoderOptions(DecoderLayer(8, 2), 2)),
          MODULE(Transformer,
                 nn::TransformerOptions(8, 2).num_encoder_layers(2).num_decoder_layers(2))};
}

nn::Sequential layers() {
  return nn::Sequential(nn::Linear(4, 4), nn::ReLU(), nn::BatchNorm1d(4));
}

std::vector<Case> containers() {
  return {
      {"Sequential", [] { return ModulePtr(layers().ptr()); }},
      {"Sequential cloned", [] { return layers()->clone(); }},
      {"ModuleList",
       [] {
         const nn::ModuleList list(nn::Linear(2, 3), nn::Conv2d(nn::Conv2dOptions(1, 2, 3)));
         return ModulePtr(list.ptr());
       }},
      {"ModuleDict",
       [] {
         nn::ModuleDict dict;
         dict->update({{"layer", nn::Linear(2, 3).ptr()}});
         return ModulePtr(dict.ptr());
       }},
      {"ParameterList",
       [] { return ModulePtr(nn::ParameterList(torch::randn({2}), torch::ones({3})).ptr()); }},
      {"ParameterDict",
       [] {
         nn::ParameterDict dict;
         dict->insert("weight", torch::rand({2}));
         return ModulePtr(dict.ptr());
       }},
  };
}

std::vector<Case> all() {
  std::vector<Case> cases;
  for (auto& group : {activations(), linear_and_convolution(), normalization(), losses(),
                      padding_and_pooling(), recurrent_and_attention(), containers()}) {
    cases.insert(cases.end(), group.begin(), group.end());
  }
  return cases;
}

class TorchModules : public ::testing::TestWithParam<Case> {};

TEST_P(TorchModules, AreWhatPlainConstructionGives) {
  expect_as_constructed(GetParam().build);
}

INSTANTIATE_TEST_SUITE_P(, TorchModules, ::testing::ValuesIn(all()), [](const auto& info) {
  std::string name = std::to_string(info.index) + "_" + info.param.name;
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  return name;
});

}  // namespace
}  // namespace metasan::testing
