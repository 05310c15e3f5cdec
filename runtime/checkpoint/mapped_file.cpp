#include "runtime/checkpoint/mapped_file.h"

#include "runtime/checkpoint/error.h"
#include "runtime/checkpoint/not_found.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <utility>

namespace metasan::checkpoint {
namespace {

/// Closes the descriptor; the mapping outlives it.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) {
      ::close(fd);
    }
  }
};

[[noreturn]] void fail_io(const std::filesystem::path& path, const char* action, int error) {
  fail(CheckpointErrorCode::IoError, path, "",
       fmt::format("cannot {} it: {}", action, std::strerror(error)));
}

}  // namespace

std::shared_ptr<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      fail_not_found(path);
    }
    fail_io(path, "open", errno);
  }
  struct stat info{};
  if (::fstat(file.fd, &info) != 0) {
    fail_io(path, "stat", errno);
  }
  if (!S_ISREG(info.st_mode)) {
    fail(CheckpointErrorCode::IoError, path, "",
         "it is not a regular file: give a file, or the directory of a checkpoint");
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) {
    return std::shared_ptr<MappedFile>(new MappedFile(path, nullptr, 0));
  }
  void* data =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.fd, 0);
  if (data == MAP_FAILED) {
    fail_io(path, "map", errno);
  }
  return std::shared_ptr<MappedFile>(new MappedFile(path, static_cast<std::byte*>(data), size));
}

MappedFile::MappedFile(std::filesystem::path path, std::byte* data, std::size_t size)
    : path_(std::move(path)), data_(data), size_(size) {}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    ::munmap(data_, size_);
  }
}

}  // namespace metasan::checkpoint
