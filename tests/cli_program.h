// The program as a child process: what it prints, how it ends, signals to it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "taut/run/report.h"

namespace taut::testing {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string out, error;
};

inline Outcome outcome_of(int wait_status) {
  Outcome outcome;
  if (WIFEXITED(wait_status)) outcome.exit_code = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status)) outcome.signal = WTERMSIG(wait_status);
  return outcome;
}

class Program {
 public:
  // Starts `words` (words[0] is looked up in PATH) in `folder`; `in_child` runs just before it does.
  Program(const std::vector<std::string>& words, const std::filesystem::path& folder,
          const std::function<void()>& in_child = {}) {
    int out[2], error[2];
    if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(error, O_CLOEXEC) != 0) ADD_FAILURE() << "no pipe";
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(error[1], STDERR_FILENO);
      if (::chdir(folder.c_str()) != 0) ::_exit(126);
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
      if (in_child) in_child();
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(error[1]);
    out_ = out[0], error_ = error[0];
  }
  ~Program() {
    if (child_ > 0) send(SIGKILL), wait();
    ::close(out_);
    ::close(error_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t id() const { return child_; }
  void send(int signal) const { ::kill(child_, signal); }
  bool running() {
    int status = 0;
    if (child_ > 0 && ::waitpid(child_, &status, WNOHANG) == child_) ended_ = outcome_of(status), child_ = 0;
    return child_ > 0;
  }

  // Reads both pipes to their ends, then collects the child.
  Outcome wait() {
    std::string out, error;
    pollfd open[] = {{out_, POLLIN, 0}, {error_, POLLIN, 0}};
    while ((open[0].fd >= 0 || open[1].fd >= 0) && ::poll(open, 2, 60'000) > 0)
      for (pollfd& pipe : open) {
        if (pipe.revents == 0) continue;
        char block[4096];
        const ssize_t n = ::read(pipe.fd, block, sizeof block);
        if (n > 0)
          (pipe.fd == out_ ? out : error).append(block, static_cast<std::size_t>(n));
        else
          pipe.fd = -1;
      }
    if (open[0].fd >= 0 || open[1].fd >= 0) {
      ADD_FAILURE() << "silent for a minute; ended by force";
      send(SIGKILL);
    }
    int status = 0;
    if (child_ > 0 && ::waitpid(child_, &status, 0) == child_) ended_ = outcome_of(status), child_ = 0;
    ended_.out = std::move(out), ended_.error = std::move(error);
    return ended_;
  }

 private:
  pid_t child_ = -1;
  int out_ = -1, error_ = -1;
  Outcome ended_;
};

// The program to test: that of the environment, or the one that was built with the tests.
inline std::string program_path() {
  const char* chosen = std::getenv("TAUT_PROGRAM");
  return chosen != nullptr ? chosen : TAUT_PROGRAM;
}

inline Outcome run_program(std::vector<std::string> arguments, const std::filesystem::path& folder,
                           const std::function<void()>& in_child = {}) {
  arguments.insert(arguments.begin(), program_path());
  return Program(arguments, folder, in_child).wait();
}

// What `taut run` leaves in its folder; a report only where the program was built with its viewer.
inline std::vector<std::string> run_files() {
  if (reports_possible()) return {"report.html", "run.h5", "summary.json"};
  return {"run.h5", "summary.json"};
}

// Waits until `condition` holds, at most 20 s.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::usleep(2000);
  }
  return true;
}

// A bar on a hinge, held by a cable that goes slack as it swings.
inline const char* const swing_model = R"(name = "swing"
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = [1, 0, 0]
c = { at = [0, 0, 1], fixed = true }
[[bars]]
nodes = ["a", "b"]
mass = 1.0
[[cables]]
nodes = ["c", "b"]
stiffness = 40.0
damping = 0.1
rest_length = 1.4
[simulation]
duration = 1.0
output_step = 0.01
)";

}  // namespace taut::testing
