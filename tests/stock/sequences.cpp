// Sequences: a language model of characters, and the encoder of a transformer.
#include "tests/stock/programs.h"

#include <string_view>

namespace stock {
namespace {

namespace nn = torch::nn;

constexpr std::string_view kText =
    "a tensor without data is a promise, and a program that reads it before it is kept reads noise";
constexpr int64_t kCharacters = 128;

at::Tensor encode(std::string_view text) {
  std::vector<int64_t> codes(text.begin(), text.end());
  return torch::tensor(codes, torch::kLong).unsqueeze(1);
}

struct CharactersImpl : nn::Module {
  CharactersImpl() {
    register_module("embedding", embedding);
    register_module("lstm", lstm);
    register_module("scores", scores);
  }
  using State = std::tuple<at::Tensor, at::Tensor>;

  std::tuple<at::Tensor, State> forward(const at::Tensor& codes, std::optional<State> state = {}) {
    auto [output, next] = lstm->forward(embedding(codes), std::move(state));
    return {scores(output), next};
  }

  nn::Embedding embedding{kCharacters, 12};
  nn::LSTM lstm{nn::LSTMOptions(12, 24).num_layers(2).dropout(0.1)};
  nn::Linear scores{24, kCharacters};
};
TORCH_MODULE(Characters);

/// The position of each row, as sines and cosines of many frequencies.
at::Tensor positions(int64_t length, int64_t width) {
  const auto position = torch::arange(length, torch::kFloat).unsqueeze(1);
  const auto frequency =
      torch::exp(torch::arange(0, width, 2, torch::kFloat) * (-std::log(10000.0) / width));
  auto table = torch::zeros({length, width});
  table.index_put_({torch::indexing::Slice(), torch::indexing::Slice(0, torch::indexing::None, 2)},
                   torch::sin(position * frequency));
  table.index_put_({torch::indexing::Slice(), torch::indexing::Slice(1, torch::indexing::None, 2)},
                   torch::cos(position * frequency));
  return table.unsqueeze(1);
}

}  // namespace

void train_character_lstm() {
  Characters model;
  torch::optim::RMSprop optimizer(model->parameters(), 0.01);
  const auto codes = encode(kText);
  const auto length = codes.size(0) - 1;
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    const auto scores = std::get<0>(model->forward(codes.slice(0, 0, length)));
    const auto loss =
        torch::nn::functional::cross_entropy(scores.flatten(0, 1), codes.slice(0, 1).flatten());
    loss.backward();
    nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    optimizer.step();
    print("characters.loss", loss);
  }

  model->eval();
  const torch::NoGradGuard no_grad;
  std::string said = "a";
  std::optional<CharactersImpl::State> state;
  for (int i = 0; i < 12; ++i) {
    auto [scores, next] = model->forward(encode(said.substr(said.size() - 1)), state);
    state = next;
    const auto choice = torch::multinomial(torch::softmax(scores.flatten(), 0), 1).item<int64_t>();
    said.push_back(static_cast<char>(choice));
  }
  print("characters.said", encode(said));
  print("characters", *model);
}

void infer_with_transformer_encoder() {
  nn::TransformerEncoder encoder(
      nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(16, 4).dim_feedforward(32)),
      2);
  encoder->eval();
  const c10::InferenceMode inference;
  const auto x = torch::randn({7, 3, 16}) + positions(7, 16);
  auto padding = torch::zeros({3, 7}, torch::kBool);
  padding[1].slice(0, 5).fill_(true);
  print("encoder.plain", encoder->forward(x));
  print("encoder.masked",
        encoder->forward(x, nn::TransformerImpl::generate_square_subsequent_mask(7), padding));
  print("encoder", *encoder);
}

}  // namespace stock
