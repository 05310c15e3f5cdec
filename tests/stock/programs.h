#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <string>

/// Ordinary programs of training and inference, which know nothing of MetaSan. Each prints a hash
/// of every tensor that it made, so that two runs can be compared bit for bit.
namespace stock {

void train_convolutions();
void train_generator_and_discriminator();
void train_character_lstm();
void infer_with_transformer_encoder();
void train_with_custom_function();
void resume_from_saved_optimizer();

/// FNV-1a over the bytes of the elements.
inline std::uint64_t hash_of(const at::Tensor& tensor) {
  const auto packed = tensor.detach().contiguous();
  const auto* bytes = static_cast<const unsigned char*>(packed.const_data_ptr());
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < packed.nbytes(); ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  }
  return hash;
}

inline void print(const std::string& name, const at::Tensor& tensor) {
  std::cout << name << ' ' << tensor.sizes() << ' ' << std::hex << std::setfill('0')
            << std::setw(16) << hash_of(tensor) << std::dec << '\n';
}

inline void print(const std::string& name, const torch::nn::Module& module) {
  for (const auto& parameter : module.named_parameters()) {
    print(name + '.' + parameter.key(), parameter.value());
  }
  for (const auto& buffer : module.named_buffers()) {
    print(name + '.' + buffer.key(), buffer.value());
  }
}

}  // namespace stock
