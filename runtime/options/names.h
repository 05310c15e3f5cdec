#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace metasan {

/// A name from a file, fit for a message: in quotes, control characters escaped, long ones cut.
std::string quote(std::string_view name);

/// "'a', 'b', 'c' and 97 more": at most `limit` of the names.
std::string quote_list(std::span<const std::string> names, std::size_t limit = 10);

/// The number of single-character edits that turn one name into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate a user most likely meant by `name`: one that differs by a dotted prefix, or else
/// by few edits. Nothing when none is near. Linear in the candidates: call it for the names that a
/// message shows, not for all. Among very many, only a prefix is found.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string_view> candidates);

}  // namespace metasan
