// Reports as lines of JSON.
#include "runtime/report/json.h"
#include "tests/runtime/report/samples.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using metasan::Rule;
using metasan::report::make_report;
using metasan::report::to_json;
using nlohmann::json;

json parsed(const metasan::report::Report& report) {
  const auto line = to_json(report, 32);
  EXPECT_EQ(line.find('\n'), line.npos);
  return json::parse(line);
}

TEST(ReportJson, HasTheFields) {
  auto violation = sample_violation("head.weight");
  violation.torch_text = "no data";
  violation.detail = "found this\n";
  auto& tensor = violation.tensors.front();
  metasan::guard::Declaration declaration;
  declaration.op = "aten::empty";
  tensor.declaration = std::make_shared<const metasan::guard::Declaration>(declaration);
  tensor.history.add({"offloaded", {}});
  tensor.checkpoint = "m.safetensors";
  const auto report =
      parsed(make_report(violation, metasan::guard::capture_stack(metasan::guard::kMostFrames)));
  EXPECT_EQ(report["rule"], "meta-mixed");
  EXPECT_EQ(report["severity"], "error");
  EXPECT_EQ(report["tensor"], "head.weight");
  EXPECT_EQ(report["shape"], (std::vector<int>{4, 4}));
  EXPECT_EQ(report["dtype"], "float32");
  EXPECT_EQ(report["state"], "declared");
  EXPECT_EQ(report["op"], "aten::mm");
  EXPECT_EQ(report["argument"], "mat2");
  EXPECT_EQ(report["torch"], "no data");
  EXPECT_EQ(report["found"], "found this\n");
  EXPECT_EQ(report["declared"]["op"], "aten::empty");
  EXPECT_EQ(report["history"][0]["what"], "offloaded");
  EXPECT_EQ(report["checkpoint"]["path"], "m.safetensors");
  EXPECT_TRUE(report["checkpoint"]["note"].is_null());
  const auto& frame = report["stack"][0];
  EXPECT_THAT(frame["file"], testing::EndsWith("json_test.cpp"));
  EXPECT_GT(frame["line"], 0);
  EXPECT_THAT(frame["function"], testing::HasSubstr("HasTheFields"));
  EXPECT_EQ(report["fix"], metasan::info(Rule::MetaMixed).fix);
  EXPECT_THAT(report["summary"], testing::StartsWith("SUMMARY: MetaSan: meta-mixed head.weight"));
  EXPECT_EQ(report["pid"], getpid());
  EXPECT_GT(report["thread"], 0);
  EXPECT_TRUE(report["healed"].is_null());
}

TEST(ReportJson, WhatIsNotKnownIsNull) {
  const auto report =
      parsed(make_report({.rule = Rule::MoveAfterDispatch, .op = "f", .tensors = {}}, {}));
  for (const auto* field :
       {"tensor", "shape", "dtype", "state", "declared", "checkpoint", "torch"}) {
    EXPECT_TRUE(report[field].is_null()) << field;
  }
  EXPECT_EQ(report["stack"], json::array());
  EXPECT_EQ(report["history"], json::array());
}

TEST(ReportJson, NamesNeedNotBeUtf8) {
  EXPECT_EQ(parsed(make_report(sample_violation("a\"\xff\n"), {}))["tensor"], "a\"\uFFFD\n");
}

}  // namespace
