// What the tape keeps and for how long, and what a replay costs.
#include "tests/runtime/tape/support.h"

#include "runtime/guard/record.h"
#include "runtime/guard/scope.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <chrono>
#include <cstdio>

namespace metasan::testing {
namespace {

using guard::record_of;

std::weak_ptr<const guard::TapeEntry> last_entry(const at::Tensor& tensor) {
  return record_of(tensor)->trace().last;
}

TEST(TapeLifetime, EntriesDieWithTheLastTensorThatNeedsThem) {
  const InitEmptyWeights scope;
  std::weak_ptr<const guard::TapeEntry> table_entry;
  std::weak_ptr<const guard::TapeEntry> unused_entry;
  at::Tensor result;
  {
    const auto table = torch::arange(8);
    const auto unused = torch::ones({8});
    result = table * 2;
    table_entry = last_entry(table);
    unused_entry = last_entry(unused);
  }
  EXPECT_TRUE(unused_entry.expired());
  EXPECT_FALSE(table_entry.expired());
  result.reset();
  EXPECT_TRUE(table_entry.expired());
}

TEST(TapeLifetime, RandomTemporariesAreKeptWhileTheScopeIsOpen) {
  at::Tensor living;
  guard::TapePtr tape;
  {
    const InitEmptyWeights scope;
    living = torch::rand({8});
    torch::rand({8}).mul(2);
    torch::ones({8});
    tape = guard::empty_scope_tape();
    EXPECT_EQ(tape->dead().size(), 1);
    EXPECT_EQ(tape->living().size(), 1);
  }
  living.reset();
  EXPECT_EQ(tape->dead().size(), 1);
  EXPECT_EQ(tape->living().size(), 0);
}

TEST(TapeLifetime, TapesEndWithTheirTensors) {
  std::weak_ptr<guard::Tape> tape;
  torch::nn::Linear layer{nullptr};
  {
    const InitEmptyWeights scope;
    layer = torch::nn::Linear(2, 2);
    torch::rand({4});
    tape = guard::empty_scope_tape();
  }
  EXPECT_FALSE(tape.expired());
  materialize(layer);
  EXPECT_TRUE(tape.expired());
}

TEST(TapeLifetime, LoadedTensorsTakeTheirNumbersWithThem) {
  guard::TapePtr tape;
  torch::nn::Linear layer{nullptr};
  {
    const InitEmptyWeights scope;
    layer = torch::nn::Linear(2, 2);
    tape = guard::empty_scope_tape();
  }
  EXPECT_EQ(tape->living().size(), 2);
  layer->weight.set_data(torch::ones({2, 2}));
  EXPECT_EQ(tape->living().size(), 1);
  EXPECT_EQ(tape->dead().size(), 0);
}

TEST(TapeLifetime, ComputingOnEmptyTensorsLeavesNothing) {
  at::Tensor weight;
  guard::TapePtr tape;
  {
    const InitEmptyWeights scope;
    weight = torch::rand({8, 8});
    tape = guard::empty_scope_tape();
  }
  const auto entry = last_entry(weight).lock();
  const auto uses = entry.use_count();
  for (int i = 0; i < 100; ++i) {
    torch::dropout(torch::mm(weight, weight), 0.5, true);
  }
  EXPECT_EQ(entry.use_count(), uses);
  EXPECT_EQ(tape->dead().size() + tape->living().size(), 1);
}

TEST(TapeLifetime, ALongHistoryEnds) {
  at::Tensor table;
  {
    const InitEmptyWeights scope;
    table = torch::zeros({4});
    for (int i = 0; i < 200'000; ++i) {
      table.add_(1);
    }
  }
  table.reset();  // without a stack frame per entry
}

/// Counts the bytes that this thread's tensors take on the CPU while it is installed.
class CountedMemory : public c10::MemoryReportingInfoBase {
 public:
  bool memoryProfilingEnabled() const override { return true; }
  void reportMemoryUsage(void*, int64_t change, std::size_t, std::size_t, c10::Device) override {
    now_ += change;
    peak_ = std::max(peak_, now_);
  }
  int64_t peak() const { return peak_; }

 private:
  int64_t now_ = 0;
  int64_t peak_ = 0;
};

TEST(TapeLifetime, ReplayNeedsTheModulesMemoryAndItsLargestTensorsAtMost) {
  const auto build = [] {
    return torch::nn::Transformer(
        torch::nn::TransformerOptions(512, 8).num_encoder_layers(6).num_decoder_layers(6));
  };
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  materialize(init_empty_weights([] { return torch::nn::Linear(2, 2); }));

  auto start = Clock::now();
  auto model = init_empty_weights(build);
  const auto empty_ms = ms(Clock::now() - start);
  int64_t bytes = 0;
  int64_t largest = 0;
  for (const auto& parameter : model->parameters()) {
    bytes += static_cast<int64_t>(parameter.nbytes());
    largest = std::max(largest, static_cast<int64_t>(parameter.nbytes()));
  }

  const auto memory = std::make_shared<CountedMemory>();
  start = Clock::now();
  {
    const c10::DebugInfoGuard counting(c10::DebugInfoKind::PROFILER_STATE, memory);
    materialize(model);
  }
  const auto replay_ms = ms(Clock::now() - start);

  model = nullptr;
  start = Clock::now();
  model = build();
  const auto plain_ms = ms(Clock::now() - start);

  std::printf(
      "Transformer(512, 8), %.1f MiB: empty %.1f ms, replay %.1f ms, plain %.1f ms; at most %.1f "
      "MiB in use\n",
      static_cast<double>(bytes) / 1048576, empty_ms, replay_ms, plain_ms,
      static_cast<double>(memory->peak()) / 1048576);
  constexpr int64_t kSmallThings = 64 << 10;  // the generator's state, placeholders
  EXPECT_GE(memory->peak(), bytes);
  EXPECT_LE(memory->peak(), bytes + largest + kSmallThings);
}

}  // namespace
}  // namespace metasan::testing
