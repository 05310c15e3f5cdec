// Convolutions: a classifier of digits, and a generator of images with its discriminator.
#include "tests/stock/programs.h"

namespace stock {
namespace {

namespace nn = torch::nn;
namespace functional = torch::nn::functional;

struct DigitsImpl : nn::Module {
  DigitsImpl() {
    register_module("first", first);
    register_module("second", second);
    register_module("drop", drop);
    register_module("hidden", hidden);
    register_module("scores", scores);
  }
  at::Tensor forward(at::Tensor x) {
    x = torch::relu(torch::max_pool2d(first(x), 2));
    x = torch::relu(torch::max_pool2d(drop(second(x)), 2));
    x = functional::dropout(torch::relu(hidden(x.flatten(1))),
                            functional::DropoutFuncOptions().p(0.5).training(is_training()));
    return torch::log_softmax(scores(x), 1);
  }

  nn::Conv2d first{nn::Conv2dOptions(1, 4, 5)};
  nn::Conv2d second{nn::Conv2dOptions(4, 8, 5)};
  nn::Dropout2d drop;
  nn::Linear hidden{128, 20};
  nn::Linear scores{20, 10};
};
TORCH_MODULE(Digits);

struct RandomDigits : torch::data::datasets::Dataset<RandomDigits> {
  torch::data::Example<> get(std::size_t index) override {
    return {images[static_cast<int64_t>(index)], labels[static_cast<int64_t>(index)]};
  }
  std::optional<std::size_t> size() const override {
    return static_cast<std::size_t>(images.size(0));
  }
  at::Tensor images = torch::rand({24, 1, 28, 28});
  at::Tensor labels = torch::randint(10, {24}, torch::kLong);
};

constexpr int64_t kNoise = 8;

nn::Sequential make_generator() {
  return nn::Sequential(
      nn::ConvTranspose2d(nn::ConvTranspose2dOptions(kNoise, 16, 4).bias(false)),
      nn::BatchNorm2d(16), nn::ReLU(),
      nn::ConvTranspose2d(nn::ConvTranspose2dOptions(16, 1, 4).stride(2).padding(1)), nn::Tanh());
}

nn::Sequential make_discriminator() {
  const auto slope = nn::LeakyReLUOptions().negative_slope(0.2);
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 16, 4).stride(2).padding(1).bias(false)),
                        nn::LeakyReLU(slope), nn::BatchNorm2d(16),
                        nn::Conv2d(nn::Conv2dOptions(16, 1, 4)), nn::Sigmoid());
}

void draw_weights(nn::Module& module) {
  const torch::NoGradGuard no_grad;
  if (module.as<nn::Conv2d>() != nullptr || module.as<nn::ConvTranspose2d>() != nullptr) {
    module.named_parameters()["weight"].normal_(0, 0.02);
  }
}

}  // namespace

void train_convolutions() {
  Digits model;
  auto loader =
      torch::data::make_data_loader(RandomDigits()
                                        .map(torch::data::transforms::Normalize<>(0.13, 0.31))
                                        .map(torch::data::transforms::Stack<>()),
                                    torch::data::DataLoaderOptions().batch_size(8).workers(0));
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.05).momentum(0.5));
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (auto& batch : *loader) {
      optimizer.zero_grad();
      const auto loss = torch::nll_loss(model->forward(batch.data), batch.target);
      TORCH_CHECK(std::isfinite(loss.item<float>()));
      loss.backward();
      optimizer.step();
      print("digits.loss", loss);
    }
  }
  model->eval();
  const torch::NoGradGuard no_grad;
  const auto scores = model->forward(torch::rand({4, 1, 28, 28}));
  print("digits.scores", scores);
  print("digits.answer", scores.argmax(1));
  print("digits", *model);
}

void train_generator_and_discriminator() {
  auto generator = make_generator();
  auto discriminator = make_discriminator();
  generator->apply(draw_weights);
  discriminator->apply(draw_weights);
  const auto options = torch::optim::AdamOptions(2e-4).betas({0.5, 0.9});
  torch::optim::Adam generator_optimizer(generator->parameters(), options);
  torch::optim::Adam discriminator_optimizer(discriminator->parameters(), options);
  const auto judge = [&](const at::Tensor& images, double truth) {
    const auto output = discriminator->forward(images).flatten();
    return torch::binary_cross_entropy(output, torch::full_like(output, truth));
  };
  for (int step = 0; step < 3; ++step) {
    discriminator->zero_grad();
    const auto loss_of_real = judge(torch::rand({6, 1, 8, 8}), 0.9);
    loss_of_real.backward();
    const auto images = generator->forward(torch::randn({6, kNoise, 1, 1}));
    const auto loss_of_fake = judge(images.detach(), 0);
    loss_of_fake.backward();
    discriminator_optimizer.step();

    generator->zero_grad();
    const auto loss = judge(images, 1);
    loss.backward();
    generator_optimizer.step();
    print("gan.losses", torch::stack({loss_of_real, loss_of_fake, loss}));
  }
  print("gan.generator", *generator);
  print("gan.discriminator", *discriminator);
}

}  // namespace stock
