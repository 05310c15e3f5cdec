// Every kind of thing that can hold a tensor, with the real containers.
// RUN: %check_clang_tidy %s metasan-* %t -- %torch_flags
// REQUIRES: torch-headers
#include <metasan/metasan.h>
#include <torch/torch.h>

#include <map>
template <class T>
void keep(const T&);
using torch::Tensor;
// maps
void map1() {
  std::map<std::string, Tensor> m;
  m["w"] = torch::empty({1}, torch::kMeta);
  m["w"].item();
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: tensor 'm["w"]' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void map2() {
  std::map<std::string, Tensor> m;
  m["w"] = torch::empty({1}, torch::kMeta);
  m.at("w").item();
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: tensor 'm.at("w")' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void map3() {
  std::map<std::string, Tensor> m;
  m["w"] = torch::empty({1}, torch::kMeta);
  for (auto& [k, v] : m) v.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:28: warning: tensor 'v' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void map4() {
  std::map<std::string, Tensor> m;
  m["w"] = torch::empty({1}, torch::kMeta);
  m["w"] = torch::ones({1});
  m["w"].item();
}
void map5() {
  std::map<std::string, Tensor> m;
  m.emplace("w", torch::empty({1}, torch::kMeta));
  auto it = m.find("w");
  it->second.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: tensor 'it->second' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void opt() {
  std::optional<Tensor> o = torch::empty({1}, torch::kMeta);
  o->item();
  // CHECK-MESSAGES: :[[@LINE-1]]:6: warning: tensor 'o' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void opt2() {
  std::optional<Tensor> o;
  o = torch::empty({1}, torch::kMeta);
  o.value().item();
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: tensor 'o.value()' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void tup() {
  auto t = std::make_tuple(torch::empty({1}, torch::kMeta), 1);
  std::get<0>(t).item();
  // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: tensor 'std::get<0>(t)' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void tup2() {
  auto [a, b] = std::make_tuple(torch::empty({1}, torch::kMeta), torch::ones({1}));
  a.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 'a' has no data: 'item' needs its values [metasan-meta-data-dependent]
  b.item();
}
void tup3() {
  auto [a, b] = std::make_pair(torch::empty({1}, torch::kMeta), torch::ones({1}));
  b.item();
  a.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 'a' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
std::pair<Tensor, Tensor> both() {
  return {torch::empty({1}, torch::kMeta), torch::ones({1})};
}
void tup4() {
  auto [a, b] = both();
  b.item();
  a.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 'a' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
struct S {
  Tensor a;
  Tensor b;
};
S mk() {
  S s;
  s.a = torch::empty({1}, torch::kMeta);
  s.b = torch::ones({1});
  return s;
}
void rec() {
  S s = mk();
  s.b.item();
  s.a.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 's.a' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void rec2() {
  auto s = mk();
  auto& r = s;
  r.a = torch::ones({1});
  s.a.item();
}
void setp(Tensor* p) {
  *p = torch::ones({1});
}
void setr(Tensor& p) {
  p = torch::empty({1}, torch::kMeta);
}
void ptr() {
  Tensor t = torch::empty({1}, torch::kMeta);
  setp(&t);
  t.item();
}
void ref() {
  Tensor t = torch::ones({1});
  setr(t);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void use(const Tensor& t) {
  t.item();
}
void use2(const Tensor& t) {
  use(t);
}
void chain() {
  Tensor t = torch::empty({1}, torch::kMeta);
  use2(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: tensor 't' has no data: 'item' in 'use2' needs its values [metasan-meta-data-dependent]
}
void rec3(const Tensor& t, int n) {
  if (n == 0)
    t.item();
  else
    rec3(t, n - 1);
}
void recursion() {
  Tensor t = torch::empty({1}, torch::kMeta);
  rec3(t, 3);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: tensor 't' has no data: 'item' in 'rec3' needs its values [metasan-meta-data-dependent]
}
Tensor mkrec(int n) {
  if (n > 0) return mkrec(n - 1);
  return torch::empty({1}, torch::kMeta);
}
void recret() {
  mkrec(3).item();
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: tensor 'mkrec(3)' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void vec() {
  std::vector<Tensor> v;
  v.push_back(torch::empty({1}, torch::kMeta));
  for (const auto& t : v) t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:29: warning: tensor 't' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void vecs(std::vector<Tensor>& v) {
  for (auto& t : v) t.item();
}
void vec2() {
  std::vector<Tensor> v{torch::empty({1}, torch::kMeta)};
  vecs(v);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: tensor 't' has no data: 'item' in 'vecs' needs its values [metasan-meta-data-dependent]
}
void fill(std::vector<Tensor>& v) {
  v.push_back(torch::empty({1}, torch::kMeta));
}
void vec3() {
  std::vector<Tensor> v;
  fill(v);
  v[0].item();
  // CHECK-MESSAGES: :[[@LINE-1]]:8: warning: tensor 'v[0]' may have no data: 'item' needs its values [metasan-meta-data-dependent]
}
Tensor g;
void setg() {
  g = torch::empty({1}, torch::kMeta);
}
void useg() {
  g.item();
}
void glob() {
  setg();
  useg();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: tensor 'g' has no data: 'item' in 'useg' needs its values [metasan-meta-data-dependent]
}
void unknown(Tensor&);
void glob2() {
  setg();
  unknown(g);
  useg();
}
struct B {
  virtual ~B() = default;
  virtual void f(const Tensor& t) = 0;
};
struct D1 : B {
  void f(const Tensor& t) override {
    t.item();
  }
};
struct D2 : B {
  void f(const Tensor& t) override {
    keep(t.dim());
  }
};
void virt(B& b) {
  Tensor t = torch::empty({1}, torch::kMeta);
  b.f(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' may have no data: 'item' in 'f' needs its values [metasan-meta-data-dependent]
}
void fn() {
  Tensor t = torch::empty({1}, torch::kMeta);
  std::function<void()> f = [&] { t = torch::ones({1}); };
  f();
  t.item();
}
struct Cls {
  Tensor w;
  Cls() : w(torch::empty({1}, torch::kMeta)) {
  }
  void load() {
    w = torch::ones({1});
  }
  float read() const {
    return w.item<float>();
  }
};
void cls1() {
  Cls c;
  keep(c.read());
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: tensor 'w' of 'c' has no data: 'item' in 'read' needs its values [metasan-meta-data-dependent]
}
void cls2() {
  Cls c;
  c.load();
  keep(c.read());
}
void cls3() {
  auto c = std::make_unique<Cls>();
  keep(c->read());
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: tensor 'w' of 'c' has no data: 'item' in 'read' needs its values [metasan-meta-data-dependent]
}
void cls4() {
  std::shared_ptr<Cls> c = std::make_shared<Cls>();
  c->load();
  keep(c->read());
}
torch::Device where() {
  return torch::kMeta;
}
void dev() {
  torch::empty({1}, where()).item();
  // CHECK-MESSAGES: :[[@LINE-1]]:30: warning: tensor 'torch::empty({1}, where())' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
torch::TensorOptions opts(torch::Device d) {
  return torch::TensorOptions().device(d);
}
void dev2() {
  auto o = torch::TensorOptions().dtype(torch::kFloat);
  o = o.device(torch::kMeta);
  torch::empty({1}, o).item();
  // CHECK-MESSAGES: :[[@LINE-1]]:24: warning: tensor 'torch::empty({1}, o)' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
