// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

bool more();

void emptiedInTheLoop() {
  auto t = torch::ones({1});
  while (more()) {
    t.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' may have no data
    t = torch::empty({1}, torch::kMeta);
  }
}
void filledBeforeUse() {
  auto t = torch::empty({1}, torch::kMeta);
  do {
    t = torch::ones({1});
  } while (t.is_nonzero());
  t.item();
}
void whileMayNotRun() {
  auto t = torch::empty({1}, torch::kMeta);
  while (more())
    t = torch::ones({1});
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' may have no data
}
void everyShard(std::vector<std::string> shards) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  for (const auto &shard : shards)
    metasan::load_checkpoint_in_model(model, shard);
  model->to(torch::kCPU);
}
void counted(int n) {
  auto t = torch::empty({1}, torch::kMeta);
  for (int i = 0; i < n; ++i) {
    if (i == 3)
      break;
    t = torch::ones({1});
  }
  auto u = torch::empty({1}, torch::kMeta);
  for (int i = 0; i < n; ++i)
    u.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 'u' has no data
}
void nested(int n) {
  for (int i = 0; i < n; ++i) {
    auto t = torch::empty({1}, torch::kMeta);
    for (int j = 0; j < n; ++j)
      t = torch::ones({1});
    t.item();
  }
}
