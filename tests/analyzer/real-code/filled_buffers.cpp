// Memory that is allocated first and filled afterwards, in all the ways there are.
#include <torch/torch.h>

namespace filled_buffers {
using torch::Tensor;
template <class T>
void keep(const T&);
void a1() {
  auto t = torch::empty({3}).pin_memory();
  t.copy_(torch::ones({3}));
  keep(t.sum());
}
void a2() {
  auto t = torch::empty({3}).requires_grad_();
  torch::nn::init::xavier_uniform_(t);
  keep(t.sum());
}
void a3() {
  auto t = torch::empty({3}).uniform_();
  keep(t.sum());
}
void a4() {
  auto t = torch::empty({3});
  t.set_requires_grad(true);
  t.fill_(1);
  keep(t.sum());
}
void a5() {
  auto t = torch::empty({3});
  t.unsqueeze_(0);
  t.zero_();
  keep(t.sum());
}
void a6() {
  auto t = torch::empty({3, 3});
  t.narrow(0, 0, 2).copy_(torch::ones({2, 3}));
  keep(t.sum());
}
void a7() {
  auto t = torch::empty({3, 3});
  t.index_put_({torch::indexing::Slice()}, 1.0);
  keep(t.sum());
}
void a8() {
  auto t = torch::empty({3, 3});
  t.slice(0, 0, 1) = torch::ones({1, 3});
  keep(t.sum());
}
void a9() {
  auto t = torch::empty({3, 3});
  auto acc = t.accessor<float, 2>();
  acc[0][0] = 1;
  keep(t.sum());
}
void b1() {
  auto t = torch::empty({0});
  keep(torch::cat({t, torch::ones({2})}));
}
void b2() {
  auto t = torch::empty(0);
  keep(torch::cat({t, torch::ones({2})}));
}
void b3() {
  auto out = torch::empty({4});
  torch::cat_out(out, {torch::ones({2}), torch::ones({2})});
  keep(out.sum());
}
void b4(int n) {
  auto t = torch::empty({n});
  int i = 0;
  while (i < n) {
    t[i] = i;
    ++i;
  }
  keep(t.sum());
}
void b5(int n) {
  auto t = torch::empty({n});
  for (int i = 0; i < n; ++i)
    t[i] = i;
  keep(t.sum());
}
void b6() {
  auto t = torch::empty({3});
  t.resize_({4});
  t.random_(0, 10);
  keep(t.sum());
}
void b7() {
  auto t = torch::empty({3});
  t.data().fill_(2);
  keep(t.sum());
}
void b8() {
  auto t = torch::empty({3});
  {
    torch::NoGradGuard g;
    t.normal_(0, 1);
  }
  keep(t.sum());
}
void b9() {
  auto t = torch::empty({3});
  torch::arange_out(t, 3);
  keep(t.sum());
}
void c1() {
  auto t = torch::empty({2, 2});
  t.diagonal().fill_(1);
  keep(t.sum());
}
void c2() {
  auto t = torch::empty({2, 2});
  t.masked_fill_(torch::ones({2, 2}, torch::kBool), 0);
  keep(t.sum());
}
struct M : torch::nn::Module {
  Tensor w, b, run;
  M() {
    w = register_parameter("w", torch::empty({3, 3}));
    b = register_parameter("b", torch::empty({3}));
    run = register_buffer("run", torch::empty({3}));
    reset();
  }
  void reset() {
    torch::nn::init::kaiming_uniform_(w, std::sqrt(5));
    torch::nn::init::zeros_(b);
    run.zero_();
  }
  Tensor forward(const Tensor& x) { return torch::linear(x, w, b) + run; }
};
void c3() {
  M m;
  keep(m.forward(torch::ones({3})));
  m.to(torch::kCPU);
  torch::save(m.w, "x");
}
void c4() {
  auto m = std::make_shared<M>();
  keep(m->forward(torch::ones({3})));
}
void c5(bool c) {
  Tensor t;
  if (c)
    t = torch::empty({3});
  else
    t = torch::ones({3});
  t.copy_(torch::ones({3}));
  keep(t.sum());
}
void c6() {
  std::vector<Tensor> v;
  for (int i = 0; i < 3; ++i)
    v.push_back(torch::empty({3}));
  for (auto& t : v)
    t.zero_();
  keep(v[0].sum());
}
void c7() {
  auto t = torch::empty({3});
  auto u = t.clone();
  t.zero_();
  keep(t.sum());
}
void c8() {
  auto t = torch::empty({3});
  auto v = t.view({3, 1});
  v.zero_();
  keep(t.sum());
}
void c9() {
  auto t = torch::empty({3});
  float* p = t.data_ptr<float>();
  p[0] = 1;
  keep(t.sum());
}
void d1() {
  auto t = torch::empty({3});
  std::memcpy(t.mutable_data_ptr<float>(), nullptr, 0);
  keep(t.sum());
}
void d2() {
  auto t = torch::empty({3}, torch::kFloat).to(torch::kCPU);
  t.zero_();
  keep(t.sum());
}
void d3() {
  auto t = torch::empty_like(torch::ones({3}));
  t.exponential_();
  keep(-t.log());
}
void d4() {
  auto t = torch::empty({3});
  t.set_data(torch::ones({3}));
  keep(t.sum());
}
void d5() {
  auto t = torch::empty({3});
  keep(t.sizes().size() + t.numel() + t.dim() + t.stride(0));
  keep(t.dtype() == torch::kFloat);
  keep(t.defined());
}
void d6() {
  auto t = torch::empty({3});
  auto z = torch::zeros_like(t);
  keep(z.sum());
  keep(torch::ones({3}).expand_as(t).sum());
  keep(torch::ones({3}).view_as(t).sum());
}
void d7() {
  auto t = torch::empty({3});
  keep(torch::ones({3}).to(t.device()).sum());
  keep(torch::ones({3}).type_as(t).sum());
  keep(torch::ones({3}, t.options()).sum());
}
void d8() {
  auto h = torch::empty({2});
  auto c = torch::empty({2});
  std::tie(h, c) = std::make_tuple(torch::ones({2}), torch::ones({2}));
  keep(h.sum() + c.sum());
}
void d9() {
  auto t = torch::empty({2});
  t = torch::ones({2});
  t += 1;
  t *= 2;
  keep(t.sum());
}
void e1() {
  auto t = torch::empty({2});
  t.index({0}) = 1;
  t.index({1}) = 2;
  keep(t.sum());
}
void e2() {
  auto t = torch::empty({2});
  torch::nn::init::constant_(t, 1.);
  keep(t.sum());
}
void e3() {
  auto t = torch::empty({2});
  auto [a, b] = torch::max(torch::ones({2, 2}), 0);
  t = a;
  keep(t.sum());
}
void e4() {
  auto t = torch::empty({2});
  torch::add_out(t, torch::ones({2}), torch::ones({2}));
  keep(t.sum());
}
void e5() {
  Tensor t = torch::empty({2});
  auto f = [&] { t.zero_(); };
  f();
  keep(t.sum());
}
void e6() {
  auto t = torch::empty({2});
  std::vector<Tensor> l{t};
  l[0].zero_();
  keep(t.sum());
}
void e7() {
  auto p = torch::empty({2});
  torch::optim::SGD o({p}, 0.1);
  p.zero_();
  o.step();
  keep(p.sum());
}
void e8() {
  auto t = torch::empty({2, 2});
  for (auto& r : t.unbind(0))
    r.zero_();
  keep(t.sum());
}
void e9() {
  auto t = torch::empty({2, 2});
  auto parts = t.chunk(2);
  parts[0].zero_();
  keep(t.sum());
}
}  // namespace filled_buffers
