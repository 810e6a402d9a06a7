// Programs that steer models, in folders of their own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut::testing {

// What policies begin with: the header, their number for those who look for them afterwards, and answer().
inline const std::string policy_head = R"(import json, os, sys, time
header = json.loads(sys.stdin.readline())
with open("pid", "a") as f: f.write(str(os.getpid()) + "\n")
def answer(value): print(json.dumps(value), flush=True)
)";

class Policy {
 public:
  explicit Policy(const std::string& text) { write_text(folder_ / "policy.py", policy_head + text); }

  const ScratchFolder& folder() const { return folder_; }
  // [[controllers]] of this program with further keys; a command that is among them is taken.
  std::string controller(const std::string& keys = "") const {
    const bool given = keys.find("command") != std::string::npos;
    return fmt::format("\n[[controllers]]\nkind = \"process\"\nfolder = \"{}\"\n{}{}\n", folder_.path().string(),
                       given ? "" : "command = [\"python3\", \"-S\", \"policy.py\"]\n", keys);
  }
  Scenario of(const std::string& model, const std::string& keys = "", const std::vector<std::string>& set = {}) const {
    return test_model(model, controller(keys), set);
  }

  // The processes that ran it, from a file in which they left their numbers.
  std::vector<pid_t> processes(const std::string& file = "pid") const {
    std::vector<pid_t> all;
    std::ifstream numbers(folder_ / file);
    for (pid_t id = 0; numbers >> id;) all.push_back(id);
    return all;
  }

  // None of them is there any more, and none waits to be collected.
  void expect_gone(std::size_t runs, const std::string& file = "pid") const {
    const std::vector<pid_t> all = processes(file);
    EXPECT_EQ(all.size(), runs);
    for (const pid_t id : all) EXPECT_TRUE(::kill(id, 0) != 0 && errno == ESRCH) << id;
    EXPECT_TRUE(::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD);
  }

 private:
  ScratchFolder folder_;
};

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// All numbers of two rows are the same bits, but for columns that depend on who drives.
inline void expect_same(const Sample& a, const Sample& b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.nodes, b.nodes) << a.t;
  EXPECT_EQ(a.velocities, b.velocities) << a.t;
  EXPECT_EQ(a.tensions, b.tensions) << a.t;
  EXPECT_EQ(a.lengths, b.lengths) << a.t;
  EXPECT_EQ(a.rest_lengths, b.rest_lengths) << a.t;
  EXPECT_EQ(a.contact_forces, b.contact_forces) << a.t;
  EXPECT_EQ(a.energy, b.energy) << a.t;
}

inline void expect_same(const Motion& a, const Motion& b) {
  EXPECT_EQ(a.summary.status, RunStatus::done) << a.summary.reason;
  EXPECT_EQ(b.summary.status, RunStatus::done) << b.summary.reason;
  EXPECT_GT(a.rows.size(), 2U);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) expect_same(a.rows[i], b.rows[i]);
}

}  // namespace taut::testing
