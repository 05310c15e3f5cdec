#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace metasan::testing {

/// A safetensors file with any header and any payload, sound or not. `length` replaces the length
/// of the header.
inline std::string safetensors_file(std::string_view header, std::string_view payload,
                                    std::uint64_t length) {
  std::string file;
  for (int shift = 0; shift < 64; shift += 8) {
    file += static_cast<char>(length >> shift & 0xff);
  }
  file += header;
  return file += payload;
}

inline std::string safetensors_file(std::string_view header, std::string_view payload = "") {
  return safetensors_file(header, payload, header.size());
}

/// Writes sound safetensors files, tensors packed in the order in which they are added.
class SafetensorsWriter {
 public:
  SafetensorsWriter& add(const std::string& name, std::string_view dtype,
                         const std::vector<std::int64_t>& shape, std::string_view bytes) {
    std::string dims;
    for (const std::int64_t size : shape) {
      dims += (dims.empty() ? "" : ",") + std::to_string(size);
    }
    header_ += (header_.empty() ? "" : ",") + ('"' + name + "\":{\"dtype\":\"") +
               std::string(dtype) + "\",\"shape\":[" + dims + "],\"data_offsets\":[" +
               std::to_string(payload_.size()) + ',' +
               std::to_string(payload_.size() + bytes.size()) + "]}";
    payload_ += bytes;
    return *this;
  }

  /// With `misalign`, the payload begins at an odd address.
  std::string bytes(bool misalign = false) const {
    std::string header = '{' + header_ + '}';
    header.resize((header.size() + 7) / 8 * 8 + (misalign ? 1 : 0), ' ');
    return safetensors_file(header, payload_);
  }

 private:
  std::string header_;
  std::string payload_;
};

}  // namespace metasan::testing
