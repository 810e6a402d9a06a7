// What the comparison found, as a table for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "bench/peers/sweep.h"

namespace taut::bench {

// Node distances at the end between the reference and two independent converged runs.
struct CrossCheck {
  std::string run;  // who and how
  double distance = 0.0;
};

struct CaseResult {
  std::string key, title;
  double duration = 0.0;
  Reference reference;
  std::vector<CrossCheck> checks;
  std::vector<Entry> entries;  // every method that reached a target, timed
};

void print_case(const CaseResult& result, const std::vector<std::string>& peer_names, bool all_methods);
// One line per case and target: best engine, best tuned variant, taut, ratios.
void print_summary(const std::vector<CaseResult>& results);
void write_json(const std::vector<CaseResult>& results, const std::string& file);

}  // namespace taut::bench
