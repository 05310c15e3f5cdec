// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

struct Pair {
  at::Tensor a, b;
};

void aggregate() {
  Pair p{torch::empty({1}, torch::kMeta), torch::ones({1})};
  p.b.item();
  p.a.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 'p.a' has no data
}
void copied() {
  Pair p{torch::empty({1}, torch::kMeta), torch::ones({1})};
  Pair q = p;
  q.a.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 'q.a' has no data
}
void assigned() {
  Pair p{torch::empty({1}, torch::kMeta), torch::ones({1})}, q;
  q = p;
  q.a.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 'q.a' has no data
}
void bound() {
  std::pair<at::Tensor, int> p{torch::empty({1}, torch::kMeta), 1};
  auto [x, y] = p;
  x.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 'x' has no data
}
void array() {
  at::Tensor ts[2] = {torch::empty({1}, torch::kMeta), torch::ones({1})};
  ts[1].item();
  ts[0].item();
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: tensor 'ts[0]' has no data
}
void vector(int i) {
  std::vector<at::Tensor> ts;
  ts.push_back(torch::empty({1}, torch::kMeta));
  ts.push_back(torch::ones({1}));
  ts[i].item();
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: tensor 'ts[i]' may have no data
}
void rangeFor() {
  std::vector<at::Tensor> ts;
  ts.push_back(torch::empty({1}, torch::kMeta));
  for (auto &t : ts)
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
}
void optional() {
  std::optional<at::Tensor> t = torch::empty({1}, torch::kMeta);
  t->item();
  // CHECK-MESSAGES: :[[@LINE-1]]:6: warning: tensor 't' has no data
}

struct Base {
  at::Tensor w;
};
struct Derived : Base {
  void direct() {
    w = torch::empty({1}, torch::kMeta);
    w.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 'w' has no data
  }
  void throughBase() {
    this->Base::w = torch::empty({1}, torch::kMeta);
    Base &b = *this;
    b.w.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: tensor 'b.w' has no data
  }
  void reset();
  int count() const;
  void resetInBetween() {
    w = torch::empty({1}, torch::kMeta);
    reset();
    w.item();
  }
  void constCallInBetween() {
    w = torch::empty({1}, torch::kMeta);
    count();
    w.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 'w' has no data
  }
};

struct InitList {
  at::Tensor t;
  InitList() : t(torch::empty({1}, torch::kMeta)) {
    t.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
  }
};
struct DefaultInit {
  at::Tensor t = torch::empty({1}, torch::kMeta);
  DefaultInit() {
    t.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
  }
};
