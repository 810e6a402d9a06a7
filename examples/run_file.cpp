// Runs a model file and looks at the motion.  run_file FILE.toml
#include <taut/taut.h>

#include <cstdio>

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const taut::Scenario scenario = taut::read_scenario(argv[1]);
  const taut::Run run = taut::simulate(scenario);
  if (run.summary.status != taut::RunStatus::done) {
    std::printf("%s at t = %g s: %s\n", name(run.summary.status), run.summary.simulated_s, run.summary.reason.c_str());
    return 1;
  }
  // Row by row: times, nodes as columns, tensions.
  double highest = 0.0, tightest = 0.0;
  for (std::size_t i = 0; i < run.rows(); ++i) {
    highest = std::max(highest, run.nodes(i).row(2).maxCoeff());
    tightest = std::max(tightest, run.tensions(i).maxCoeff());
  }
  std::printf("%zu rows up to t = %g s: highest node %.4f m, largest tension %.2f N\n", run.rows(), run.t.back(),
              highest, tightest);
  for (const taut::Event& event : run.events)
    if (event.kind == taut::Event::Kind::slack)
      std::printf("%s went slack at %.4f s\n", event.name.c_str(), event.time);
  return 0;
} catch (const taut::InputError& error) {
  for (const taut::KeyPlace& place : error.places())
    std::printf("%s:%d:%d: %s\n", place.file.c_str(), place.line, place.column, place.key.c_str());
  std::printf("%s\n", error.what());
  return 2;
}
