#include "runtime/guard/declaration.h"

#include <metasan/options.h>

#include <unwind.h>

#include <algorithm>
#include <array>

namespace metasan::guard {
namespace {

// LibTorch's and MetaSan's own frames between an operator's fallback and the code that called it.
constexpr std::size_t kInnerFrames = 24;

struct StackFrame {
  void* address;  ///< where the frame goes on when its callee returns
  char* top;      ///< the stack pointer of the frame at that call
};

struct Stack {
  std::array<StackFrame, kMostFrames> frames;
  std::size_t size = 0;
  bool complete = false;  ///< not cut off at a limit
};

/// The stack that a thread captured last, and room for the next one. Declarations of one
/// constructor, and those of a module's parts, share most of their frames, and to unwind a frame
/// costs many times as much as to compare it.
struct Stacks {
  std::array<Stack, 2> both;
  int last = 0;
};
thread_local Stacks stacks;

/// True when the frames of `last` from `index` outwards are still on the stack, given that the one
/// at `index` is. The call that led to a frame's callee left the return address just below the
/// frame's top, on this architecture.
#if defined(__x86_64__)
__attribute__((no_sanitize("address", "thread"))) bool still_there(const Stack& last,
                                                                   std::size_t index) {
  for (auto i = index + 1; i < last.size; ++i) {
    if (*reinterpret_cast<void**>(last.frames[i].top - sizeof(void*)) != last.frames[i].address) {
      return false;
    }
  }
  return true;
}
#else
bool still_there(const Stack&, std::size_t) {
  return false;
}
#endif

struct Walk {
  const Stack& last;
  Stack& found;
  std::size_t limit;
  std::size_t skip = 1;       ///< the frame of the capture itself
  std::size_t candidate = 0;  ///< in the last stack; both go outwards

  _Unwind_Reason_Code visit(_Unwind_Context* context) {
    if (skip > 0) {
      --skip;
      return _URC_NO_REASON;
    }
    auto* address = reinterpret_cast<void*>(_Unwind_GetIP(context));
    if (address == nullptr) {
      found.complete = true;
      return _URC_END_OF_STACK;
    }
    const StackFrame frame{address, reinterpret_cast<char*>(_Unwind_GetCFA(context))};
    found.frames[found.size++] = frame;
    if (found.size == limit || take_rest_from_last(frame)) {
      return _URC_END_OF_STACK;
    }
    return _URC_NO_REASON;
  }

  bool take_rest_from_last(const StackFrame& frame) {
    while (candidate < last.size && last.frames[candidate].top < frame.top) {
      ++candidate;
    }
    if (candidate == last.size || last.frames[candidate].top != frame.top ||
        last.frames[candidate].address != frame.address) {
      return false;
    }
    const auto rest = last.size - candidate - 1;
    const auto taken = std::min(rest, limit - found.size);
    if ((!last.complete && found.size + rest < limit) || !still_there(last, candidate)) {
      return false;
    }
    std::copy_n(last.frames.begin() + candidate + 1, taken, found.frames.begin() + found.size);
    found.size += taken;
    found.complete = last.complete && taken == rest;
    return true;
  }
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* walk) {
  return static_cast<Walk*>(walk)->visit(context);
}

}  // namespace

std::vector<void*> capture_stack(std::size_t limit) {
  const auto& last = stacks.both[stacks.last];
  stacks.last = 1 - stacks.last;
  auto& found = stacks.both[stacks.last];
  found.size = 0;
  found.complete = false;
  Walk walk{.last = last, .found = found, .limit = std::clamp<std::size_t>(limit, 1, kMostFrames)};
  _Unwind_Backtrace(&visit, &walk);

  std::vector<void*> addresses(found.size);
  std::transform(found.frames.begin(), found.frames.begin() + found.size, addresses.begin(),
                 [](const StackFrame& frame) { return frame.address; });
  return addresses;
}

std::vector<void*> capture_stack() {
  return capture_stack(static_cast<std::size_t>(options().stack_depth) + kInnerFrames);
}

}  // namespace metasan::guard
