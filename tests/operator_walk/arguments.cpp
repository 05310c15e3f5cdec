#include "tests/operator_walk/arguments.h"

#include "tests/operator_walk/random.h"

#include <ATen/Context.h>
#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace metasan::operator_walk {
namespace {

using Sizes = std::vector<int64_t>;

/// Shapes that fit operators whose sizes must differ: gates of recurrent cells, ratios of pooling,
/// tall matrices, groups.
const std::array kOddShapes{
    Sizes{4, 1}, Sizes{1, 4},    Sizes{2, 4},    Sizes{4, 2},       Sizes{8, 4},
    Sizes{3, 3}, Sizes{16, 4},   Sizes{12, 4},   Sizes{16},         Sizes{12},
    Sizes{8},    Sizes{3},       Sizes{1},       Sizes{2, 4, 4},    Sizes{2, 2, 4},
    Sizes{2, 3}, Sizes{4, 3},    Sizes{4, 1, 1}, Sizes{2, 4, 1, 1}, Sizes{1, 1, 4, 4},
    Sizes{0},    Sizes{2, 2, 3}, Sizes{4, 4, 2}, Sizes{2, 2, 3, 3}, Sizes{2, 4, 4, 4},
    Sizes{2},    Sizes{4, 8, 8}, Sizes{2, 8, 2}, Sizes{1, 1, 1},    Sizes{2, 2, 4, 4, 4}};

constexpr std::array kDtypes{at::kFloat, at::kLong, at::kBool, at::kComplexFloat,
                             at::kInt,   at::kByte, at::kHalf, at::kDouble};

/// Names of tensors whose values are indices, and of those that are masks.
constexpr std::array<std::string_view, 12> kIndexNames{
    "ind",  "offset", "length", "batch_sizes", "repeats", "pivots",
    "perm", "bag_",   "size",   "max_values",  "offs",    "bucket"};
constexpr std::array<std::string_view, 3> kMaskNames{"mask", "cond", "found_inf_mask"};
constexpr std::array<std::string_view, 6> kVectorNames{"bias",    "weight", "mean",
                                                       "running", "invstd", "var"};

constexpr std::array<const char*, 26> kStrings{
    "mean",  "sum",   "none",    "reflect",  "constant", "replicate", "circular",
    "ij",    "left",  "linear",  "amax",     "prod",     "fro",       "nuc",
    "L",     "U",     "reduced", "complete", "forward",  "zeros",     "gelsd",
    "floor", "trunc", "valid",   "tanh",     "ij,jk->ik"};

bool contains_any(std::string_view name, const auto& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

/// The arguments of one attempt: what they have in common, and how each is made.
class Generator {
 public:
  Generator(const c10::FunctionSchema& schema, int attempt)
      : random_(schema.name() + '.' + schema.overload_name(), attempt),
        side_(random_.one_of(std::array{4, 4, 4, 2, 3, 1})),
        dimensions_(random_.one_of(std::array{2, 2, 3, 4, 1, 5, 3, 4, 0})),
        dtype_(random_.chance(0.65) ? at::kFloat : random_.one_of(kDtypes)),
        list_size_(random_.chance(0.7) ? 2 : random_.up_to(3) + 1),
        optional_tensors_(random_.one_of(std::array{0.9, 0.5, 0.05})),
        faithful_(random_.one_of(std::array{1.0, 0.85, 0.6})) {}

  void seed_values(Values values) {
    values_ = values;
    at::manual_seed(random_.bits() + static_cast<std::uint64_t>(values));
  }

  c10::IValue make(const c10::Argument& argument) {
    if (argument.default_value() && !argument.default_value()->isNone() && random_.chance(0.75)) {
      return *argument.default_value();
    }
    return value(argument.real_type(), argument);
  }

 private:
  c10::IValue value(const c10::TypePtr& type, const c10::Argument& argument) {
    switch (type->kind()) {
      case c10::TypeKind::OptionalType:
        return optional(type->castRaw<c10::OptionalType>()->getElementType(), argument);
      case c10::TypeKind::ListType:
        return list(type->castRaw<c10::ListType>()->getElementType(), argument);
      case c10::TypeKind::TensorType:
        return tensor(argument.name());
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType:
        return integer(argument.name());
      case c10::TypeKind::FloatType:
        return random_.one_of(std::array{1.0, 0.5, 0.0, 2.0});
      case c10::TypeKind::BoolType:
        return random_.chance(0.5);
      case c10::TypeKind::NumberType:
        return random_.chance(0.5) ? c10::IValue(int64_t{random_.up_to(3) + 1})
                                   : c10::IValue(random_.one_of(std::array{0.5, 1.0}));
      case c10::TypeKind::StringType:
        return std::string(random_.one_of(kStrings));
      case c10::TypeKind::DeviceObjType:
        return c10::Device(c10::kCPU);
      case c10::TypeKind::ScalarTypeType:
        return static_cast<int64_t>(random_.chance(0.8) ? at::kFloat : dtype_);
      case c10::TypeKind::LayoutType:
        return static_cast<int64_t>(c10::Layout::Strided);
      case c10::TypeKind::MemoryFormatType:
        return static_cast<int64_t>(c10::MemoryFormat::Contiguous);
      default:
        throw CannotGenerate("an argument of type " + type->repr_str());
    }
  }

  c10::IValue optional(const c10::TypePtr& element, const c10::Argument& argument) {
    const auto kind = element->kind();
    const bool tensors = kind == c10::TypeKind::TensorType;
    // What says where and how a result is made: the default is right, and a generator of random
    // numbers would have to be seeded.
    const bool options = kind == c10::TypeKind::GeneratorType ||
                         kind == c10::TypeKind::DeviceObjType ||
                         kind == c10::TypeKind::LayoutType ||
                         kind == c10::TypeKind::MemoryFormatType || argument.name() == "pin_memory";
    if (options || random_.chance(tensors ? 1 - optional_tensors_ : 0.7)) {
      return {};
    }
    return value(element, argument);
  }

  c10::IValue list(const c10::TypePtr& element, const c10::Argument& argument) {
    switch (element->kind()) {
      case c10::TypeKind::TensorType: {
        c10::List<at::Tensor> tensors;
        for (int i = 0; i < count(argument, list_size_); ++i) {
          tensors.push_back(tensor(argument.name()));
        }
        return tensors;
      }
      case c10::TypeKind::OptionalType: {
        c10::List<std::optional<at::Tensor>> tensors;
        for (int i = 0; i < std::min(list_size_, std::max(dimensions_, 1)); ++i) {
          tensors.push_back(i > 0 && random_.chance(0.3) ? std::nullopt
                                                         : std::optional(tensor(argument.name())));
        }
        return tensors;
      }
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType:
        return integers(argument);
      case c10::TypeKind::FloatType:
        return c10::List<double>(std::vector<double>(count(argument, list_size_), 1.0));
      case c10::TypeKind::BoolType: {
        c10::List<bool> flags;
        for (int i = 0; i < count(argument, list_size_); ++i) {
          flags.push_back(true);
        }
        return flags;
      }
      case c10::TypeKind::NumberType: {
        c10::List<at::Scalar> numbers;
        for (int i = 0; i < count(argument, list_size_); ++i) {
          numbers.push_back(at::Scalar(2.0));
        }
        return c10::IValue(numbers);
      }
      default:
        throw CannotGenerate("an argument of type " + element->repr_str() + "[]");
    }
  }

  int count(const c10::Argument& argument, int otherwise) const {
    return argument.N() ? static_cast<int>(*argument.N()) : otherwise;
  }

  c10::IValue integer(const std::string& name) {
    if (name.find("dtype") != std::string::npos) {
      return static_cast<int64_t>(at::kFloat);
    }
    if (name == "layout") {
      return static_cast<int64_t>(c10::Layout::Strided);
    }
    if (name.find("dim") != std::string::npos || name.find("axis") != std::string::npos) {
      return random_.one_of(std::array<int64_t, 4>{0, 1, -1, 2});
    }
    return random_.one_of(std::array<int64_t, 9>{1, 1, side_, 0, 2, -1, 3, 8, 16});
  }

  c10::IValue integers(const c10::Argument& argument) {
    const auto& name = argument.name();
    const int fixed = count(argument, 0);
    if (fixed > 1 && random_.chance(0.85)) {
      if (name.find("pad") != std::string::npos) {
        return c10::List<int64_t>(Sizes(fixed, random_.chance(0.7) ? 0 : 1));
      }
      return c10::List<int64_t>(
          Sizes(fixed, random_.one_of(std::array<int64_t, 5>{1, 1, side_, 2, 4})));
    }
    if (name.find("dim") != std::string::npos) {
      static const std::array kDims{Sizes{0}, Sizes{1},    Sizes{-1},      Sizes{0, 1},
                                    Sizes{},  Sizes{1, 0}, Sizes{0, 1, 2}, Sizes{-2, -1}};
      return c10::List<int64_t>(random_.one_of(kDims));
    }
    if (random_.chance(0.4)) {
      return c10::List<int64_t>(cube(dimensions_));
    }
    if (random_.chance(0.5)) {
      return c10::List<int64_t>(
          Sizes(random_.up_to(5) + 1, random_.one_of(std::array<int64_t, 5>{1, 0, 2, side_, -1})));
    }
    static const std::array kLists{Sizes{0, 1}, Sizes{1, 0},    Sizes{-1, 4},   Sizes{2, -1},
                                   Sizes{2, 4}, Sizes{1, 4},    Sizes{0, 1, 2}, Sizes{},
                                   Sizes{16},   Sizes{1, 1, 2}, Sizes{4, 1},    Sizes{1, 0, 2}};
    return c10::List<int64_t>(random_.one_of(kLists));
  }

  Sizes cube(int dimensions) const { return Sizes(dimensions, side_); }

  at::Tensor tensor(const std::string& name) {
    auto dtype = dtype_;
    auto sizes = cube(dimensions_);
    if (!random_.chance(faithful_)) {
      if (random_.chance(0.5)) {
        sizes = random_.chance(0.5) ? random_.one_of(kOddShapes) : cube(random_.up_to(5));
      }
      if (random_.chance(0.35)) {
        dtype = random_.one_of(kDtypes);
      }
    }
    if (contains_any(name, kVectorNames) && random_.chance(0.5)) {
      sizes = cube(1);
    }
    if (random_.chance(0.9)) {
      if (contains_any(name, kIndexNames) || (name == "target" && random_.chance(0.4))) {
        dtype = random_.chance(0.8) ? at::kLong : at::kInt;
        if (random_.chance(0.4)) {
          sizes = cube(1);
        }
      } else if (contains_any(name, kMaskNames) && random_.chance(0.7)) {
        dtype = at::kBool;
      }
    }
    return tensor(sizes, dtype);
  }

  at::Tensor tensor(const Sizes& sizes, at::ScalarType dtype) {
    if (dtype == at::kBool || at::isIntegralType(dtype, false)) {
      // Small, so that they are indices too.
      const int64_t bound = dtype == at::kByte ? 5 : 2;
      return fresh(at::randint(0, bound, sizes, at::TensorOptions().dtype(at::kLong)).to(dtype));
    }
    auto values = at::rand(
        sizes, at::TensorOptions().dtype(dtype == at::kHalf ? at::ScalarType(at::kFloat) : dtype));
    const auto dims = sizes.size();
    if (dims >= 2 && sizes[dims - 1] == sizes[dims - 2] && random_.chance(0.3)) {
      // Symmetric and positive definite, as factorizations and inverses want it.
      values = at::matmul(values, values.mH()).add(at::eye(sizes.back(), values.options()), 4);
    } else if (values_ == Values::Second) {
      values = values.sub(0.5);
    }
    return fresh(values.to(dtype).contiguous());
  }

  /// Without the versions that its making counted: a tensor that was never written to.
  static at::Tensor fresh(const at::Tensor& tensor) { return tensor.variable_data(); }

  Random random_;
  int side_;
  int dimensions_;
  at::ScalarType dtype_;
  Values values_ = Values::First;
  int list_size_;
  double optional_tensors_;  ///< how likely an optional tensor is given
  double faithful_;          ///< how likely a tensor has the common shape and dtype
};

bool is_tensor_type(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::TensorType:
      return true;
    case c10::TypeKind::OptionalType:
    case c10::TypeKind::ListType:
      return std::any_of(type.containedTypes().begin(), type.containedTypes().end(),
                         [](const auto& contained) { return is_tensor_type(*contained); });
    default:
      return false;
  }
}

}  // namespace

bool takes_tensor(const c10::Argument& argument) {
  return is_tensor_type(*argument.type());
}

bool takes_tensor(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(),
                     [](const c10::Argument& argument) { return takes_tensor(argument); });
}

torch::jit::Stack generate_arguments(const c10::OperatorHandle& op, int attempt, Values values) {
  Generator generator(op.schema(), attempt);
  generator.seed_values(values);
  torch::jit::Stack stack;
  for (const auto& argument : op.schema().arguments()) {
    stack.push_back(generator.make(argument));
  }
  return stack;
}

}  // namespace metasan::operator_walk
