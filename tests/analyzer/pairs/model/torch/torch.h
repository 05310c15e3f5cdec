// An executable model of what the pairs use of LibTorch and MetaSan: a tensor is nothing but its state, and what a program must not
// do is recorded. execute.py runs every twin against it, so that which twin is bad does not rest on reading alone.
#pragma once
#include <exception>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace model {

// What went wrong on this path, by rule.
inline std::set<std::string> violations;
inline void violated(const char *rule) { violations.insert(rule); }

// Every undecided answer of a path, so that all paths up to a length can be taken one after the other.
struct Choice {
  int taken, of;
};
inline std::vector<Choice> choices;
inline std::size_t position = 0;
constexpr std::size_t kMaxChoices = 8;
// Beyond the longest path the answer is `last`, which ends every loop.
inline int choose(int of, int last = 0) {
  if (position == kMaxChoices)
    return last;
  if (position == choices.size())
    choices.push_back({0, of});
  return choices[position++].taken;
}
inline bool next_path() {
  while (!choices.empty() && ++choices.back().taken == choices.back().of)
    choices.pop_back();
  position = 0;
  return !choices.empty();
}

struct OpenScope {
  int tensors = 0;
};
inline std::vector<OpenScope *> scopes;

enum class Memory { Written, Unwritten, None };

struct TensorState {
  Memory memory = Memory::Written;
  // Made under a scope, and so with a history that can be replayed unless it is random.
  bool declared = false, random = false;
  float values[16] = {};
};
inline std::map<const void *, TensorState *> by_address;

} // namespace model

namespace c10 {
enum class DeviceType : signed char { CPU, CUDA, Meta };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kMeta = DeviceType::Meta;
enum class ScalarType : signed char { Half, Float };
constexpr ScalarType kHalf = ScalarType::Half, kFloat = ScalarType::Float;

struct Device {
  DeviceType kind;
  Device(DeviceType kind) : kind(kind) {}
  bool is_meta() const { return kind == kMeta; }
  bool is_cpu() const { return kind == kCPU; }
  DeviceType type() const { return kind; }
  bool operator==(const Device &other) const { return kind == other.kind; }
};
struct TensorOptions {
  bool meta = false, has_device = false;
  TensorOptions() = default;
  TensorOptions(Device device) : meta(device.is_meta()), has_device(true) {}
  TensorOptions(DeviceType device) : TensorOptions(Device(device)) {}
  TensorOptions(ScalarType) {}
  TensorOptions device(Device device) const { return device; }
};
inline TensorOptions device(Device device) { return device; }
inline TensorOptions dtype(ScalarType) { return {}; }
} // namespace c10

#define TORCH_CHECK(condition, ...)                                                                \
  if (!(condition))                                                                                \
    throw std::runtime_error(__VA_ARGS__);

namespace at {
using namespace c10;
using IntArrayRef = std::initializer_list<long>;

struct Scalar {
  Scalar(double) {}
};
struct Storage {
  model::TensorState *state;
  std::size_t nbytes() const { return 64; }
  const void *data() const;
};
template <std::size_t N> struct Accessor {
  Accessor<N - 1> operator[](long) const { return {}; }
};
template <> struct Accessor<1> {
  float operator[](long) const { return 0; }
};

class Tensor {
public:
  Tensor() = default;
  Tensor(std::shared_ptr<model::TensorState> state, bool whole = true) : state_(std::move(state)), whole_(whole) {}

  model::TensorState &state() const {
    if (!state_)
      throw std::runtime_error("undefined tensor");
    return *state_;
  }
  bool defined() const { return state_ != nullptr; }
  bool is_meta() const { return state().memory == model::Memory::None; }
  bool is_cpu() const { return !is_meta(); }
  Device device() const { return is_meta() ? kMeta : kCPU; }
  long numel() const { return 16; }
  long dim() const { return 2; }
  long size(long) const { return 4; }
  long sizes() const { return 16; }
  long strides() const { return 1; }
  std::size_t nbytes() const { return 64; }
  Storage storage() const { return {&state()}; }

  void read() const {
    if (state().memory == model::Memory::Unwritten)
      model::violated("uninitialized-read");
  }
  // The values are needed by the program itself.
  void read_values() const {
    read();
    if (!is_meta() || (state().declared && !state().random))
      return;
    model::violated(model::scopes.empty() ? "meta-data-dependent" : "scope-misuse");
  }
  // A tensor with data, unless this one has none. What is computed is written.
  Tensor computed() const {
    read();
    auto result = std::make_shared<model::TensorState>(state());
    if (result->memory == model::Memory::Unwritten)
      result->memory = model::Memory::Written;
    return Tensor(result);
  }
  Tensor copied_out() const {
    if (is_meta())
      model::violated("meta-copy-out");
    read();
    return Tensor(std::make_shared<model::TensorState>());
  }
  const Tensor &written() const {
    if (whole_ && !is_meta())
      state().memory = model::Memory::Written;
    return *this;
  }

  template <class T> T item() const {
    read_values();
    return T(model::choose(2));
  }
  Tensor nonzero() const {
    read_values();
    return computed();
  }
  Tensor sum() const { return computed(); }
  Tensor norm() const { return computed(); }
  Tensor any() const { return computed(); }
  Tensor lt(const Scalar &) const { return computed(); }
  Tensor clone() const { return computed(); }
  Tensor detach() const { return *this; }
  Tensor view(IntArrayRef) const { return *this; }
  Tensor t() const { return *this; }
  Tensor operator[](long) const { return Tensor(state_, false); }

  Tensor to(const TensorOptions &options) const {
    if (!options.has_device)
      return computed();
    if (!options.meta)
      return copied_out();
    auto result = std::make_shared<model::TensorState>();
    result->memory = model::Memory::None;
    return Tensor(result);
  }
  Tensor cpu() const { return copied_out(); }

  const Tensor &copy_(const Tensor &source) const {
    source.read();
    if (is_meta() && !source.is_meta())
      model::violated("meta-write-lost");
    if (!is_meta() && source.is_meta())
      model::violated("meta-copy-out");
    return written();
  }
  const Tensor &zero_() const { return written(); }
  const Tensor &fill_(const Scalar &) const { return written(); }
  const Tensor &normal_() const { return written(); }

  // Memory that is not written yet may be asked for: to write it.
  float *memory() const {
    if (is_meta())
      model::violated("meta-raw-access");
    model::by_address[state().values] = &state();
    return state().values;
  }
  void *data_ptr() const { return memory(); }
  const void *const_data_ptr() const { return memory(); }
  template <class T> T *data_ptr() const { return memory(); }
  template <class T, std::size_t N> Accessor<N> accessor() const {
    memory();
    return {};
  }
  Tensor new_empty(IntArrayRef, const TensorOptions & = {}) const;

private:
  std::shared_ptr<model::TensorState> state_;
  bool whole_ = true;
};
inline const void *Storage::data() const {
  if (state->memory == model::Memory::None)
    model::violated("meta-raw-access");
  return state->values;
}
inline std::ostream &operator<<(std::ostream &out, const Tensor &tensor) {
  tensor.read_values();
  return out;
}

inline Tensor made(const TensorOptions &options, model::Memory memory, bool random = false) {
  auto state = std::make_shared<model::TensorState>();
  state->declared = !model::scopes.empty();
  state->random = random;
  state->memory = state->declared || options.meta ? model::Memory::None : memory;
  if (state->declared)
    ++model::scopes.back()->tensors;
  return Tensor(state);
}
inline Tensor empty(IntArrayRef, const TensorOptions &options = {}) { return made(options, model::Memory::Unwritten); }
inline Tensor ones(IntArrayRef, const TensorOptions &options = {}) { return made(options, model::Memory::Written); }
inline Tensor zeros(IntArrayRef, const TensorOptions &options = {}) { return made(options, model::Memory::Written); }
inline Tensor full(IntArrayRef, const Scalar &) { return made({}, model::Memory::Written); }
inline Tensor arange(const Scalar &) { return made({}, model::Memory::Written); }
inline Tensor linspace(const Scalar &, const Scalar &, long) { return made({}, model::Memory::Written); }
inline Tensor rand(IntArrayRef, const TensorOptions &options = {}) { return made(options, model::Memory::Written, true); }
inline Tensor randn(IntArrayRef, const TensorOptions &options = {}) { return made(options, model::Memory::Written, true); }
inline Tensor tensor(std::initializer_list<float>) { return Tensor(std::make_shared<model::TensorState>()); }
inline Tensor like(const Tensor &other, const TensorOptions &options, model::Memory memory) {
  return made(options.has_device ? options : TensorOptions(other.device()), memory);
}
inline Tensor zeros_like(const Tensor &other, const TensorOptions &options = {}) {
  return like(other, options, model::Memory::Written);
}
inline Tensor empty_like(const Tensor &other, const TensorOptions &options = {}) {
  return like(other, options, model::Memory::Unwritten);
}
inline Tensor Tensor::new_empty(IntArrayRef, const TensorOptions &) const { return empty_like(*this); }

inline Tensor combined(const std::vector<Tensor> &operands) {
  bool any_meta = false, any_real = false;
  for (const Tensor &operand : operands) {
    operand.read();
    (operand.is_meta() ? any_meta : any_real) = true;
  }
  if (any_meta && any_real)
    model::violated("meta-mixed");
  auto state = std::make_shared<model::TensorState>();
  state->memory = any_meta ? model::Memory::None : model::Memory::Written;
  return Tensor(state);
}
inline Tensor mm(const Tensor &a, const Tensor &b) { return combined({a, b}); }
inline Tensor matmul(const Tensor &a, const Tensor &b) { return combined({a, b}); }
inline Tensor operator+(const Tensor &a, const Tensor &b) { return combined({a, b}); }
inline Tensor cat(const std::vector<Tensor> &all) { return combined(all); }
} // namespace at

namespace torch {
using namespace at;
struct NoGradGuard {
  NoGradGuard() {}
};

namespace nn {
template <class Contained> class ModuleHolder;

class Module {
public:
  virtual ~Module() = default;
  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all = own_;
    for (const auto &part : parts_)
      for (const Tensor &parameter : part->parameters())
        all.push_back(parameter);
    return all;
  }
  bool has_empty() const {
    for (const Tensor &parameter : parameters())
      if (parameter.is_meta())
        return true;
    return false;
  }
  void load() {
    if (!model::scopes.empty())
      model::violated("scope-misuse");
    for (const Tensor &parameter : parameters())
      parameter.state() = {};
  }
  void dispatch() {
    dispatched_ = true;
    for (const auto &part : parts_)
      part->dispatch();
  }
  void to(ScalarType) {}
  void to(Device, ScalarType = kFloat) {
    if (dispatched_)
      model::violated("move-after-dispatch");
    if (has_empty())
      model::violated("meta-copy-out");
  }
  void eval() {}
  void train(bool = true) {}
  Tensor &register_parameter(std::string, Tensor tensor) {
    own_.push_back(std::move(tensor));
    return own_.back();
  }
  template <class M> std::shared_ptr<M> register_module(std::string, ModuleHolder<M> part) {
    parts_.push_back(part.ptr());
    return part.ptr();
  }

private:
  std::vector<Tensor> own_;
  std::vector<std::shared_ptr<Module>> parts_;
  bool dispatched_ = false;
};

template <class Contained> class ModuleHolder {
public:
  ModuleHolder() : impl_(std::make_shared<Contained>()) {}
  ModuleHolder(std::nullptr_t) {}
  ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}
  template <class Head, class... Tail>
    requires std::is_constructible_v<Contained, Head, Tail...>
  explicit ModuleHolder(Head &&head, Tail &&...tail)
      : impl_(std::make_shared<Contained>(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}
  const std::shared_ptr<Contained> &ptr() const {
    if (!impl_)
      throw std::runtime_error("empty holder");
    return impl_;
  }
  Contained *operator->() { return ptr().get(); }
  const Contained *operator->() const { return ptr().get(); }
  Contained &operator*() { return *ptr(); }
  template <class... Args> auto operator()(Args &&...args) { return ptr()->forward(args...); }

private:
  std::shared_ptr<Contained> impl_;
};
#define TORCH_MODULE(Name)                                                                         \
  class Name : public torch::nn::ModuleHolder<Name##Impl> {                                        \
  public:                                                                                          \
    using torch::nn::ModuleHolder<Name##Impl>::ModuleHolder;                                       \
  }

class LinearImpl : public Module {
public:
  LinearImpl(long, long)
      : weight(register_parameter("weight", rand({4, 4}))), bias(register_parameter("bias", rand({4}))) {}
  Tensor forward(const Tensor &input) { return combined({input, weight, bias}); }
  Tensor weight, bias;
};
TORCH_MODULE(Linear);
} // namespace nn

inline void save_one(const Tensor &tensor) {
  if (tensor.is_meta())
    model::violated("meta-saved");
}
inline void save(const Tensor &tensor, const char *) { save_one(tensor); }
template <class M> void save(const std::shared_ptr<M> &module, const char *) {
  for (const Tensor &parameter : module->parameters())
    save_one(parameter);
}
template <class M> void save(const nn::ModuleHolder<M> &module, const char *path) { save(module.ptr(), path); }
template <class M> void load(std::shared_ptr<M> &module, const char *) { module->load(); }
template <class M> void load(nn::ModuleHolder<M> &module, const char *) { module->load(); }
} // namespace torch

namespace metasan {
class InitEmptyWeights {
public:
  explicit InitEmptyWeights() { model::scopes.push_back(&scope_); }
  ~InitEmptyWeights() {
    std::erase(model::scopes, &scope_);
    if (scope_.tensors == 0)
      model::violated("scope-without-tensors");
  }
  InitEmptyWeights(const InitEmptyWeights &) = delete;

private:
  model::OpenScope scope_;
};

struct ModuleRef {
  torch::nn::Module *module;
  ModuleRef(torch::nn::Module &module) : module(&module) {}
  template <class M> ModuleRef(const std::shared_ptr<M> &module) : module(module.get()) {
    TORCH_CHECK(module, "empty pointer");
  }
  template <class M> ModuleRef(const torch::nn::ModuleHolder<M> &holder) : module(holder.ptr().get()) {}
};
struct DeviceMap {
  DeviceMap(c10::DeviceType) {}
};
enum class State { Declared, Materialized };

inline void name_tensors(ModuleRef) {}
template <class Builder> auto init_empty_weights(Builder &&builder) {
  InitEmptyWeights scope;
  return builder();
}
inline State state_of(const at::Tensor &tensor) { return tensor.is_meta() ? State::Declared : State::Materialized; }
inline State state_of(ModuleRef module) { return module.module->has_empty() ? State::Declared : State::Materialized; }
inline void dispatch_model(ModuleRef module, const DeviceMap &) {
  if (module.module->has_empty())
    model::violated("dispatch-without-weights");
  module.module->dispatch();
}
inline void load_checkpoint_in_model(ModuleRef module, const std::filesystem::path &) { module.module->load(); }
inline void load_checkpoint_and_dispatch(ModuleRef module, const std::filesystem::path &, const DeviceMap &) {
  module.module->load();
  module.module->dispatch();
}
} // namespace metasan

namespace model {
// A static local variable that every path makes anew; what it is made as under a scope, it stays.
inline std::map<int, at::Tensor> statics;
template <class Make> const at::Tensor &static_local(int line, Make make) {
  auto found = statics.find(line);
  if (found == statics.end()) {
    found = statics.emplace(line, make()).first;
    if (found->second.is_meta() && !scopes.empty())
      violated("scope-misuse");
  }
  return found->second;
}

// What a function that is not visible does, when it does what its name says.
inline void provide(at::Tensor &tensor) { tensor = at::zeros({4, 4}); }
template <class M> void provide(std::shared_ptr<M> &module) { module = std::make_shared<M>(); }
inline void provide(torch::nn::Linear &module) { module = torch::nn::Linear(4, 4); }
template <class Holder> void provide(Holder &module) { module = Holder(); }
} // namespace model
