// What the benchmark of the analyzer parses and checks: a transformer encoder with its loading and
// its loop, as a program of moderate size has it.
#include <metasan/metasan.h>
#include <torch/torch.h>

#include <filesystem>
#include <iostream>
#include <vector>

struct Config {
  int64_t width = 64, heads = 4, layers = 4, vocabulary = 1000, positions = 128;
};

struct AttentionImpl : torch::nn::Module {
  explicit AttentionImpl(const Config& config)
      : heads(config.heads),
        query(register_module("query", torch::nn::Linear(config.width, config.width))),
        key(register_module("key", torch::nn::Linear(config.width, config.width))),
        value(register_module("value", torch::nn::Linear(config.width, config.width))),
        out(register_module("out", torch::nn::Linear(config.width, config.width))) {}

  torch::Tensor split(const torch::Tensor& x) const {
    return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
  }
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& mask) {
    auto q = split(query(x)), k = split(key(x)), v = split(value(x));
    auto scores = q.matmul(k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
    if (mask.defined() && !mask.is_meta())
      scores = scores.masked_fill(mask == 0, -1e9);
    auto context = torch::softmax(scores, -1).matmul(v).transpose(1, 2).contiguous();
    return out(context.view({x.size(0), x.size(1), -1}));
  }

  int64_t heads;
  torch::nn::Linear query, key, value, out;
};
TORCH_MODULE(Attention);

struct LayerImpl : torch::nn::Module {
  explicit LayerImpl(const Config& config)
      : attention(register_module("attention", Attention(config))),
        norm1(register_module("norm1",
                              torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.width})))),
        norm2(register_module("norm2",
                              torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.width})))),
        up(register_module("up", torch::nn::Linear(config.width, 4 * config.width))),
        down(register_module("down", torch::nn::Linear(4 * config.width, config.width))) {}

  torch::Tensor forward(torch::Tensor x, const torch::Tensor& mask) {
    x = norm1(x + attention(x, mask));
    return norm2(x + down(torch::gelu(up(x))));
  }

  Attention attention;
  torch::nn::LayerNorm norm1, norm2;
  torch::nn::Linear up, down;
};
TORCH_MODULE(Layer);

struct EncoderImpl : torch::nn::Module {
  explicit EncoderImpl(const Config& config)
      : words(register_module("words", torch::nn::Embedding(config.vocabulary, config.width))),
        positions(
            register_module("positions", torch::nn::Embedding(config.positions, config.width))) {
    for (int64_t i = 0; i < config.layers; ++i) {
      layers.push_back(Layer(config));
      register_module("layer" + std::to_string(i), layers.back());
    }
    ids = register_buffer("ids", torch::arange(config.positions));
  }

  torch::Tensor forward(const torch::Tensor& tokens, const torch::Tensor& mask) {
    auto x = words(tokens) + positions(ids.slice(0, 0, tokens.size(1)));
    for (auto& layer : layers)
      x = layer(x, mask);
    return x;
  }

  torch::nn::Embedding words, positions;
  std::vector<Layer> layers;
  torch::Tensor ids;
};
TORCH_MODULE(Encoder);

Encoder build(const Config& config, bool lazy, const std::filesystem::path& checkpoint) {
  Encoder model{nullptr};
  if (lazy) {
    metasan::InitEmptyWeights scope;
    model = Encoder(config);
  } else {
    model = Encoder(config);
  }
  if (lazy)
    metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU);
  model->eval();
  return model;
}

torch::Tensor pool(const torch::Tensor& hidden, const torch::Tensor& mask) {
  auto weights = mask.unsqueeze(-1).to(hidden.dtype());
  return (hidden * weights).sum(1) / weights.sum(1).clamp_min(1e-9);
}

std::vector<int64_t> outputShape(const Config& config, int64_t batch, int64_t length) {
  auto tokens = torch::empty({batch, length},
                             torch::TensorOptions().dtype(torch::kLong).device(torch::kMeta));
  return {tokens.size(0), tokens.size(1), config.width};
}

void train(Encoder model, const std::vector<torch::Tensor>& batches) {
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(1e-4));
  model->train();
  for (int epoch = 0; epoch < 3; ++epoch) {
    double total = 0;
    for (const auto& batch : batches) {
      optimizer.zero_grad();
      auto loss = model(batch, torch::ones_like(batch)).pow(2).mean();
      loss.backward();
      optimizer.step();
      total += loss.item<double>();
    }
    std::cout << epoch << ' ' << total << '\n';
  }
}

void mistake(const Config& config, const std::filesystem::path& checkpoint, torch::Device device) {
  auto model = metasan::init_empty_weights([&] { return Encoder(config); });
  metasan::dispatch_model(model, device);
  model->to(device);
  std::cout << model->ids;
}

int main(int argc, char** argv) {
  Config config;
  auto model = build(config, argc > 1, argc > 1 ? argv[1] : "model.safetensors");
  auto tokens = torch::randint(config.vocabulary, {2, 16});
  auto mask = torch::ones({2, 16});
  torch::NoGradGuard noGrad;
  std::cout << pool(model(tokens, mask), mask) << outputShape(config, 2, 16).size() << '\n';
  train(model, {tokens});
}
