// Runs every program, each from the same seed, on one thread.
#include "tests/stock/programs.h"

int main() {
  torch::set_num_threads(1);
  for (auto* program : {stock::train_convolutions, stock::train_generator_and_discriminator,
                        stock::train_character_lstm, stock::infer_with_transformer_encoder,
                        stock::train_with_custom_function, stock::resume_from_saved_optimizer}) {
    torch::manual_seed(1234);
    program();
    stock::print("generator", at::globalContext().defaultGenerator(at::kCPU).get_state());
  }
}
