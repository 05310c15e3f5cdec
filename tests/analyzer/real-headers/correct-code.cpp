// Code from the field that uses meta tensors rightly, or not at all: nothing may be said about it.
// REQUIRES: torch-headers
// RUN: %check_clang_tidy %s metasan-* %t -- %torch_flags
#include <metasan/metasan.h>
#include <torch/torch.h>

#include <functional>
#include <iostream>
#include <optional>

// A meta tensor as "no tensor".
static const torch::Tensor None = torch::empty({1, 1}, torch::kMeta);
void *dataOrNull(const torch::Tensor &t) { return t.device().is_meta() ? nullptr : t.data_ptr(); }
void *castBindsToCondition(torch::Tensor t) {
  return (void *)t.is_meta() ? nullptr : t.data_ptr();
}
bool isGiven(const torch::Tensor &t) { return !t.is_meta(); }
void kernel(torch::Tensor, torch::Tensor bias = torch::empty({1, 1}, torch::kMeta));
void callsWithNone() { kernel(torch::ones({2}), None); }
torch::Tensor addBias(torch::Tensor x, torch::Tensor bias) {
  auto none = torch::empty({1, 1}, torch::kMeta);
  if (!bias.defined())
    bias = none;
  if (bias.device() == torch::kMeta)
    return x;
  return x + bias.item();
}
#define CHECK_DTYPE_OPT(x, type)                                                                   \
  if (!(x).device().is_meta())                                                                     \
  TORCH_CHECK((x).dtype() == type, "wrong type")
#define CHECK_HAS_DATA(x) TORCH_CHECK(!(x).is_meta(), #x " has no data")
float guardedByMacro(bool empty) {
  auto t = empty ? torch::empty({1}, torch::kMeta) : torch::ones({1});
  CHECK_DTYPE_OPT(t, torch::kFloat);
  CHECK_HAS_DATA(t);
  return t.item<float>();
}
torch::Tensor accumulate(const std::vector<torch::Tensor> &parts) {
  torch::Tensor sum = torch::empty({1}, torch::kMeta);
  bool first = true;
  for (const auto &part : parts) {
    sum = first ? part : sum + part;
    first = false;
  }
  std::cout << sum.item();
  return sum;
}

// Shape inference.
std::vector<int64_t> shapeOfProduct(const torch::Tensor &a, const torch::Tensor &b) {
  auto out = at::mm(a.to(torch::kMeta), b.to(torch::kMeta));
  return out.sizes().vec();
}
torch::Tensor metaKernel(const torch::Tensor &x, int64_t n) {
  auto out = torch::empty({n, x.size(1)}, x.options().device(torch::kMeta));
  out.copy_(x);
  return out.t().contiguous().to(torch::kHalf);
}
void checkErrors(const torch::Tensor &infos) {
  if (infos.is_meta())
    return;
  if (infos.item<int>() != 0)
    std::cout << infos;
}
torch::Tensor roundTrip(torch::Tensor x, torch::Device target) {
  auto meta = x.to(torch::kMeta);
  auto fresh = torch::empty_like(meta, target);
  fresh.copy_(x);
  return fresh.cpu();
}

// The device as a tag.
struct Node {
  torch::Device device = torch::kMeta;
};
torch::Tensor fetch(const Node &node, torch::Tensor hidden) { return hidden.to(node.device); }

// Modules filled in every way there is.
struct BlockImpl : torch::nn::Module {
  BlockImpl() { fc = register_module("fc", torch::nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(fc(x)); }
  void reset() {}
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Block);
void loadNatively(const std::string &path) {
  auto block = metasan::init_empty_weights([] { return Block(); });
  torch::load(block, path);
  block->to(torch::kCPU);
  std::cout << block->fc->weight;
}
void loadEach(const std::map<std::string, torch::Tensor> &state) {
  auto block = metasan::init_empty_weights([] { return Block(); });
  for (auto &item : block->named_parameters())
    item.value().set_data(state.at(item.key()));
  block->to(torch::kCPU);
}
void loadShards(const std::vector<std::string> &shards) {
  auto block = metasan::init_empty_weights([] { return Block(); });
  for (const auto &shard : shards)
    metasan::load_checkpoint_in_model(block, shard, {.strict = false});
  block->to(torch::kCPU);
}
void loadInHelper(std::function<void(torch::nn::Module &)> load) {
  auto block = metasan::init_empty_weights([] { return Block(); });
  load(*block);
  block->to(torch::kCPU);
}
void loadLater() {
  auto block = metasan::init_empty_weights([] { return Block(); });
  auto job = [&](const std::string &path) { torch::load(block, path); };
  job("block.pt");
  block->to(torch::kCPU);
}
void onlyEmptyWhenAsked(bool lazy, const std::string &path) {
  std::optional<metasan::InitEmptyWeights> scope;
  if (lazy)
    scope.emplace();
  Block block;
  scope.reset();
  if (lazy)
    torch::load(block, path);
  block->to(torch::kCPU);
}
void perState(Block block) {
  if (metasan::state_of(block) == metasan::State::Materialized)
    std::cout << block->fc->weight;
}
void ordinary() {
  Block block;
  block->to(torch::kCPU, torch::kHalf);
  auto out = block(torch::ones({1, 4}));
  std::cout << out.argmax(1).item<int64_t>();
  for (const auto &p : block->parameters())
    std::cout << p.mean().item<float>();
}
#define EXPECT_THROW(statement, type)                                                              \
  try {                                                                                            \
    statement;                                                                                     \
  } catch (const type &) {                                                                         \
  }
void expectsTheError() {
  auto t = torch::empty({2}, torch::kMeta);
  EXPECT_THROW(t.item(), c10::Error);
  EXPECT_THROW(t.to(torch::kCPU), c10::Error);
}
