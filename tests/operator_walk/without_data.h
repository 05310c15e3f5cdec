#pragma once

#include <metasan/state.h>

#include "runtime/guard/keys.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace metasan::operator_walk {

/// Who watches over the tensors without data in a walk.
enum class Watch {
  Nobody,   ///< LibTorch alone
  MetaSan,  ///< under MetaSan's guard
};

/// The states that a walk brings tensors into.
inline constexpr State kStates[] = {State::Declared, State::Uninitialized, State::Offloaded};

/// How tensors come to be without data.
struct Absence {
  State state = State::Declared;
  Watch watch = Watch::MetaSan;
  int poison = 0;  ///< what an uninitialized one holds, below poisons(state)
};

/// How many fillings of its memory a tensor in `state` can have.
int poisons(State state);

/// A tensor in the shape of `tensor` without its data. The one place that knows how a tensor gets
/// there.
///
/// A declared one is a meta tensor. The memory of an uninitialized one holds something else in each
/// element, or where `tensor` holds the same by chance, other poisons do not. An offloaded one has
/// the values of `tensor`.
at::Tensor without_data(const at::Tensor& tensor, const Absence& absence);

/// While it lives, calls run as `watch` has them. LibTorch alone does without MetaSan's kernels for
/// meta tensors that nobody guards, too.
class Watching {
 public:
  explicit Watching(Watch watch);

 private:
  std::optional<guard::ExcludeGuardKeys> alone_;
};

/// True when a tensor without data can have this one's layout.
bool can_be_without_data(const at::Tensor& tensor);

/// True for a tensor with elements to compare: neither meta nor nested.
bool has_elements(const at::Tensor& tensor);

/// A contiguous copy of what lies in the memory of a tensor, whoever watches over it; the bytes of
/// indices and values of a sparse one; the tensor itself where it has no elements.
at::Tensor contents(const at::Tensor& tensor);
std::vector<at::Tensor> contents(std::vector<at::Tensor> tensors);

/// Of each element of contents(tensor), in row-major order, whether it has a value as far as
/// MetaSan knows.
std::vector<bool> written_elements(const at::Tensor& tensor);

}  // namespace metasan::operator_walk
