#include "bench/peers/sweep.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>

namespace taut::bench {
namespace {

constexpr int refinements = 4;  // halvings of the interval: efforts within 5 % (steps) or 15 % (accuracy) of the least

class Sweep {
 public:
  Sweep(const Case& test, const Reference& reference, const Peer& peer, const Method& method, const SweepLimits& limits)
      : test_(test), reference_(reference), peer_(peer), method_(method), limits_(limits) {}

  // More and more effort, until the last target is met or a run becomes too dear.
  void climb() {
    const double growth = method_.adaptive ? 10.0 : 2.0, most = method_.adaptive ? 1e14 : 1e8;
    int stalled = 0;
    double best = INFINITY;
    for (double effort = method_.adaptive ? 10.0 : 16.0; effort <= most; effort *= growth) {
      const Entry& entry = at(effort);
      // Well under the last target, or no progress any more (rounding), or too dear.
      if (entry.error <= 0.1 * targets.back()) return;
      stalled = std::isfinite(entry.error) && entry.error > 0.7 * best ? stalled + 1 : 0;
      best = std::min(best, entry.error);
      if (entry.seconds > limits_.run_seconds || (stalled >= 4 && best < targets.front())) return;
    }
  }

  // The least effort that meets the target, between the largest that fails and the next that was tried.
  std::optional<Entry> cheapest(double target) {
    double failing = 0.0, passing = 0.0;
    for (int refinement = 0;; ++refinement) {
      failing = passing = 0.0;
      for (const auto& [effort, entry] : tried_) {
        if (entry.error > target)
          failing = effort, passing = 0.0;
        else if (passing == 0.0)
          passing = effort;
      }
      if (passing == 0.0) return std::nullopt;
      if (failing == 0.0 || refinement == refinements) break;
      at(method_.adaptive ? std::sqrt(failing * passing) : std::round(std::sqrt(failing * passing)));
    }
    Entry found = tried_.at(passing);
    found.target = target;
    return found;
  }

 private:
  const Entry& at(double effort) {
    const auto known = tried_.find(effort);
    if (known != tried_.end()) return known->second;
    Entry entry;
    entry.peer = peer_.name;
    entry.method = method_.name;
    entry.tuned = method_.tuned;
    entry.adaptive = method_.adaptive;
    entry.effort = effort;
    entry.error = INFINITY;
    try {
      entry.session = peer_.open(test_.model, method_.name, effort, test_.duration);
      entry.seconds = entry.session->run();
      entry.steps = entry.session->steps();
      entry.error = largest_distance(entry.session->nodes(), reference_.nodes);
    } catch (const std::exception&) {
      entry.session.reset();  // too large a step: the engine gave up
    }
    return tried_.emplace(effort, std::move(entry)).first->second;
  }

  const Case& test_;
  const Reference& reference_;
  const Peer& peer_;
  const Method& method_;
  const SweepLimits& limits_;
  std::map<double, Entry> tried_;
};

}  // namespace

std::array<std::optional<Entry>, targets.size()> sweep(const Case& test, const Reference& reference, const Peer& peer,
                                                       const Method& method, const SweepLimits& limits) {
  Sweep search(test, reference, peer, method, limits);
  search.climb();
  std::array<std::optional<Entry>, targets.size()> result;
  // Twice, because refining for one target may find a better setting for another.
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < targets.size(); ++i) result[i] = search.cheapest(targets[i]);
  }
  return result;
}

void time_entries(std::vector<Entry>& entries, const SweepLimits& limits) {
  for (int round = 0; round < limits.timing_rounds; ++round) {
    for (Entry& entry : entries) {
      double spent = 0.0;
      int runs = 0;
      do {
        const double seconds = entry.session->run();
        entry.seconds = std::min(entry.seconds, seconds);
        spent += seconds;
      } while (spent < limits.timing_seconds && ++runs < 200);
    }
  }
}

}  // namespace taut::bench
