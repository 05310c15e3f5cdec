#pragma once

#include "model.h"

#include <filesystem>
#include <string>
#include <vector>

/// What the programs of this example share: the command line, and the embedding of its sentences.
namespace minilm {

/// The command line: `<program> [--json] <model-dir> [sentence...]`.
struct Arguments {
  std::filesystem::path model_dir;     ///< holds config.json, vocab.txt and model.safetensors
  std::vector<std::string> sentences;  ///< a few examples when none are given
  bool json = false;                   ///< print token ids and similarities in full precision
};

/// Throws std::invalid_argument with the usage when the directory is not given.
Arguments parse_arguments(int argc, char** argv);

/// Embeds the sentences and prints the cosine similarity of each with each. The model must be on
/// `device`.
void print_similarities(Model& model, const Arguments& arguments, torch::Device device);

}  // namespace minilm
