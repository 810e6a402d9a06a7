// The program as a child process.
#include "tests/apps/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

#include "taut/report/report.h"

namespace taut::testing {

Outcome outcome_of(int wait_status) {
  Outcome outcome;
  if (WIFEXITED(wait_status)) outcome.exit_code = WEXITSTATUS(wait_status);
  if (WIFSIGNALED(wait_status)) outcome.signal = WTERMSIG(wait_status);
  return outcome;
}

std::string program_path() {
  const char* chosen = std::getenv("TAUT_PROGRAM");
  return chosen != nullptr ? chosen : TAUT_PROGRAM;
}

Outcome run_program(std::vector<std::string> arguments, const std::filesystem::path& folder,
                    const std::function<void()>& in_child) {
  arguments.insert(arguments.begin(), program_path());
  return Program(arguments, folder, in_child).wait();
}

std::vector<std::string> run_files() {
  if (reports_possible()) return {"report.html", "run.h5", "summary.json"};
  return {"run.h5", "summary.json"};
}

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::usleep(2000);
  }
  return true;
}

Program::Program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                 const std::function<void()>& in_child) {
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

Program::~Program() {
  if (child_ > 0) send(SIGKILL), wait();
  ::close(out_);
  ::close(error_);
}

bool Program::running() {
  int status = 0;
  if (child_ > 0 && ::waitpid(child_, &status, WNOHANG) == child_) ended_ = outcome_of(status), child_ = 0;
  return child_ > 0;
}

Outcome Program::wait() {
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

}  // namespace taut::testing
