// LibTorch's names and signatures, as far as the analysis looks at them.
#pragma once
#include <std/std.h>

namespace c10 {
enum class DeviceType : signed char { CPU = 0, CUDA = 1, Meta = 13 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
constexpr DeviceType kMeta = DeviceType::Meta;
enum class ScalarType : signed char { Half = 5, Float = 6, Bool = 11 };
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float;

struct Device {
  Device(DeviceType, signed char index = -1);
  Device(const std::string &);
  Device(const char *);
  bool is_meta() const noexcept;
  bool is_cpu() const noexcept;
  DeviceType type() const noexcept;
  bool operator==(const Device &) const noexcept;
  bool operator!=(const Device &) const noexcept;
};

struct TensorOptions {
  TensorOptions();
  TensorOptions(Device);
  TensorOptions(DeviceType);
  TensorOptions(ScalarType);
  TensorOptions device(std::optional<Device>) const;
  TensorOptions dtype(ScalarType) const;
  TensorOptions requires_grad(bool) const;
  Device device() const;
};
TensorOptions device(Device);
TensorOptions dtype(ScalarType);

namespace detail {
[[noreturn]] void torchCheckFail(const char *);
}
} // namespace c10

#define TORCH_CHECK(cond, ...)                                                                     \
  if (__builtin_expect(static_cast<bool>(!(cond)), 0)) {                                           \
    ::c10::detail::torchCheckFail(#cond);                                                          \
  }

namespace at {
using namespace c10;
struct IntArrayRef {
  IntArrayRef(std::initializer_list<int>);
  long operator[](std::size_t) const;
};
std::ostream &operator<<(std::ostream &, IntArrayRef);
struct Scalar {
  Scalar(double);
  template <class T> T to() const;
};

} // namespace at

namespace c10 {
struct Storage {
  const void *data() const;
  void *mutable_data() const;
  std::size_t nbytes() const;
};
} // namespace c10

namespace at {
template <class T, std::size_t N> struct TensorAccessor {
  TensorAccessor<T, N - 1> operator[](long) const;
};
template <class T> struct TensorAccessor<T, 1> {
  T &operator[](long) const;
};

class TensorBase {
public:
  TensorBase();
  TensorBase(const TensorBase &);
  TensorBase(TensorBase &&) noexcept;
  ~TensorBase() noexcept;
  bool is_meta() const;
  bool is_cpu() const;
  bool defined() const;
  Device device() const;
  TensorOptions options() const;
  long dim() const;
  long numel() const;
  long size(long) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  std::size_t nbytes() const;
  const Storage &storage() const;
  void *data_ptr() const;
  const void *const_data_ptr() const;
  void *mutable_data_ptr() const;
  template <class T> T *data_ptr() const;
  template <class T> const T *const_data_ptr() const;
  template <class T> T *mutable_data_ptr() const;
  template <class T, std::size_t N> TensorAccessor<T, N> accessor() const &;
  void print() const;
};

class Tensor : public TensorBase {
public:
  Tensor();
  Tensor(const Tensor &);
  Tensor(Tensor &&) noexcept;
  Tensor &operator=(const Tensor &) & noexcept;
  Tensor &operator=(Tensor &&) & noexcept;
  Tensor &operator=(const Tensor &) && noexcept;
  Scalar item() const;
  template <class T> T item() const;
  bool equal(const Tensor &) const;
  bool allclose(const Tensor &) const;
  Tensor nonzero() const;
  bool is_nonzero() const;
  Tensor masked_select(const Tensor &) const;
  Tensor to(TensorOptions, bool non_blocking = false) const;
  Tensor to(Device, ScalarType) const;
  Tensor to(ScalarType) const;
  Tensor to(const Tensor &other) const;
  Tensor cpu() const;
  Tensor cuda() const;
  Tensor clone() const;
  Tensor detach() const;
  Tensor view(IntArrayRef) const;
  Tensor expand_as(const Tensor &) const;
  Tensor t() const;
  Tensor add(const Tensor &) const;
  Tensor mul(const Tensor &) const;
  Tensor matmul(const Tensor &) const;
  Tensor sum() const;
  Tensor mean() const;
  Tensor norm() const;
  Tensor all() const;
  Tensor any() const;
  Tensor gt(const Scalar &) const;
  Tensor lt(const Scalar &) const;
  Tensor contiguous() const;
  Tensor reshape(IntArrayRef) const;
  Tensor narrow(long dim, long start, long length) const;
  Tensor select(long dim, long index) const;
  Tensor &copy_(const Tensor &, bool non_blocking = false) const;
  Tensor &zero_() const;
  Tensor &fill_(const Scalar &) const;
  Tensor &normal_(double mean = 0, double std = 1) const;
  Tensor &uniform_(double from = 0, double to = 1) const;
  Tensor &add_(const Tensor &) const;
  Tensor &mul_(const Tensor &) const;
  void set_data(const TensorBase &) const;
  Tensor new_zeros(IntArrayRef, TensorOptions = {}) const;
  Tensor new_empty(IntArrayRef, TensorOptions = {}) const;
  Tensor operator[](long) const;
};
std::ostream &operator<<(std::ostream &, const Tensor &);

Tensor empty(IntArrayRef, TensorOptions = {});
Tensor ones(IntArrayRef, TensorOptions = {});
Tensor zeros(IntArrayRef, TensorOptions = {});
Tensor zeros(IntArrayRef, std::optional<ScalarType>, std::optional<Device>);
Tensor full(IntArrayRef, const Scalar &, TensorOptions = {});
Tensor rand(IntArrayRef, TensorOptions = {});
Tensor randn(IntArrayRef, TensorOptions = {});
Tensor arange(const Scalar &, TensorOptions = {});
Tensor linspace(const Scalar &, const Scalar &, long, TensorOptions = {});
Tensor from_blob(void *, IntArrayRef, TensorOptions = {});
Tensor empty_like(const Tensor &, TensorOptions = {});
Tensor zeros_like(const Tensor &, TensorOptions = {});
Tensor tensor(double, TensorOptions = {});
Tensor tensor(std::initializer_list<float>, TensorOptions = {});
Tensor add(const Tensor &, const Tensor &);
Tensor operator+(const Tensor &, const Tensor &);
Tensor operator*(const Tensor &, const Tensor &);
Tensor mm(const Tensor &, const Tensor &);
Tensor matmul(const Tensor &, const Tensor &);
Tensor cat(const std::vector<Tensor> &, long dim = 0);
Tensor stack(const std::vector<Tensor> &, long dim = 0);
Tensor sum(const Tensor &);
Tensor relu(const Tensor &);
bool equal(const Tensor &, const Tensor &);
bool allclose(const Tensor &, const Tensor &);
Tensor nonzero(const Tensor &);
} // namespace at

namespace torch {
using namespace at;
using c10::Device;
using Dtype = c10::ScalarType;
struct NoGradGuard {
  NoGradGuard();
  ~NoGradGuard();
};

namespace nn {
template <class Contained> class ModuleHolder;

class Module {
public:
  explicit Module(std::string name);
  Module();
  virtual ~Module();
  virtual void to(torch::Device device, torch::Dtype dtype, bool non_blocking = false);
  virtual void to(torch::Dtype dtype, bool non_blocking = false);
  virtual void to(torch::Device device, bool non_blocking = false);
  std::vector<Tensor> parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  virtual void train(bool on = true);
  void eval();
  Tensor &register_parameter(std::string name, Tensor tensor);
  Tensor &register_buffer(std::string name, Tensor tensor);
  template <class M> std::shared_ptr<M> register_module(std::string name, std::shared_ptr<M> module);
  template <class M> std::shared_ptr<M> register_module(std::string name, ModuleHolder<M> module);
};

template <class Contained> class ModuleHolder {
protected:
  std::shared_ptr<Contained> impl_;

public:
  ModuleHolder();
  ModuleHolder(std::nullptr_t);
  template <class Head, class... Tail> explicit ModuleHolder(Head &&head, Tail &&...tail);
  ModuleHolder(std::shared_ptr<Contained> module);
  explicit operator bool() const noexcept;
  Contained *operator->();
  const Contained *operator->() const;
  Contained &operator*();
  const std::shared_ptr<Contained> &ptr() const;
  Contained *get();
  template <class... Args> auto operator()(Args &&...args) { return impl_->forward(args...); }
};

#define TORCH_MODULE_IMPL(Name, ImplType)                                                          \
  class Name : public torch::nn::ModuleHolder<ImplType> {                                          \
  public:                                                                                          \
    using torch::nn::ModuleHolder<ImplType>::ModuleHolder;                                         \
    using Impl = ImplType;                                                                         \
  }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)

class LinearImpl : public Module {
public:
  LinearImpl(int in, int out);
  Tensor forward(const Tensor &);
  Tensor weight, bias;
};
TORCH_MODULE(Linear);
} // namespace nn

template <class Value, class... Args> void load(Value &value, Args &&...args);
template <class Value, class... Args> void save(const Value &value, Args &&...args);
} // namespace torch
