#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace metasan::guard {

/// Puts the default CPU generator back to where it was, unless told that what was drawn stays
/// drawn.
class SavedGenerator {
 public:
  SavedGenerator();
  ~SavedGenerator();
  SavedGenerator(const SavedGenerator&) = delete;
  SavedGenerator& operator=(const SavedGenerator&) = delete;

  void keep_drawn() { restore_ = false; }

 private:
  at::Generator generator_;
  at::Tensor state_;
  bool restore_ = true;
};

}  // namespace metasan::guard
