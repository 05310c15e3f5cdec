#pragma once

#include "tests/operator_walk/judge.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace metasan::operator_walk {

/// A call with tensors without data in one position, by LibTorch alone and under MetaSan.
struct Case {
  State state = State::Declared;  ///< of the tensors without data
  std::string position;
  int attempt = 0;     ///< which generated arguments
  bool mixed = false;  ///< tensors with data stand beside
  Verdict plain;
  Verdict guarded;
};

/// What became of one operator.
struct Walked {
  std::string name;         ///< "aten::add.Tensor"
  std::vector<Case> cases;  ///< empty: not covered
  std::string not_covered;  ///< why; empty when it is covered
  std::string last_error;   ///< what LibTorch said of the last arguments it did not take
  int crashes_on_real = 0;  ///< generated real arguments that the operator died on
};

/// Makes what operators give in this process the same each time, with one thread and with fresh
/// memory that is never right by chance.
void make_comparable();

/// Finds arguments that the operator accepts, and calls it with tensors without data in each of
/// their positions, all in child processes.
Walked walk(const c10::OperatorHandle& op);

void to_json(nlohmann::json& json, const Walked& walked);
void from_json(const nlohmann::json& json, Walked& walked);

}  // namespace metasan::operator_walk
