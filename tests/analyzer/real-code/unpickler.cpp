// A reader of checkpoints: locations are remapped, save those that say that there are no data.
#include <torch/torch.h>

#include <functional>
#include <map>
#include <set>

namespace unpickler {

struct Entry {
  std::string name;
  std::string location;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  at::ScalarType type;
  std::size_t offset;
};

class Reader {
 public:
  Reader(std::vector<char> bytes, std::optional<at::Device> map_location) : bytes_(std::move(bytes)), map_location_(map_location) {}

  at::Tensor read(const Entry& entry) {
    at::Device device(entry.location);
    // remap the location unless it says that there are no data
    if (map_location_.has_value() && !device.is_meta())
      device = *map_location_;
    at::Tensor tensor;
    if (device.type() == at::DeviceType::Meta) {
      tensor = at::empty_strided(entry.sizes, entry.strides, at::TensorOptions(entry.type).device(at::kMeta));
    } else {
      auto on_cpu = at::empty_strided(entry.sizes, entry.strides, at::TensorOptions(entry.type));
      std::memcpy(on_cpu.mutable_data_ptr(), bytes_.data() + entry.offset, on_cpu.nbytes());
      tensor = on_cpu.to(device);
    }
    return tensor;
  }

 private:
  std::vector<char> bytes_;
  std::optional<at::Device> map_location_;
};

std::map<std::string, at::Tensor> read_all(Reader& reader, const std::vector<Entry>& entries) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& entry : entries)
    tensors.emplace(entry.name, reader.read(entry));
  return tensors;
}

// Weights come in any order; what has none yet is a tensor without data, and is replaced, not written to.
class Weights {
 public:
  void declare(const std::string& name, at::IntArrayRef sizes) { values_[name] = at::empty(sizes, at::TensorOptions().device(at::kMeta)); }
  void set(const std::string& name, at::Tensor value) {
    auto found = values_.find(name);
    TORCH_CHECK(found != values_.end(), "no weight ", name);
    TORCH_CHECK(found->second.sizes() == value.sizes(), name, " has another shape");
    if (found->second.is_meta())
      found->second = std::move(value);
    else
      found->second.copy_(value);
  }
  std::set<std::string> missing() const {
    std::set<std::string> names;
    for (const auto& [name, value] : values_)
      if (value.is_meta())
        names.insert(name);
    return names;
  }
  double checksum() const {
    double sum = 0;
    for (const auto& [name, value] : values_) {
      if (value.is_meta())
        continue;
      sum += value.sum().item<double>();
    }
    return sum;
  }

 private:
  std::map<std::string, at::Tensor> values_;
};

} // namespace unpickler
