#pragma once

#include <metasan/options.h>

#include "runtime/guard/violation.h"
#include "runtime/report/report.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

/// A violation as the guard finds it, about the tensor 'name' [4, 4] float32.
inline metasan::guard::Violation sample_violation(const std::string& name,
                                                  metasan::Rule rule = metasan::Rule::MetaMixed) {
  metasan::guard::TensorFacts tensor{.name = name,
                                     .sizes = {4, 4},
                                     .dtype = c10::kFloat,
                                     .declaration = nullptr,
                                     .derived_by = {}};
  return {.rule = rule, .op = "aten::mm", .argument = "mat2", .tensors = {std::move(tensor)}};
}

/// Tests that change the options, and read what they have written to files.
class ReportTest : public testing::Test {
 protected:
  void TearDown() override {
    metasan::set_options({});
    std::filesystem::remove(log_file());
    std::filesystem::remove(json_file());
  }

  static void use(const std::string& text) { metasan::set_options(metasan::parse_options(text)); }

  static std::string log_path() { return base() + ".log"; }
  static std::string log_file() { return log_path() + "." + std::to_string(getpid()); }
  static std::string json_file() { return base() + ".json"; }

  static std::string read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      lines.push_back(line);
    }
    return lines;
  }

 private:
  static std::string base() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return testing::TempDir() + test->test_suite_name() + "." + test->name();
  }
};
