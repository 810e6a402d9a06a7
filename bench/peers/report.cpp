#include "bench/peers/report.h"

#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace taut::bench {
namespace {

double microseconds_per_step(const Entry& entry) { return 1e6 * entry.seconds / static_cast<double>(entry.steps); }

// The cheapest entry for a target among those that `wanted` accepts; null if there is none.
template <class Wanted>
const Entry* cheapest(const CaseResult& result, double target, Wanted wanted) {
  const Entry* best = nullptr;
  for (const Entry& entry : result.entries) {
    if (entry.target == target && wanted(entry) && (!best || entry.seconds < best->seconds)) best = &entry;
  }
  return best;
}

const Entry* best_taut(const CaseResult& result, double target) {
  return cheapest(result, target, [](const Entry& e) { return e.peer == "taut"; });
}
const Entry* best_engine(const CaseResult& result, double target) {
  return cheapest(result, target, [](const Entry& e) { return e.peer != "taut" && !e.tuned; });
}
const Entry* best_tuned(const CaseResult& result, double target) {
  return cheapest(result, target, [](const Entry& e) { return e.peer != "taut"; });
}

std::string setting(const Entry& entry) {
  return entry.adaptive ? fmt::format("accuracy {:.1e}", 1.0 / entry.effort) : fmt::format("{} steps", entry.steps);
}

void print_entry(const Entry& entry, double duration) {
  fmt::print("  {:6.0e}  {:<16} {:<34} {:>9.2e} s/s  {:>9.2f} us/step  {:<18} error {:.1e}\n", entry.target, entry.peer,
             entry.method + (entry.tuned ? " (tuned)" : ""), entry.seconds / duration, microseconds_per_step(entry),
             setting(entry), entry.error);
}

std::string ratio(const Entry* taut, const Entry* other) {
  return taut && other ? fmt::format("{:.3f}", taut->seconds / other->seconds) : "-";
}

std::string short_text(const Entry* entry, double duration) {
  if (!entry) return "not reached";
  return fmt::format("{:.1e} {}, {}", entry->seconds / duration, entry->peer, entry->method);
}

}  // namespace

void print_case(const CaseResult& result, const std::vector<std::string>& peer_names, bool all_methods) {
  fmt::print("\n{} ({} s; reference +-{:.0e} m in {} steps, least tension {:.2f} N)\n", result.title, result.duration,
             result.reference.uncertainty, result.reference.steps, result.reference.least_tension);
  for (const CrossCheck& check : result.checks)
    fmt::print("  reference against {}: {:.1e} m\n", check.run, check.distance);
  for (const double target : targets) {
    for (const std::string& name : peer_names) {
      bool reached = false;
      for (const bool tuned : {false, true}) {
        const auto mine = [&](const Entry& e) { return e.peer == name && e.tuned == tuned; };
        const Entry* best = cheapest(result, target, mine);
        reached = reached || best;
        if (!all_methods && best) print_entry(*best, result.duration);
        for (const Entry& entry : result.entries) {
          if (all_methods && entry.target == target && mine(entry)) print_entry(entry, result.duration);
        }
      }
      if (!reached) fmt::print("  {:6.0e}  {:<16} not reached\n", target, name);
    }
    fmt::print("  {:6.0e}  taut / best engine {}, taut / best tuned {}\n", target,
               ratio(best_taut(result, target), best_engine(result, target)),
               ratio(best_taut(result, target), best_tuned(result, target)));
  }
}

void print_summary(const std::vector<CaseResult>& results) {
  fmt::print("\nCore seconds per simulated second\n{:<28} {:>6}  {:<34} {:<48} {:<48} {:>11} {:>10}\n", "case", "at m",
             "taut", "best engine", "best tuned", "taut/engine", "taut/tuned");
  for (const CaseResult& result : results) {
    for (const double target : targets) {
      const Entry *taut = best_taut(result, target), *engine = best_engine(result, target),
                  *tuned = best_tuned(result, target);
      fmt::print("{:<28} {:>6.0e}  {:<34} {:<48} {:<48} {:>11} {:>10}\n", result.title, target,
                 short_text(taut, result.duration), short_text(engine, result.duration),
                 short_text(tuned, result.duration), ratio(taut, engine), ratio(taut, tuned));
    }
  }
}

void write_json(const std::vector<CaseResult>& results, const std::string& file) {
  nlohmann::json root = nlohmann::json::array();
  for (const CaseResult& result : results) {
    nlohmann::json item = {{"case", result.key},
                           {"title", result.title},
                           {"duration_s", result.duration},
                           {"reference_uncertainty_m", result.reference.uncertainty},
                           {"least_tension_N", result.reference.least_tension}};
    for (const CrossCheck& check : result.checks) item["reference_against_m"][check.run] = check.distance;
    for (const Entry& entry : result.entries) {
      item["entries"].push_back({{"peer", entry.peer},
                                 {"method", entry.method},
                                 {"tuned", entry.tuned},
                                 {"target_m", entry.target},
                                 {"error_m", entry.error},
                                 {"steps", entry.steps},
                                 {"seconds_per_second", entry.seconds / result.duration},
                                 {"us_per_step", microseconds_per_step(entry)}});
    }
    for (const double target : targets) {
      const Entry *taut = best_taut(result, target), *engine = best_engine(result, target),
                  *tuned = best_tuned(result, target);
      nlohmann::json row = {{"target_m", target}};
      if (taut && engine) row["taut_over_best_engine"] = taut->seconds / engine->seconds;
      if (taut && tuned) row["taut_over_best_tuned"] = taut->seconds / tuned->seconds;
      item["ratios"].push_back(row);
    }
    root.push_back(item);
  }
  std::ofstream out(file);
  out << root.dump(2) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace taut::bench
