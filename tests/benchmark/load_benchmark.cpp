// The C++ side of the load benchmark, driven by load.py, which measures Python in turns with it.
//
// For each line on standard input it loads the checkpoint once into a module that was built empty
// before, and answers with one line: the milliseconds of the load and a checksum. "load" reads the
// clock after the load, "touch" after every weight was summed up, which brings all pages in; the
// checksum is 0 for "load".
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/load/scalar_type.h"

#include <metasan/metasan.h>

#include <fmt/format.h>
#include <torch/torch.h>

#include <chrono>
#include <iostream>
#include <string>

namespace {

using metasan::checkpoint::Checkpoint;

/// A tree of modules with the tensors of a checkpoint: floats as parameters, the rest as buffers.
class Tree : public torch::nn::Module {
 public:
  void add(std::string_view name, const at::Tensor& tensor) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
      if (tensor.is_floating_point()) {
        register_parameter(std::string(name), tensor);
      } else {
        register_buffer(std::string(name), tensor);
      }
      return;
    }
    const std::string child(name.substr(0, dot));
    if (!named_children().contains(child)) {
      register_module(child, std::make_shared<Tree>());
    }
    std::static_pointer_cast<Tree>(named_children()[child])->add(name.substr(dot + 1), tensor);
  }
};

std::shared_ptr<Tree> build_empty(const Checkpoint& checkpoint) {
  return metasan::init_empty_weights([&] {
    auto tree = std::make_shared<Tree>();
    for (const auto& entry : checkpoint.entries()) {
      const std::vector<int64_t> sizes(entry.shape.begin(), entry.shape.end());
      tree->add(entry.name, torch::empty(sizes, metasan::load::scalar_type_of(entry.dtype)));
    }
    return tree;
  });
}

double checksum(const torch::nn::Module& module) {
  const torch::NoGradGuard no_grad;
  double sum = 0;
  for (const auto& tensors : {module.parameters(), module.buffers()}) {
    for (const auto& tensor : tensors) {
      sum += tensor.sum().item<double>();
    }
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: metasan_load_benchmark <checkpoint>, then lines \"load\" or \"touch\"\n";
    return 2;
  }
  const std::filesystem::path path = argv[1];
  const Checkpoint checkpoint = Checkpoint::open(path);
  for (std::string command; std::getline(std::cin, command);) {
    const auto module = build_empty(checkpoint);
    const auto start = std::chrono::steady_clock::now();
    metasan::load_checkpoint_in_model(module, path);
    const double sum = command == "touch" ? checksum(*module) : 0;
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    std::cout << fmt::format("{} {}", elapsed.count(), sum) << std::endl;
  }
}
