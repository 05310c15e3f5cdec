#include "tests/operator_walk/forked.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>

namespace metasan::operator_walk {
namespace {

constexpr char kBegin = '>';
constexpr char kEnd = '=';
/// The exit code of a child whose work threw; a defect of the walk, not of an operator.
constexpr int kWorkThrew = 70;

/// What operators, libraries under them and the heap say before they give up is of no interest.
/// Returns a way to the standard error that was.
int silence() {
  const int log = dup(STDERR_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
  return log;
}

[[noreturn]] void run_child(const std::function<void(std::size_t, const Progress&)>& work,
                            std::size_t first, const Progress& progress) {
  const int log = silence();
  try {
    work(first, progress);
  } catch (const std::exception& error) {
    dprintf(log, "operator walk: %s\n", error.what());
    _exit(kWorkThrew);
  }
  // No destructors of static objects: they belong to the parent.
  _exit(0);
}

/// Reads what a child says until it ends, and tells `on_end`. Returns the item that was begun and
/// not ended.
std::optional<std::size_t> listen(int pipe,
                                  const std::function<void(std::size_t, const ItemEnd&)>& on_end) {
  std::FILE* stream = fdopen(pipe, "r");
  std::optional<std::size_t> current;
  char* line = nullptr;
  std::size_t capacity = 0;
  for (ssize_t length = 0; (length = getline(&line, &capacity, stream)) > 0;) {
    const std::string text(line, static_cast<std::size_t>(length) - 1);
    if (text.front() == kBegin) {
      current = std::stoul(text.substr(1));
    } else if (current) {
      on_end(*current, {.how = ItemEnd::How::Finished, .signal = 0, .text = text.substr(1)});
      current.reset();
    }
  }
  std::free(line);
  std::fclose(stream);
  return current;
}

}  // namespace

void Progress::begin(std::size_t item) const {
  alarm(static_cast<unsigned>(limit_.count()));
  send(kBegin + std::to_string(item));
}

void Progress::end(const std::string& text) const {
  send(kEnd + text);
}

void Progress::send(const std::string& line) const {
  const auto message = line + '\n';
  for (std::size_t sent = 0; sent < message.size();) {
    const auto written = write(pipe_, message.data() + sent, message.size() - sent);
    if (written <= 0) {
      _exit(kWorkThrew);
    }
    sent += static_cast<std::size_t>(written);
  }
}

void run_forked(const std::function<void(std::size_t, const Progress&)>& work,
                const std::function<void(std::size_t, const ItemEnd&)>& on_end,
                std::chrono::seconds limit, int deaths) {
  for (std::size_t first = 0; deaths > 0; --deaths) {
    int ends[2];
    if (pipe(ends) != 0) {
      throw std::runtime_error("cannot make a pipe");
    }
    const pid_t child = fork();
    if (child < 0) {
      throw std::runtime_error("cannot fork");
    }
    if (child == 0) {
      close(ends[0]);
      std::signal(SIGALRM, SIG_DFL);
      run_child(work, first, Progress(ends[1], limit));
    }
    close(ends[1]);
    const auto unfinished = listen(ends[0], on_end);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kWorkThrew) {
      throw std::runtime_error("the walk itself failed in a child");
    }
    if (!unfinished) {
      return;
    }
    // An operator that ends the process takes the child along like one that crashes.
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    on_end(*unfinished, {.how = signal == SIGALRM ? ItemEnd::How::TimedOut : ItemEnd::How::Crashed,
                         .signal = signal,
                         .text = {}});
    first = *unfinished + 1;
  }
}

}  // namespace metasan::operator_walk
