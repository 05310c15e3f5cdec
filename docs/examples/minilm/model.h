#pragma once

#include <torch/torch.h>

#include <filesystem>

/// A BERT encoder for sentence embeddings. Modules carry the names that the checkpoint uses, so
/// that `named_parameters()` gives exactly its keys: "encoder.layer.0.attention.self.query.weight".
namespace minilm {

/// The fields of a checkpoint's config.json that the encoder needs.
struct Config {
  int64_t vocab_size;
  int64_t hidden_size;
  int64_t num_hidden_layers;
  int64_t num_attention_heads;
  int64_t intermediate_size;
  int64_t max_position_embeddings;
  int64_t type_vocab_size;
  int64_t pad_token_id;
  double layer_norm_eps;
};

/// Throws std::runtime_error when the file cannot be read, nlohmann::json::exception when a field
/// is missing.
Config read_config(const std::filesystem::path& file);

/// Word, position and segment embeddings, summed and normalized: [batch, tokens] -> [batch, tokens,
/// hidden].
struct EmbeddingsImpl : torch::nn::Module {
  explicit EmbeddingsImpl(const Config& config);
  torch::Tensor forward(const torch::Tensor& ids);

  torch::nn::Embedding word_embeddings;
  torch::nn::Embedding position_embeddings;
  torch::nn::Embedding token_type_embeddings;
  torch::nn::LayerNorm layer_norm;
  torch::Tensor position_ids;
};
TORCH_MODULE(Embeddings);

/// `mask` is [batch, 1, 1, tokens]: 0 where attention is allowed, minus infinity where not.
struct SelfAttentionImpl : torch::nn::Module {
  explicit SelfAttentionImpl(const Config& config);
  torch::Tensor forward(const torch::Tensor& hidden, const torch::Tensor& mask);

  int64_t heads;
  torch::nn::Linear query;
  torch::nn::Linear key;
  torch::nn::Linear value;
};
TORCH_MODULE(SelfAttention);

/// A projection, the residual connection, and the norm after it.
struct ResidualOutputImpl : torch::nn::Module {
  ResidualOutputImpl(int64_t input_size, const Config& config);
  torch::Tensor forward(const torch::Tensor& input, const torch::Tensor& residual);

  torch::nn::Linear dense;
  torch::nn::LayerNorm layer_norm;
};
TORCH_MODULE(ResidualOutput);

struct AttentionImpl : torch::nn::Module {
  explicit AttentionImpl(const Config& config);
  torch::Tensor forward(const torch::Tensor& hidden, const torch::Tensor& mask);

  SelfAttention self;
  ResidualOutput output;
};
TORCH_MODULE(Attention);

struct IntermediateImpl : torch::nn::Module {
  explicit IntermediateImpl(const Config& config);
  torch::Tensor forward(const torch::Tensor& hidden);

  torch::nn::Linear dense;
};
TORCH_MODULE(Intermediate);

struct LayerImpl : torch::nn::Module {
  explicit LayerImpl(const Config& config);
  torch::Tensor forward(const torch::Tensor& hidden, const torch::Tensor& mask);

  Attention attention;
  Intermediate intermediate;
  ResidualOutput output;
};
TORCH_MODULE(Layer);

struct EncoderImpl : torch::nn::Module {
  explicit EncoderImpl(const Config& config);
  torch::Tensor forward(torch::Tensor hidden, const torch::Tensor& mask);

  torch::nn::ModuleList layer;
};
TORCH_MODULE(Encoder);

/// BERT's head for whole sequences. Sentence embeddings do not use it; the checkpoint has it.
struct PoolerImpl : torch::nn::Module {
  explicit PoolerImpl(const Config& config);

  torch::nn::Linear dense;
};
TORCH_MODULE(Pooler);

struct ModelImpl : torch::nn::Module {
  explicit ModelImpl(const Config& config);

  /// Embeds sentences: `ids` is [batch, tokens] (int64), padded with pad_token_id at the end.
  /// Returns [batch, hidden], the mean over each sentence's tokens, of length 1.
  torch::Tensor forward(const torch::Tensor& ids);

  Config config;
  Embeddings embeddings;
  Encoder encoder;
  Pooler pooler;
};
TORCH_MODULE(Model);

}  // namespace minilm
