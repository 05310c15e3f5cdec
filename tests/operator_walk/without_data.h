#pragma once

#include "runtime/guard/keys.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace metasan::operator_walk {

/// Who watches over the tensors without data in a walk.
enum class Watch {
  Nobody,   ///< LibTorch alone: plain meta tensors
  MetaSan,  ///< declared tensors under MetaSan's guard
};

/// A tensor without data in the shape of `tensor`, as `watch` has it. The one place that knows how
/// a tensor gets there.
at::Tensor without_data(const at::Tensor& tensor, Watch watch);

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

}  // namespace metasan::operator_walk
