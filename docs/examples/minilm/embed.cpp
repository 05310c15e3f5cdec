#include "embed.h"

#include "tokenizer.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>
#include <stdexcept>

namespace minilm {
namespace {

const std::vector<std::string> kExamples{
    "A man is eating food.",
    "Someone eats a meal!",
    "A cheetah chases its prey across the savanna.",
};

using TokenIds = std::vector<std::vector<int64_t>>;

/// [sentences, tokens], filled up with `pad`.
torch::Tensor to_batch(const TokenIds& sentences, int64_t pad) {
  std::vector<torch::Tensor> rows;
  for (const auto& ids : sentences) {
    rows.push_back(torch::tensor(ids, torch::kInt64));
  }
  return torch::nn::utils::rnn::pad_sequence(rows, /*batch_first=*/true, static_cast<double>(pad));
}

void print_table(const std::vector<std::string>& sentences, const torch::Tensor& similarities) {
  const auto values = similarities.accessor<float, 2>();
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    for (std::size_t j = 0; j < sentences.size(); ++j) {
      std::printf("%8.4f", values[i][j]);
    }
    std::printf("   %s\n", sentences[i].c_str());
  }
}

void print_json(const std::vector<std::string>& sentences, const TokenIds& ids,
                const torch::Tensor& embeddings, const torch::Tensor& similarities) {
  const auto rows = [](const torch::Tensor& matrix) {
    auto list = nlohmann::json::array();
    for (const auto& row : matrix.unbind()) {
      list.push_back(std::vector<float>(row.const_data_ptr<float>(),
                                        row.const_data_ptr<float>() + row.numel()));
    }
    return list;
  };
  const nlohmann::json result{
      {"sentences", sentences},
      {"token_ids", ids},
      {"embeddings", rows(embeddings)},
      {"similarities", rows(similarities)},
  };
  std::cout << result.dump() << '\n';
}

}  // namespace

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> words(argv + 1, argv + argc);
  std::erase_if(words, [&](const std::string& word) {
    const bool is_option = word == "--json";
    arguments.json |= is_option;
    return is_option;
  });
  if (words.empty()) {
    throw std::invalid_argument(std::string("usage: ") + argv[0] +
                                " [--json] <model-dir> [sentence...]");
  }
  arguments.model_dir = words.front();
  arguments.sentences.assign(words.begin() + 1, words.end());
  if (arguments.sentences.empty()) {
    arguments.sentences = kExamples;
  }
  return arguments;
}

void print_similarities(Model& model, const Arguments& arguments, torch::Device device) {
  const torch::InferenceMode no_gradients;
  const Tokenizer tokenizer(arguments.model_dir / "vocab.txt");
  TokenIds ids;
  for (const auto& sentence : arguments.sentences) {
    ids.push_back(tokenizer.encode(sentence));
  }
  const auto batch = to_batch(ids, model->config.pad_token_id).to(device);
  const auto embeddings = model(batch).to(torch::kCPU);
  const auto similarities = embeddings.matmul(embeddings.t()).contiguous();
  if (arguments.json) {
    print_json(arguments.sentences, ids, embeddings, similarities);
  } else {
    print_table(arguments.sentences, similarities);
  }
}

}  // namespace minilm
