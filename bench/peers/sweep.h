// Finds, for a peer and a method, the cheapest setting that reaches each accuracy, and times the settings found.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/peers/cases.h"
#include "bench/peers/peer.h"
#include "bench/peers/reference.h"

namespace taut::bench {

constexpr std::array<double, 3> targets = {1e-3, 1e-5, 1e-8};  // m, largest node error at the end

struct SweepLimits {
  double run_seconds = 2.0;      // a method whose single run costs more than this is given up
  double timing_seconds = 0.05;  // spent on each setting in each round of the timing
  int timing_rounds = 5;
};

// One setting: peer × method × effort.
struct Entry {
  std::string peer, method;
  bool tuned = false, adaptive = false;
  double target = 0.0;
  double effort = 0.0;
  double error = 0.0;    // m
  double seconds = 0.0;  // core seconds of the whole run; the least of all repeats
  long steps = 0;
  std::shared_ptr<Session> session;
};

// The cheapest setting for each target, in the order of `targets`; none where the method does not reach it. A setting
// counts as reaching a target only if every larger effort that was tried reaches it too, so that an error that passes
// by the right answer by chance is not taken for accuracy.
std::array<std::optional<Entry>, targets.size()> sweep(const Case& test, const Reference& reference, const Peer& peer,
                                                       const Method& method, const SweepLimits& limits);

// Repeats all entries in turn, so that a busy spell of the machine hits everybody, and keeps each one's least time.
void time_entries(std::vector<Entry>& entries, const SweepLimits& limits);

}  // namespace taut::bench
