// The walk itself: that its children die alone, and that its judge sees what is wrong.
#include "tests/operator_walk/walk.h"
#include "tests/operator_walk/arguments.h"
#include "tests/operator_walk/forked.h"
#include "tests/operator_walk/judge.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

namespace metasan::operator_walk {
namespace {

using testing::Each;
using testing::ElementsAre;

c10::OperatorHandle op(const char* name, const char* overload = "") {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
}

/// The ends of four items, as text, where `work` does what an operator might.
std::vector<std::string> ends_of(const std::function<void(std::size_t)>& work, int deaths = 5) {
  std::vector<std::string> ends;
  run_forked(
      [&](std::size_t first, const Progress& progress) {
        for (auto item = first; item < 4; ++item) {
          progress.begin(item);
          work(item);
          progress.end("item " + std::to_string(item));
        }
      },
      [&](std::size_t, const ItemEnd& end) {
        switch (end.how) {
          case ItemEnd::How::Finished:
            ends.push_back(end.text);
            break;
          case ItemEnd::How::Crashed:
            ends.push_back("signal " + std::to_string(end.signal));
            break;
          case ItemEnd::How::TimedOut:
            ends.emplace_back("timeout");
        }
      },
      std::chrono::seconds(1), deaths);
  return ends;
}

TEST(Forked, ACrashCostsOneItem) {
  const auto ends = ends_of([](std::size_t item) {
    if (item == 1) {
      std::raise(SIGKILL);
    }
  });
  EXPECT_THAT(ends, ElementsAre("item 0", "signal 9", "item 2", "item 3"));
}

TEST(Forked, AHangCostsOneItem) {
  const auto ends = ends_of([](std::size_t item) {
    while (item == 3) {
      pause();
    }
  });
  EXPECT_THAT(ends, ElementsAre("item 0", "item 1", "item 2", "timeout"));
}

TEST(Forked, AnOperatorThatEndsTheProcessCostsOneItem) {
  const auto ends = ends_of([](std::size_t item) {
    if (item == 0) {
      _exit(0);
    }
  });
  EXPECT_THAT(ends, ElementsAre("signal 0", "item 1", "item 2", "item 3"));
}

TEST(Forked, GivesUpAfterSoManyDeaths) {
  const auto ends = ends_of([](std::size_t) { std::raise(SIGKILL); }, 2);
  EXPECT_THAT(ends, ElementsAre("signal 9", "signal 9"));
}

TEST(Arguments, AreTheSameEachTime) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto first = tensors_of(generate_arguments(op("aten::addmm"), attempt));
    const auto second = tensors_of(generate_arguments(op("aten::addmm"), attempt));
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_TRUE(first[i].equal(second[i]));
      EXPECT_FALSE(first[i].is_same(second[i]));
    }
  }
}

TEST(Positions, AreTensorsElementsListsAndAll) {
  const auto concatenate = op("aten::cat", "out");
  const at::Tensor tensor = tensors_of(generate_arguments(op("aten::relu"), 0)).front();
  const torch::jit::Stack arguments{c10::List<at::Tensor>({tensor, tensor}), 0, tensor};
  std::vector<std::string> names;
  for (const auto& position : positions_of(arguments)) {
    names.push_back(name_of(position, concatenate.schema(), arguments));
  }
  EXPECT_THAT(names, ElementsAre("tensors[*]", "tensors[0]", "tensors[1]", "out", "*"));
}

class Judge : public testing::Test {
 protected:
  static void SetUpTestSuite() { make_comparable(); }
};

/// The outcomes of the calls with `position` in `state`.
std::vector<Outcome> outcomes(const c10::OperatorHandle& handle, const std::string& position,
                              Watch watch, State state = State::Declared) {
  std::vector<Outcome> found;
  for (const auto& each : walk(handle).cases) {
    if (each.position == position && each.state == state) {
      found.push_back((watch == Watch::Nobody ? each.plain : each.guarded).outcome);
    }
  }
  EXPECT_FALSE(found.empty());
  return found;
}

TEST_F(Judge, SeesAWriteThatLibTorchLeavesOut) {
  EXPECT_THAT(outcomes(op("aten::addmm_"), "mat2", Watch::Nobody), Each(Outcome::SkippedWrite));
  EXPECT_THAT(outcomes(op("aten::addmm_"), "mat2", Watch::MetaSan), Each(Outcome::Reported));
}

TEST_F(Judge, SeesDataWrittenToNowhere) {
  EXPECT_THAT(outcomes(op("aten::copy_"), "self", Watch::Nobody), Each(Outcome::LostWrite));
  EXPECT_THAT(outcomes(op("aten::copy_"), "self", Watch::MetaSan), Each(Outcome::Reported));
}

TEST_F(Judge, SeesGarbage) {
  EXPECT_THAT(outcomes(op("aten::mv"), "self", Watch::Nobody), Each(Outcome::GarbageResult));
  EXPECT_THAT(outcomes(op("aten::mv"), "self", Watch::MetaSan), Each(Outcome::Reported));
}

TEST_F(Judge, SeesReadsOfWhatWasNeverWritten) {
  const auto uninitialized = State::Uninitialized;
  EXPECT_THAT(outcomes(op("aten::mv"), "self", Watch::Nobody, uninitialized),
              Each(Outcome::GarbageResult));
  EXPECT_THAT(outcomes(op("aten::mv"), "self", Watch::MetaSan, uninitialized),
              Each(Outcome::Reported));
  EXPECT_THAT(outcomes(op("aten::fill_", "Scalar"), "self", Watch::MetaSan, uninitialized),
              Each(Outcome::MetadataResult));
  EXPECT_THAT(outcomes(op("aten::t"), "self", Watch::MetaSan, uninitialized),
              Each(Outcome::UnwrittenResult));
}

TEST_F(Judge, WantsTheSameOfOffloadedTensors) {
  for (const char* name : {"aten::relu_", "aten::t_", "aten::addmm_", "aten::resize_as_"}) {
    EXPECT_THAT(outcomes(op(name), "self", Watch::MetaSan, State::Offloaded),
                Each(Outcome::MetadataResult));
  }
}

TEST_F(Judge, KnowsThatElementsOfAForeachStandAlone) {
  EXPECT_THAT(outcomes(op("aten::_foreach_neg_"), "self[0]", Watch::MetaSan),
              Each(Outcome::MetadataResult));
  EXPECT_THAT(outcomes(op("aten::_foreach_copy_"), "self[0]", Watch::MetaSan),
              Each(Outcome::Reported));
}

TEST_F(Judge, AllowsWhatNeedsNoValues) {
  for (const auto watch : {Watch::Nobody, Watch::MetaSan}) {
    EXPECT_THAT(outcomes(op("aten::clone"), "self", watch), Each(Outcome::MetaResult));
    EXPECT_THAT(outcomes(op("aten::mm"), "*", watch), Each(Outcome::MetaResult));
    EXPECT_THAT(outcomes(op("aten::expand_as"), "other", watch), Each(Outcome::MetadataResult));
  }
}

}  // namespace
}  // namespace metasan::operator_walk
