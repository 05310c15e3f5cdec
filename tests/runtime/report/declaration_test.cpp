// Stacks as they are captured: the same as an unwinder's own, and fast.
#include "runtime/guard/declaration.h"

#include <metasan/options.h>

#include <execinfo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <thread>
#include <vector>

namespace {

using metasan::guard::capture_stack;

/// Compares a captured stack with glibc's, both as seen from `compare`'s caller outwards.
__attribute__((noinline)) void compare(std::size_t limit) {
  std::array<void*, 300> frames;
  const int found = backtrace(frames.data(), static_cast<int>(frames.size()));
  const auto captured = capture_stack(limit);
  ASSERT_FALSE(captured.empty());
  // Where a sanitizer stands before backtrace(), there is a frame of its own.
  void* const* const end = frames.data() + found;
  void* const* const caller =
      std::find<void* const*>(frames.data(), end, __builtin_return_address(0));
  ASSERT_NE(caller, end);
  const std::vector<void*> expected(caller, std::min(caller + limit - 1, end));
  EXPECT_EQ(std::vector<void*>(captured.begin() + 1, captured.end()), expected);
}

/// Calls itself from one of two lines, as the bits of `path` say.
__attribute__((noinline)) void descend(int depth, unsigned path, std::size_t limit) {
  volatile int after = 0;  // no tail call
  if (depth == 0) {
    compare(limit);
  } else if ((path & 1U) != 0) {
    descend(depth - 1, path >> 1, limit);
  } else {
    descend(depth - 1, path >> 1, limit);
    after = after + 1;
  }
  after = after + 1;
}

TEST(CaptureStack, IsWhatTheUnwinderFinds) {
  for (unsigned i = 0; i < 500; ++i) {
    const auto path = i * 2654435761U;
    descend(static_cast<int>(path % 31), path >> 3, 20 + path % 60);
    if (HasFailure()) {
      break;
    }
  }
}

TEST(CaptureStack, IsOfTheThreadThatAsks) {
  for (int i = 0; i < 4; ++i) {
    std::thread([i] { descend(i, 5, 40); }).join();
  }
}

TEST(CaptureStack, IsAsDeepAsTheOptionsSay) {
  EXPECT_EQ(capture_stack(2).size(), 2U);
  auto options = metasan::options();
  options.stack_depth = 1;
  metasan::set_options(options);
  std::size_t shallow = 0;
  std::size_t deep = 0;
  const std::function<void(int, std::size_t&)> nest = [&](int depth, std::size_t& size) {
    if (depth == 0) {
      size = capture_stack().size();
    } else {
      nest(depth - 1, size);
    }
  };
  nest(100, shallow);
  options.stack_depth = 64;
  metasan::set_options(options);
  nest(100, deep);
  metasan::set_options({});
  EXPECT_EQ(deep, shallow + 63);
}

}  // namespace
