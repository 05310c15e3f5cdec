#pragma once

#include "tests/operator_walk/walk.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <vector>

namespace metasan::operator_walk {

/// The figures of a whole walk, as they stand in operators.json.
nlohmann::ordered_json summarize(const std::vector<Walked>& operators, std::size_t without_tensor);

/// The same as a table, for people.
void print(const nlohmann::ordered_json& summary);

}  // namespace metasan::operator_walk
