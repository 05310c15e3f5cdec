#include "runtime/report/json.h"

#include <metasan/state.h>

#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace metasan::report {
namespace {

using Json = nlohmann::ordered_json;

/// Null for a text that is empty.
Json text(std::string_view value) {
  return value.empty() ? Json() : Json(value);
}

Json frame(const Frame& frame) {
  return {{"function", text(frame.function)},
          {"file", text(frame.file)},
          {"line", frame.line == 0 ? Json() : Json(frame.line)}};
}

Json frame_or_null(const std::optional<Frame>& place) {
  return place ? frame(*place) : Json();
}

Json stack(const std::vector<Frame>& frames, std::size_t depth) {
  auto list = Json::array();
  for (std::size_t i = 0; i < std::min(depth, frames.size()); ++i) {
    list.push_back(frame(frames[i]));
  }
  return list;
}

Json declared(const Report& report) {
  const auto* tensor = report.tensor();
  if (tensor == nullptr || !tensor->declaration || tensor->declaration->op.empty()) {
    return {};
  }
  const auto& declaration = *tensor->declaration;
  return {{"op", declaration.op},
          {"scope", {{"file", declaration.scope.file_name()}, {"line", declaration.scope.line()}}},
          {"device", text(declaration.overridden_device)},
          {"where", frame_or_null(report.declared)}};
}

Json history(const std::vector<PastEvent>& events) {
  auto list = Json::array();
  for (const auto& event : events) {
    list.push_back({{"what", event.what}, {"where", frame_or_null(event.where)}});
  }
  return list;
}

std::string_view severity(Kind kind) {
  switch (kind) {
    case Kind::Error:
      return "error";
    case Kind::Warning:
      return "warning";
    case Kind::Healed:
      return "healed";
  }
  return "";
}

}  // namespace

std::string to_json(const Report& report, std::size_t stack_depth) {
  const auto& violation = report.violation;
  Json json = {{"rule", report.rule.id}, {"severity", severity(report.kind)}};
  if (const auto* tensor = report.tensor()) {
    json["tensor"] = text(tensor->name);
    json["shape"] = tensor->sizes;
    json["dtype"] = c10::getDtypeNames(tensor->dtype).first;
    json["state"] = to_string(tensor->state);
    json["derived_by"] = text(tensor->derived_by);
    json["checkpoint"] = tensor->checkpoint.empty() ? Json()
                                                    : Json{{"path", tensor->checkpoint},
                                                           {"note", text(tensor->checkpoint_note)}};
  } else {
    for (const auto* field : {"tensor", "shape", "dtype", "state", "derived_by", "checkpoint"}) {
      json[field] = nullptr;
    }
  }
  json["op"] = violation.op;
  json["argument"] = text(violation.argument);
  json["torch"] = text(violation.torch_text);
  json["found"] = text(violation.detail);
  json["healed"] = text(report.healed);
  json["stack"] = stack(report.stack, stack_depth);
  json["declared"] = declared(report);
  json["history"] = history(report.history);
  json["fix"] = report.rule.fix;
  json["summary"] = report.summary;
  json["pid"] = report.pid;
  json["thread"] = report.thread;
  // Names and paths need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace metasan::report
