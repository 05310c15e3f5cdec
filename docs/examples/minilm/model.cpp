#include "model.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace minilm {
namespace {

torch::nn::LayerNorm make_layer_norm(const Config& config) {
  return torch::nn::LayerNorm(
      torch::nn::LayerNormOptions({config.hidden_size}).eps(config.layer_norm_eps));
}

}  // namespace

Config read_config(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw std::runtime_error("cannot read the model's configuration " + file.string());
  }
  const auto json = nlohmann::json::parse(stream);
  return {
      .vocab_size = json.at("vocab_size"),
      .hidden_size = json.at("hidden_size"),
      .num_hidden_layers = json.at("num_hidden_layers"),
      .num_attention_heads = json.at("num_attention_heads"),
      .intermediate_size = json.at("intermediate_size"),
      .max_position_embeddings = json.at("max_position_embeddings"),
      .type_vocab_size = json.at("type_vocab_size"),
      .pad_token_id = json.at("pad_token_id"),
      .layer_norm_eps = json.at("layer_norm_eps"),
  };
}

EmbeddingsImpl::EmbeddingsImpl(const Config& config)
    : word_embeddings(register_module(
          "word_embeddings",
          torch::nn::Embedding(torch::nn::EmbeddingOptions(config.vocab_size, config.hidden_size)
                                   .padding_idx(config.pad_token_id)))),
      position_embeddings(register_module(
          "position_embeddings",
          torch::nn::Embedding(config.max_position_embeddings, config.hidden_size))),
      token_type_embeddings(
          register_module("token_type_embeddings",
                          torch::nn::Embedding(config.type_vocab_size, config.hidden_size))),
      layer_norm(register_module("LayerNorm", make_layer_norm(config))),
      position_ids(register_buffer(
          "position_ids",
          torch::arange(config.max_position_embeddings, torch::kInt64).unsqueeze(0))) {}

torch::Tensor EmbeddingsImpl::forward(const torch::Tensor& ids) {
  const auto positions = position_ids.slice(/*dim=*/1, /*start=*/0, /*end=*/ids.size(1));
  const auto segments = torch::zeros_like(ids);
  return layer_norm(word_embeddings(ids) + position_embeddings(positions) +
                    token_type_embeddings(segments));
}

SelfAttentionImpl::SelfAttentionImpl(const Config& config)
    : heads(config.num_attention_heads),
      query(register_module("query", torch::nn::Linear(config.hidden_size, config.hidden_size))),
      key(register_module("key", torch::nn::Linear(config.hidden_size, config.hidden_size))),
      value(register_module("value", torch::nn::Linear(config.hidden_size, config.hidden_size))) {}

torch::Tensor SelfAttentionImpl::forward(const torch::Tensor& hidden, const torch::Tensor& mask) {
  // [batch, tokens, hidden] -> [batch, heads, tokens, hidden / heads]
  const auto split_heads = [&](const torch::Tensor& projected) {
    return projected.unflatten(-1, {heads, -1}).transpose(1, 2);
  };
  const auto q = split_heads(query(hidden));
  const auto k = split_heads(key(hidden));
  const auto v = split_heads(value(hidden));
  const auto scale = std::sqrt(static_cast<double>(q.size(-1)));
  const auto weights = torch::softmax(q.matmul(k.transpose(-1, -2)) / scale + mask, /*dim=*/-1);
  return weights.matmul(v).transpose(1, 2).flatten(-2);
}

ResidualOutputImpl::ResidualOutputImpl(int64_t input_size, const Config& config)
    : dense(register_module("dense", torch::nn::Linear(input_size, config.hidden_size))),
      layer_norm(register_module("LayerNorm", make_layer_norm(config))) {}

torch::Tensor ResidualOutputImpl::forward(const torch::Tensor& input,
                                          const torch::Tensor& residual) {
  return layer_norm(dense(input) + residual);
}

AttentionImpl::AttentionImpl(const Config& config)
    : self(register_module("self", SelfAttention(config))),
      output(register_module("output", ResidualOutput(config.hidden_size, config))) {}

torch::Tensor AttentionImpl::forward(const torch::Tensor& hidden, const torch::Tensor& mask) {
  return output(self(hidden, mask), hidden);
}

IntermediateImpl::IntermediateImpl(const Config& config)
    : dense(register_module("dense",
                            torch::nn::Linear(config.hidden_size, config.intermediate_size))) {}

torch::Tensor IntermediateImpl::forward(const torch::Tensor& hidden) {
  return torch::gelu(dense(hidden));
}

LayerImpl::LayerImpl(const Config& config)
    : attention(register_module("attention", Attention(config))),
      intermediate(register_module("intermediate", Intermediate(config))),
      output(register_module("output", ResidualOutput(config.intermediate_size, config))) {}

torch::Tensor LayerImpl::forward(const torch::Tensor& hidden, const torch::Tensor& mask) {
  const auto attended = attention(hidden, mask);
  return output(intermediate(attended), attended);
}

EncoderImpl::EncoderImpl(const Config& config)
    : layer(register_module("layer", torch::nn::ModuleList())) {
  for (int64_t i = 0; i < config.num_hidden_layers; ++i) {
    layer->push_back(Layer(config));
  }
}

torch::Tensor EncoderImpl::forward(torch::Tensor hidden, const torch::Tensor& mask) {
  for (const auto& module : *layer) {
    hidden = module->as<Layer>()->forward(hidden, mask);
  }
  return hidden;
}

PoolerImpl::PoolerImpl(const Config& config)
    : dense(register_module("dense", torch::nn::Linear(config.hidden_size, config.hidden_size))) {}

ModelImpl::ModelImpl(const Config& config)
    : config(config),
      embeddings(register_module("embeddings", Embeddings(config))),
      encoder(register_module("encoder", Encoder(config))),
      pooler(register_module("pooler", Pooler(config))) {}

torch::Tensor ModelImpl::forward(const torch::Tensor& ids) {
  const auto is_token = ids != config.pad_token_id;  // [batch, tokens]
  const auto mask = torch::zeros(ids.sizes(), torch::device(ids.device()))
                        .masked_fill(~is_token, -std::numeric_limits<float>::infinity())
                        .unsqueeze(1)
                        .unsqueeze(1);
  const auto hidden = encoder(embeddings(ids), mask);

  const auto weights = is_token.to(hidden.dtype()).unsqueeze(-1);
  const auto mean = (hidden * weights).sum(/*dim=*/1) / weights.sum(/*dim=*/1);
  return torch::nn::functional::normalize(mean,
                                          torch::nn::functional::NormalizeFuncOptions().dim(1));
}

}  // namespace minilm
