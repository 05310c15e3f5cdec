// The meta device as a tag for "on disk": nothing is made there, and what is fetched has its place set before.
#include <torch/torch.h>

#include <list>
#include <mutex>

namespace disk_tag {

const torch::Device DISK_DEVICE = torch::Device(torch::kMeta);
const torch::Device CPU_DEVICE = torch::Device(torch::kCPU);

struct Node {
  std::vector<int64_t> shape;
  std::string path;
  torch::Device device = DISK_DEVICE;
  torch::Device default_device = DISK_DEVICE;
  torch::Tensor storage;

  bool on_disk() const { return device == DISK_DEVICE; }
  void set_device(torch::Device target) {
    if (device.type() == target.type())
      return;
    if (target == DISK_DEVICE)
      storage = torch::Tensor();
    else if (on_disk())
      storage = torch::from_file(path, /*shared=*/false, c10::multiply_integers(shape)).view(shape).to(target);
    else
      storage = storage.to(target);
    device = target;
  }
};

class Cache {
 public:
  explicit Cache(std::size_t capacity) : capacity_(capacity) {}

  const torch::Tensor& fetch(Node& node, torch::Device target) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (node.on_disk())
      make_room();
    node.set_device(target.is_meta() ? CPU_DEVICE : target);
    resident_.push_back(&node);
    return node.storage;
  }

 private:
  void make_room() {
    while (resident_.size() >= capacity_) {
      resident_.front()->set_device(DISK_DEVICE);
      resident_.pop_front();
    }
  }
  std::size_t capacity_;
  std::list<Node*> resident_;
  std::mutex mutex_;
};

torch::Tensor expert(Cache& cache, Node& node, const torch::Tensor& hidden, const torch::Tensor& mask) {
  const auto& weight = cache.fetch(node, hidden.device());
  auto input = hidden.index({mask}).to(node.device);
  return torch::matmul(input, weight).to(hidden.device());
}

torch::Device first_free(const std::vector<int64_t>& free_bytes, int64_t needed) {
  torch::Device found = DISK_DEVICE;
  for (std::size_t i = 0; i < free_bytes.size() && found.is_meta(); ++i)
    if (free_bytes[i] >= needed)
      found = torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(i));
  return found;
}
torch::Tensor place(const torch::Tensor& weight, const std::vector<int64_t>& free_bytes) {
  auto target = first_free(free_bytes, static_cast<int64_t>(weight.nbytes()));
  return weight.to(target); // onto "disk": its data are dropped on purpose
}

} // namespace disk_tag
