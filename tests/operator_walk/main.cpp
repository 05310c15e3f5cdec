// Calls every ATen operator that takes a tensor with tensors that have no data, in each position,
// and judges what comes of it, by LibTorch alone and under MetaSan's guard. Fails when something is
// wrong under the guard, or when too few operators could be called.
//
//     metasan_operator_walk --json FILE [--jobs N] [--min-covered N] [--only aten::add.Tensor]
#include "tests/operator_walk/arguments.h"
#include "tests/operator_walk/summary.h"
#include "tests/operator_walk/walk.h"

#include <c10/util/Exception.h>
#include <CLI/CLI.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

namespace {

using namespace metasan::operator_walk;

class Silent : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

/// What the children inherit: results that can be compared, no core files, and no end of memory for
/// this machine.
void prepare() {
  make_comparable();
  static Silent silent;
  c10::WarningUtils::set_warning_handler(&silent);
  constexpr rlim_t kMemory = rlim_t{8} << 30U;
  const rlimit memory{kMemory, kMemory};
  setrlimit(RLIMIT_AS, &memory);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

struct Operators {
  std::vector<c10::OperatorHandle> with_tensor;  ///< in the order of their names
  std::size_t without_tensor = 0;
};

Operators all_operators(const std::string& only) {
  auto& dispatcher = c10::Dispatcher::singleton();
  auto names = dispatcher.getAllOpNames();
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return c10::toString(a) < c10::toString(b); });
  Operators found;
  for (const auto& name : names) {
    const auto op = dispatcher.findSchema(name);
    if (!op || name.getNamespace() != "aten" || (!only.empty() && c10::toString(name) != only)) {
      continue;
    }
    if (takes_tensor(op->schema())) {
      found.with_tensor.push_back(*op);
    } else {
      ++found.without_tensor;
    }
  }
  return found;
}

/// Walks every `jobs`-th operator, in a process of its own, into a file of JSON lines.
std::FILE* start(const std::vector<c10::OperatorHandle>& operators, std::size_t job,
                 std::size_t jobs) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) {
    throw std::runtime_error("cannot make a temporary file");
  }
  if (fork() != 0) {
    return file;
  }
  int code = 0;
  try {
    for (auto i = job; i < operators.size(); i += jobs) {
      const auto line = nlohmann::json(walk(operators[i])).dump() + '\n';
      std::fputs(line.c_str(), file);
      std::fflush(file);  // or an operator that calls exit() in a child writes it once more
    }
  } catch (const std::exception& error) {
    std::cerr << "operator walk: " << error.what() << '\n';
    code = 1;
  }
  _exit(code);
}

std::vector<Walked> walk_all(const std::vector<c10::OperatorHandle>& operators, std::size_t jobs) {
  std::vector<std::FILE*> files;
  for (std::size_t job = 0; job < jobs; ++job) {
    files.push_back(start(operators, job, jobs));
  }
  for (std::size_t job = 0; job < jobs; ++job) {
    int status = 0;
    wait(&status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      throw std::runtime_error("a worker failed");
    }
  }
  std::vector<Walked> walked;
  for (auto* file : files) {
    std::rewind(file);
    char* line = nullptr;
    std::size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0) {
      walked.push_back(nlohmann::json::parse(line).get<Walked>());
    }
    std::free(line);
    std::fclose(file);
  }
  std::sort(walked.begin(), walked.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return walked;
}

}  // namespace

int main(int argc, char** argv) try {
  std::filesystem::path json_file;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::size_t min_covered = 0;
  std::string only;
  CLI::App app("Every ATen operator, with tensors without data in every position");
  app.add_option("--json", json_file, "where the figures go")->required();
  app.add_option("--jobs", jobs, "worker processes");
  app.add_option("--min-covered", min_covered, "how many operators must be called");
  app.add_option("--only", only, "one operator, with its overload");
  CLI11_PARSE(app, argc, argv);

  prepare();
  const auto operators = all_operators(only);
  const auto walked = walk_all(operators.with_tensor, std::max<std::size_t>(jobs, 1));
  const auto summary = summarize(walked, operators.without_tensor);
  print(summary);
  std::filesystem::create_directories(std::filesystem::absolute(json_file).parent_path());
  std::ofstream(json_file) << summary.dump(2) << '\n';
  if (summary.at("covered").get<std::size_t>() < min_covered) {
    std::cerr << "fewer than " << min_covered << " operators were called\n";
    return 1;
  }
  return summary.at("wrong").get<std::size_t>() == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "operator walk: " << error.what() << '\n';
  return 2;
}
