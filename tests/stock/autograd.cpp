// A function with a derivative of its own, and training that is interrupted and goes on.
#include "tests/stock/programs.h"

#include <sstream>

namespace stock {
namespace {

namespace nn = torch::nn;

/// x * sigmoid(x), and its derivative by hand.
struct Swish : torch::autograd::Function<Swish> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    return x * torch::sigmoid(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto x = context->get_saved_variables()[0];
    const auto s = torch::sigmoid(x);
    return {gradients[0] * (s + x * s * (1 - s))};
  }
};

nn::Sequential make_classifier() {
  return nn::Sequential(nn::Linear(6, 12), nn::LayerNorm(nn::LayerNormOptions({12})), nn::GELU(),
                        nn::Linear(12, 3));
}

void train(nn::Sequential& model, torch::optim::Optimizer& optimizer, int steps) {
  const auto x = torch::linspace(-2, 2, 60).view({10, 6});
  const auto labels = torch::arange(10, torch::kLong) % 3;
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    torch::cross_entropy_loss(model->forward(x), labels).backward();
    optimizer.step();
  }
}

}  // namespace

void train_with_custom_function() {
  nn::Linear first(4, 8);
  nn::Linear second(8, 1);
  std::vector<at::Tensor> parameters = first->parameters();
  for (const auto& parameter : second->parameters()) {
    parameters.push_back(parameter);
  }
  torch::optim::AdamW optimizer(parameters, 0.01);
  const auto x = torch::randn({16, 4});
  const auto y = x.pow(2).sum(1, true);
  for (int step = 0; step < 4; ++step) {
    optimizer.zero_grad();
    const auto loss = torch::mse_loss(second(Swish::apply(first(x))), y);
    loss.backward();
    optimizer.step();
    print("swish.loss", loss);
  }
  print("swish.gradient", first->weight.grad());
  print("swish.first", *first);
  print("swish.second", *second);
}

void resume_from_saved_optimizer() {
  auto model = make_classifier();
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(0.01).amsgrad(true));
  train(model, optimizer, 3);
  std::stringstream model_file;
  std::stringstream optimizer_file;
  torch::save(model, model_file);
  torch::save(optimizer, optimizer_file);
  train(model, optimizer, 2);

  auto resumed = make_classifier();
  torch::optim::Adam resumed_optimizer(resumed->parameters(), torch::optim::AdamOptions(0.01));
  torch::load(resumed, model_file);
  torch::load(resumed_optimizer, optimizer_file);
  train(resumed, resumed_optimizer, 2);
  for (std::size_t i = 0; i < model->parameters().size(); ++i) {
    TORCH_CHECK(torch::equal(model->parameters()[i], resumed->parameters()[i]));
  }
  print("resumed", *resumed);
  print("resumed.copy", *std::dynamic_pointer_cast<nn::SequentialImpl>(resumed->clone()));
}

}  // namespace stock
