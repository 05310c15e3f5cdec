#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <optional>
#include <string>

namespace metasan::guard {

/// The checkpoint that the tensors of a module can be loaded from.
class Binding {
 public:
  virtual ~Binding() = default;

  /// The path of the checkpoint.
  virtual std::string path() const = 0;

  /// What the checkpoint knows of a tensor of the module, for a report: "has no 'a.weight'; the
  /// nearest name is 'b.weight'".
  virtual std::string note(const std::string& name) const = 0;

  /// Gives the tensor of that name its data, in place, on `device`; without one, where its memory
  /// is, or on the CPU. False when that cannot be: the checkpoint lacks it, or the tensor is gone.
  virtual bool load(const std::string& name, std::optional<c10::Device> device) const = 0;
};
using BindingPtr = std::shared_ptr<const Binding>;

}  // namespace metasan::guard
