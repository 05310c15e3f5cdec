#include "tests/operator_walk/search.h"

#include "tests/operator_walk/arguments.h"
#include "tests/operator_walk/forked.h"

#include <algorithm>
#include <string>

namespace metasan::operator_walk {
namespace {

/// Argument lists per operator: enough that optional tensors are given in one of them.
constexpr std::size_t kAccepted = 4;

/// What a child says of generated arguments.
const std::string kAccepts = "accepted";
const std::string kAddsNothing = "adds nothing";
const std::string kCannot = "cannot generate: ";
const std::string kRefuses = "refused: ";

class Search {
 public:
  Search(const c10::OperatorHandle& op, Walked& walked) : op_(op), walked_(walked) {
    for (std::size_t i = 0; i < op.schema().arguments().size(); ++i) {
      wanted_ += takes_tensor(op.schema().arguments()[i]) ? 1 : 0;
    }
  }

  std::vector<int> run() {
    run_forked([&](std::size_t first, const Progress& progress) { attempts(first, progress); },
               [&](std::size_t item, const ItemEnd& end) { note(static_cast<int>(item), end); },
               kLimit, kDeaths);
    return accepted_;
  }

 private:
  bool enough() const { return covered_.size() >= wanted_ || accepted_.size() >= kAccepted; }

  void attempts(std::size_t first, const Progress& progress) {
    for (auto item = first; item < kAttempts && !enough(); ++item) {
      const int attempt = static_cast<int>(item);
      progress.begin(item);
      std::string end = kAccepts;
      try {
        if (adds(generate_arguments(op_, attempt))) {
          const Reference reference(op_, attempt);
          accept(attempt);
        } else {
          end = kAddsNothing;
        }
      } catch (const CannotGenerate& cannot) {
        progress.end(kCannot + cannot.what());
        return;
      } catch (const c10::Error& error) {
        end = kRefuses + error.what_without_backtrace();
      } catch (const std::exception& error) {
        end = kRefuses + error.what();
      }
      std::replace(end.begin(), end.end(), '\n', ' ');
      progress.end(end.substr(0, 160));
    }
  }

  void note(int attempt, const ItemEnd& end) {
    if (end.how != ItemEnd::How::Finished) {
      ++walked_.crashes_on_real;
    } else if (end.text == kAccepts) {
      accept(attempt);
    } else if (end.text.starts_with(kCannot)) {
      walked_.not_covered = end.text.substr(kCannot.size());
    } else if (end.text.starts_with(kRefuses)) {
      walked_.last_error = end.text.substr(kRefuses.size());
    }
  }

  bool adds(const torch::jit::Stack& arguments) const {
    const auto found = tensor_arguments(arguments);
    return std::any_of(found.begin(), found.end(),
                       [&](std::size_t i) { return !covered_.contains(i); });
  }

  /// In the child and, when it says so, in the parent.
  void accept(int attempt) {
    accepted_.push_back(attempt);
    covered_.merge(tensor_arguments(generate_arguments(op_, attempt)));
  }

  const c10::OperatorHandle& op_;
  Walked& walked_;
  std::size_t wanted_ = 0;
  std::set<std::size_t> covered_;
  std::vector<int> accepted_;
};

}  // namespace

/// The arguments of a call that hold tensors which can be without data.
std::set<std::size_t> tensor_arguments(const torch::jit::Stack& arguments) {
  std::set<std::size_t> found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto tensors = tensors_of({arguments[i]});
    if (std::any_of(tensors.begin(), tensors.end(), can_be_without_data)) {
      found.insert(i);
    }
  }
  return found;
}

std::vector<int> accepted_attempts(const c10::OperatorHandle& op, Walked& walked) {
  return Search(op, walked).run();
}

}  // namespace metasan::operator_walk
