// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void readByAnotherLoad(const std::string &path) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net twin(8);
  metasan::load_checkpoint_in_model(twin, path);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, path, torch::kCPU);{{$}}
}
void literal() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net twin(8);
  metasan::load_checkpoint_in_model(twin, "twin.safetensors");
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, "twin.safetensors", torch::kCPU);{{$}}
}
struct Runner {
  std::string checkpoint_dir;
  void run() {
    auto model = metasan::init_empty_weights([] { return Net(8); });
    model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    metasan::load_checkpoint_and_dispatch(model, checkpoint_dir, torch::kCPU);{{$}}
  }
};
void hiddenBySomethingElse(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  int checkpoint_count = 1;
  {
    int checkpoint = 2;
    model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    model->to(torch::kCPU);{{$}}
  }
}
void declaredLater() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  model->to(torch::kCPU);{{$}}
  std::string checkpoint("later");
}

// The module's own load says more than a name does, and a name more than another module's load.
void ownLoadFirst(const std::string &checkpoint, const std::string &file, bool c) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (c) {
    metasan::load_checkpoint_in_model(model, file);
    return;
  }
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, file, torch::kCPU);{{$}}
}
void nameBeforeAnotherLoad(const std::string &checkpoint, const std::string &file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net teacher(8);
  metasan::load_checkpoint_in_model(teacher, file);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU);{{$}}
}
void anotherClass(const std::string &file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  torch::nn::Linear layer(8, 8);
  metasan::load_checkpoint_in_model(layer, file);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  model->to(torch::kCPU);{{$}}
}
void wholePath(const std::filesystem::path &directory) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net twin(8);
  metasan::load_checkpoint_in_model(twin, directory / "net.safetensors");
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, directory / "net.safetensors", torch::kCPU);{{$}}
}
std::string download(int);
void pathOutOfReach() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net twin(8);
  {
    std::string local("net.safetensors");
    metasan::load_checkpoint_in_model(twin, local);
  }
  metasan::load_checkpoint_in_model(twin, download(1));
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  model->to(torch::kCPU);{{$}}
}

// Constants of the file, declared before, and members that can be reached.
const char *const DefaultCheckpoint = "net.safetensors";
void constant() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, DefaultCheckpoint, torch::kCPU);{{$}}
}
struct Base {
  std::string checkpoint;

private:
  std::string weights_path;
};
struct Derived : Base {
  void run() {
    auto model = metasan::init_empty_weights([] { return Net(8); });
    model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU);{{$}}
  }
  static void runWithoutAnObject() {
    auto model = metasan::init_empty_weights([] { return Net(8); });
    model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    metasan::load_checkpoint_and_dispatch(model, DefaultCheckpoint, torch::kCPU);{{$}}
  }
};
void inALambda(const std::string &checkpoint, const std::string &file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  auto place = [&model, file] {
    model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    metasan::load_checkpoint_and_dispatch(model, DefaultCheckpoint, torch::kCPU);{{$}}
  };
  place();
}

// Called like one, and none.
namespace none {
const char *const DefaultCheckpoint = "net.pt";
void anotherFormat() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  model->to(torch::kCPU);{{$}}
}
void tellsAboutIt(const std::string &checkpoint_prefix, const std::string &weightsFormat) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  model->to(torch::kCPU);{{$}}
}
void saved(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net other(8);
  torch::save(other, checkpoint);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  model->to(torch::kCPU);{{$}}
}
void stillEmpty() {
  std::string checkpoint;
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  model->to(torch::kCPU);{{$}}
}
void loadedByLibTorch(const std::string &checkpoint, Net other) {
  torch::load(other, checkpoint);
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  model->to(torch::kCPU);{{$}}
}
} // namespace none
