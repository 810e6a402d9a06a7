// Whole motions in memory.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "taut/base/error.h"
#include "taut/c/handles.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/output_dir.h"
#include "taut/results/record_summary.h"

namespace taut::c {

namespace {

const std::vector<double>& list_of(const Run& run, int quantity) {
  const RunColumns& c = run.columns;
  switch (quantity) {
    case TAUT_T:
      return run.t;
    case TAUT_NODES:
      return c.nodes;
    case TAUT_VELOCITIES:
      return c.velocities;
    case TAUT_TENSIONS:
      return c.tensions;
    case TAUT_LENGTHS:
      return c.lengths;
    case TAUT_REST_LENGTHS:
      return c.rest_lengths;
    case TAUT_BAR_FORCES:
      return c.bar_forces;
    case TAUT_ENERGY:
      return c.energy;
    case TAUT_CONTACT_FORCES:
      return c.contact_forces;
    case TAUT_SUPPORT_FORCES:
      return c.support_forces;
    case TAUT_BAR_LENGTHS:
      return c.bar_lengths;
    case TAUT_BAR_REST_LENGTHS:
      return c.bar_rest_lengths;
    case TAUT_JOINTS:
      return c.joints;
    case TAUT_FRAMES:
      return c.frames;
    case TAUT_BODIES:
      return c.bodies;
    case TAUT_CONTROLS:
      return c.controls;
    case TAUT_CONSTRAINT_ERROR:
      return c.constraint_error;
    default:
      throw Misuse(fmt::format("{} is no taut_quantity", quantity));
  }
}

taut_run* handle_of(Run run) {
  std::string summary = summary_json(run.summary, run.scenario.model);
  return new taut_run{std::move(run), std::move(summary)};
}

Run simulated(taut_model& model, double duration, const taut_controller* controller) {
  Scenario scenario =
      duration == 0.0 ? model.draft.scenario()
                      : model.draft.with({{"simulation.duration", {duration}, fmt::format("duration {}", duration)}});
  RunHooks hooks;
  hooks.stop = &model.stop;
  if (controller != nullptr) {
    hooks.control = control_function(*controller);
    hooks.control_options = control_options(*controller);
    hooks.rate = controller->rate;
  }
  Run run = simulate(scenario, hooks);
  model.stop.store(false, std::memory_order_relaxed);
  return run;
}

void save(const Run& run, const std::string& file) {
  const std::filesystem::path path = file;
  if (!path.has_filename()) throw InputError(file + ": expected the name of a file");
  OutputDir dir(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
  Hdf5Recorder recorder(dir, path.filename().string());
  replay(run, recorder);
}

}  // namespace

}  // namespace taut::c

using namespace taut::c;

extern "C" {

int taut_simulate(taut_model* model, double duration, const taut_controller* controller, taut_run** run) {
  return answer([&] {
    cleared(run, "run");
    const Use use(model, "model");
    *run = handle_of(simulated(*model, duration, controller));
    const taut::Summary& summary = (*run)->run.summary;
    if (summary.status == taut::RunStatus::failed)
      throw taut::RunError(summary.simulated_s,
                           fmt::format("failed at t = {:.9g} s: {}", summary.simulated_s, summary.reason));
    if (summary.status == taut::RunStatus::interrupted) throw StoppedAt(summary.simulated_s, summary.reason);
  });
}

void taut_model_stop(taut_model* model) {
  if (model != nullptr) model->stop.store(true, std::memory_order_relaxed);
}

int taut_open(const char* file, taut_run** run) {
  return answer([&] {
    cleared(run, "run");
    const std::string name = &require(file, "file");
    *run = handle_of(taut::read_run(name));
  });
}

int taut_run_save(taut_run* run, const char* file) {
  return answer([&] { save(require(run, "run").run, &require(file, "file")); });
}

void taut_run_free(taut_run* run) { delete run; }

int taut_run_status(taut_run* run) {
  return value_or(-1, [&] { return static_cast<int>(require(run, "run").run.summary.status); });
}

int64_t taut_run_rows(taut_run* run) {
  return value_or(int64_t{-1}, [&] { return static_cast<int64_t>(require(run, "run").run.rows()); });
}

const double* taut_run_array(taut_run* run, int quantity, int64_t* width) {
  if (width != nullptr) *width = -1;
  return value_or(static_cast<const double*>(nullptr), [&] {
    static constexpr double nothing = 0.0;
    const taut::Run& all = require(run, "run").run;
    const std::vector<double>& list = list_of(all, quantity);
    if (width != nullptr) *width = all.rows() > 0 ? static_cast<int64_t>(list.size() / all.rows()) : 0;
    return list.empty() ? &nothing : list.data();
  });
}

const char* taut_run_summary(taut_run* run) {
  return value_or(static_cast<const char*>(nullptr), [&] { return require(run, "run").summary.c_str(); });
}

int taut_run_model(taut_run* run, taut_model** model) {
  return answer([&] {
    cleared(model, "model");
    *model = new taut_model{taut::Draft::from_scenario(require(run, "run").run.scenario)};
  });
}

}  // extern "C"
