// Ways to fill what is empty before it is used, each of which a path-insensitive analysis would report.
// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags -fexceptions -fcxx-exceptions
#include <metasan/metasan.h>
#include <net.h>
bool flag();
at::Tensor make();
Net makeNet();
struct Holder {
  Net net{nullptr};
  at::Tensor cache = torch::empty({1}, torch::kMeta);
  bool ready = false;
  void ensure() {
    if (!ready) {
      net = metasan::init_empty_weights([] { return Net(8); });
      metasan::load_checkpoint_in_model(net, "x");
      ready = true;
    }
    net->to(torch::kCPU);
  }
  void viaMethod() {
    net = metasan::init_empty_weights([] { return Net(8); });
    loadAll();
    net->to(torch::kCPU);
  }
  void lambdaThis() {
    net = metasan::init_empty_weights([] { return Net(8); });
    auto l = [this] { metasan::load_checkpoint_in_model(net, "x"); };
    l();
    net->to(torch::kCPU);
  }
  void useCache() {
    cache.item();
  }
  void loadAll();
};
void filledInTheFirstRound(int n) {
  at::Tensor t = torch::empty({1}, torch::kMeta);
  for (int i = 0; i < n; ++i) {
    if (i == 0)
      t = torch::ones({1});
    else
      t = t.add(torch::ones({1}));
  }
  t.item();
}
void flagGoesWithTheTensor() {
  at::Tensor t;
  bool have = false;
  while (flag()) {
    if (!have) {
      t = torch::ones({1});
      have = true;
    } else
      t.item();
  }
  if (have)
    t.item();
}
void loopFillsAVector() {
  std::vector<at::Tensor> v;
  for (int i = 0; i < 3; ++i)
    v.push_back(torch::empty({1}, torch::kMeta));
  for (int i = 0; i < 3; ++i)
    v[i] = torch::ones({1});
  v[0].item();
}
void replacedWhenEmpty(at::Tensor t) {
  if (!t.defined() || t.is_meta())
    t = torch::ones({1});
  t.item();
}
void eitherReferenceIsTheSame() {
  at::Tensor t = torch::empty({1}, torch::kMeta);
  auto &r = flag() ? t : t;
  r = torch::ones({1});
  t.item();
}
void loopLoadsEveryModule() {
  Net a = metasan::init_empty_weights([] { return Net(8); });
  Net b = makeNet();
  std::vector<Net> all;
  all.push_back(a);
  all.push_back(b);
  for (auto &m : all)
    metasan::load_checkpoint_in_model(m, "x");
  a->to(torch::kCPU);
}
void returnsWhenTheLoadThrows() {
  Net a = metasan::init_empty_weights([] { return Net(8); });
  try {
    metasan::load_checkpoint_in_model(a, "x");
  } catch (...) {
    return;
  }
  a->to(torch::kCPU);
}
void replacedWhenTheLoadThrows() {
  Net a = metasan::init_empty_weights([] { return Net(8); });
  try {
    metasan::load_checkpoint_in_model(a, "x");
  } catch (...) {
    a = Net(8);
  }
  a->to(torch::kCPU);
}
void deviceIsTested(torch::Device d) {
  auto t = torch::empty({1}, d);
  if (d == torch::kMeta)
    return;
  t.item();
}
void loopsUntilItHasData() {
  auto t = torch::empty({1}, torch::kMeta);
  while (t.is_meta()) {
    t = make();
  }
  t.item();
}
void breaksWithData() {
  for (;;) {
    auto t = torch::empty({1}, torch::kMeta);
    if (flag()) {
      t = make();
      t.item();
      break;
    }
  }
}
void ternarySameFlag(bool c) {
  at::Tensor t = c ? torch::empty({1}, torch::kMeta) : torch::ones({1});
  if (!c)
    t.item();
}
void oppositeComparisons(int c) {
  at::Tensor t = torch::ones({1});
  if (c > 0)
    t = torch::empty({1}, torch::kMeta);
  if (c <= 0)
    t.item();
}
void copiedFlag(bool c) {
  bool lazy = c;
  at::Tensor t = torch::ones({1});
  if (lazy)
    t = torch::empty({1}, torch::kMeta);
  if (c)
    return;
  t.item();
}
void optionalTensor() {
  std::optional<at::Tensor> t;
  if (flag())
    t = torch::empty({1}, torch::kMeta);
  if (t.has_value() && !t->is_meta())
    t->item();
}
void uniquePointerToTensor() {
  auto p = std::make_unique<at::Tensor>(torch::empty({1}, torch::kMeta));
  *p = torch::ones({1});
  p->item();
}
void staticBuiltByALambda() {
  static Net m = [] {
    Net n = metasan::init_empty_weights([] { return Net(8); });
    metasan::load_checkpoint_in_model(n, "w");
    return n;
  }();
  m->to(torch::kCPU);
}
void loadInAFunctionObject() {
  Net m = metasan::init_empty_weights([] {
    Net n(8);
    return n;
  });
  std::function<void()> f = [&] { metasan::load_checkpoint_in_model(m, "w"); };
  f();
  m->to(torch::kCPU);
}
void loadThroughThePointer() {
  Net m = metasan::init_empty_weights([] { return Net(8); });
  auto n = m.ptr();
  n->load_weights("x");
  m->to(torch::kCPU);
}
void loadEachRound(std::vector<std::string> f) {
  Net m{nullptr};
  for (auto &x : f) {
    m = metasan::init_empty_weights([] { return Net(8); });
    metasan::load_checkpoint_in_model(m, x);
    m->to(torch::kCPU);
  }
}
int filledOrLeft(int x) {
  switch (x) {
  default: {
    at::Tensor t = torch::empty({1}, torch::kMeta);
    if (x) {
      t = make();
    } else {
      return 1;
    }
    t.item();
  }
  }
  return 0;
}
void loadAfterTheScope() {
  Net m{nullptr};
  {
    metasan::InitEmptyWeights s;
    m = Net(8);
    std::unique_ptr<int> p;
  }
  metasan::load_checkpoint_in_model(m, "w");
  m->to(torch::kCPU);
}
