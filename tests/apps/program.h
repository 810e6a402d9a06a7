// The program as a child process: what it prints, how it ends, signals to it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace taut::testing {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string out, error;
};

Outcome outcome_of(int wait_status);

class Program {
 public:
  // Starts `words` (words[0] is looked up in PATH) in `folder`; `in_child` runs just before it does.
  Program(const std::vector<std::string>& words, const std::filesystem::path& folder,
          const std::function<void()>& in_child = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t id() const { return child_; }
  void send(int signal) const { ::kill(child_, signal); }
  bool running();

  // Reads both pipes to their ends, then collects the child.
  Outcome wait();

 private:
  pid_t child_ = -1;
  int out_ = -1, error_ = -1;
  Outcome ended_;
};

// The program to test: that of the environment, or the one that was built with the tests.
std::string program_path();

Outcome run_program(std::vector<std::string> arguments, const std::filesystem::path& folder,
                    const std::function<void()>& in_child = {});

// What `taut run` leaves in its folder; a report only where the program was built with its viewer.
std::vector<std::string> run_files();

// Waits until `condition` holds, at most 20 s.
bool eventually(const std::function<bool()>& condition);

}  // namespace taut::testing
