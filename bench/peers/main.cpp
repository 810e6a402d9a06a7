// bench-peers: the same motions by taut, MuJoCo, Bullet and Simbody, at equal accuracy. Prints what each costs.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/peers/report.h"

namespace taut::bench {
namespace {

struct Options {
  std::string only;  // a case's key
  std::string json;
  bool quick = false, all_methods = false;
};

// A tight adaptive run against the reference, which neither taut nor a peer computed.
CrossCheck cross_check(const Case& test, const Reference& reference, const Peer& peer, const char* method,
                       double accuracy) {
  const auto session = peer.open(test.model, method, 1.0 / accuracy, test.duration);
  session->run();
  return {fmt::format("{} {} at {:.0e}", peer.name, method, accuracy),
          largest_distance(session->nodes(), reference.nodes)};
}

// Only methods within a factor of the peer's best are worth exact timing.
std::vector<Entry> contenders(std::vector<Entry> entries) {
  std::vector<Entry> kept;
  for (const Entry& entry : entries) {
    const bool hopeless = std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
      return other.peer == entry.peer && other.tuned == entry.tuned && other.target == entry.target &&
             3.0 * other.seconds < entry.seconds;
    });
    if (!hopeless) kept.push_back(entry);
  }
  return kept;
}

CaseResult measure(const Case& test, const std::vector<Peer>& all, const Options& options) {
  SweepLimits limits;
  if (options.quick) limits = {.run_seconds = 0.2, .timing_seconds = 0.01, .timing_rounds = 3};
  CaseResult result;
  result.key = test.key;
  result.title = test.title;
  result.duration = test.duration;
  result.reference = reference_motion(test.model, test.duration, 2e-11);
  if (result.reference.least_tension <= 0.0) throw std::runtime_error(test.title + ": a cable goes slack");
  for (const Peer& peer : all) {
    if (peer.name == "taut") result.checks.push_back(cross_check(test, result.reference, peer, "dopri5", 1e-13));
    if (peer.name == "Simbody") result.checks.push_back(cross_check(test, result.reference, peer, "rk-merson", 1e-12));
    for (const Method& method : peer.methods) {
      fmt::print(stderr, "{}: {}, {}\n", test.title, peer.name, method.name);
      for (auto& found : sweep(test, result.reference, peer, method, limits)) {
        if (found) result.entries.push_back(std::move(*found));
      }
    }
  }
  if (!options.all_methods) result.entries = contenders(std::move(result.entries));
  time_entries(result.entries, limits);
  return result;
}

void run(const Options& options) {
  std::vector<Peer> all = peers();
  all.insert(all.begin(), taut_itself());
  std::vector<std::string> names;
  for (const Peer& peer : all) names.push_back(peer.name);
  std::vector<CaseResult> results;
  for (const Case& test : cases()) {
    if (!options.only.empty() && options.only != test.key) continue;
    results.push_back(measure(test, all, options));
    print_case(results.back(), names, options.all_methods);
  }
  if (results.empty()) throw std::runtime_error("no case " + options.only);
  print_summary(results);
  if (!options.json.empty()) write_json(results, options.json);
}

}  // namespace
}  // namespace taut::bench

int main(int argc, char** argv) {
  taut::bench::Options options;
  CLI::App app("The same tensegrity motions by taut, MuJoCo, Bullet and Simbody at equal accuracy");
  app.add_option("--case", options.only, "one case: prism, six-bar, six-bar-damped, tower-10, tower-100");
  app.add_option("--json", options.json, "write every number to this file");
  app.add_flag("--quick", options.quick, "give slow methods up early, fewer repeats");
  app.add_flag("--all", options.all_methods, "show every method, not only each program's best");
  CLI11_PARSE(app, argc, argv);
  try {
    taut::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-peers: {}\n", error.what());
    return 1;
  }
}
