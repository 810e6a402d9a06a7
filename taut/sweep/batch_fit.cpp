#include "taut/sweep/batch_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/batch/backend.h"
#include "taut/batch/plan/plan.h"
#include "taut/batch/plan/robot_numbers.h"
#include "taut/dynamics/dynamics.h"
#include "taut/integrate/outputs.h"

namespace taut {

namespace {

constexpr long least_runs = 16;  // fill a vector unit
constexpr double most_rows = 1e6;
constexpr double room_for_rows = 64e6, most_room = 256e6;  // bytes, of the rows of one batch

// Times of rows and of jumps, ascending, as a run meets them: at a time that both have they are one.
std::vector<std::pair<double, bool>> segment_ends(const Scenario& scenario) {
  const Dynamics dynamics(scenario.model, "nodal", ConstraintMethod::projection);
  const double duration = scenario.simulation.duration;
  std::vector<double> jumps = dynamics.breakpoints(duration);
  std::vector<std::pair<double, bool>> ends;
  Outputs outputs(
      scenario.simulation.output_step, duration, [](const State&) {}, nullptr, jumps);
  std::size_t jump = 0;
  const State nothing;
  while (std::isfinite(outputs.next())) {
    stop_if_asked();
    for (; jump < jumps.size() && jumps[jump] < outputs.next(); ++jump) ends.emplace_back(jumps[jump], false);
    if (jump < jumps.size() && jumps[jump] == outputs.next()) ++jump;
    ends.emplace_back(outputs.next(), true);
    outputs.emit(nothing);
  }
  return ends;
}

// What of [simulation] a batch has not.
std::string objection_to(const RunSettings& asked, const Model& model) {
  if (natural_formulation(model, asked.formulation) != "multibody" && asked.formulation != "nodal")
    return fmt::format("simulation.formulation is {}; a batch has \"nodal\"", in_quotes(asked.formulation));
  const bool hard = model.ground && model.ground->law == PressKind::rigid;
  if (asked.integrator != "symplectic" && !(asked.integrator == "auto" && hard))
    return fmt::format("simulation.integrator is {}; a batch has \"symplectic\"", in_quotes(asked.integrator));
  if (asked.duration > most_rows * asked.output_step)
    return fmt::format("there are more than {:g} rows; take a longer output_step", most_rows);
  if (asked.constraints != ConstraintMethod::projection)
    return fmt::format("simulation.constraints is \"{}\"; a batch has \"projection\"", name(asked.constraints));
  return "";
}

std::string objection_to(const SweepFile& sweep, long runs, bool keep_runs, bool few) {
  if (keep_runs) return "whole runs are kept, and a batch has rows for records only";
  if (sweep.bisect) return "it searches for a limit, run by run";
  for (const SweepParameter& p : sweep.parameters)
    for (const std::string& key : p.keys)
      if (key.starts_with("simulation.")) return fmt::format("{} varies; robots of a batch share steps and rows", key);
  if (few && runs < least_runs) return fmt::format("{} runs are fewer than the {} that fill a batch", runs, least_runs);
  return "";
}

// Some runs all over the sweep: whether their structure is that of the first.
std::string other_structure(const Plan& plan, const Variation& variation, const batch::Plan& shape,
                            const Scenario& base) {
  Variation own(variation);
  std::vector<double> values;
  const long runs = plan.runs(), step = std::max(1L, runs / 20);
  for (long run = 0; run < runs; run += step) {
    stop_if_asked();
    try {
      plan.at(run, values);
      const Model& model = own.at(values, run).model;
      const Model* const one = &model;
      batch::RobotNumbers numbers;
      const std::string reason = batch::numbers_of_models({&one, 1}, shape, base.model, numbers).front();
      if (!reason.empty()) return fmt::format("run {}: {}", run, reason);
    } catch (const InputError&) {  // that run is refused
    }
  }
  return "";
}

// Of the ranks of a launcher on this machine, which one this is.
int rank_on_machine() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char* const text = std::getenv(name)) return std::max(0, std::atoi(text));
  return 0;
}

// Throws InputError where there is no card.
void take_card(const SweepFile& sweep, BatchFit& fit) {
  fit.on_card = true;
  fit.card = rank_on_machine() % std::max(1, card_count());
  try {
    batch::make_cuda_backend({.device = BatchDevice::cuda, .card = fit.card});
  } catch (const InputError& error) {
    throw InputError({{sweep.device_place, key_at(sweep.device_place, "device"), error.problems().front().message}});
  }
}

double bytes_of_robot(const BatchFit& fit) {
  const Model& model = fit.base.model;
  const double entities = static_cast<double>(model.nodes.size() + model.cables.size() + model.bars.size() +
                                              model.bodies.size() + model.constraints.size());
  const double rows = fit.rows ? static_cast<double>(fit.grid.times.size()) : 1.0;
  return 48.0 * static_cast<double>(model.nodes.size()) * rows + 600.0 * entities;
}

}  // namespace

RowGrid row_grid(const Scenario& scenario) {
  RowGrid grid;
  const double asked = scenario.simulation.step, rounding = std::numeric_limits<double>::epsilon();
  double from = 0.0, count = 0.0;
  for (const auto& [end, row] : segment_ends(scenario)) {
    if (end > from) {
      const double steps = std::max(1.0, std::ceil((end - from) / asked - 1e-9));  // as advance_fixed does
      if (grid.step == 0.0) grid.step = (end - from) / steps;
      if (std::abs(end - from - steps * grid.step) > 1e-12 * (end - from) + 4.0 * rounding * end ||
          count + steps > 2e9) {
        grid.step = 0.0;
        return grid;
      }
      count += steps;
    }
    from = end;
    if (!row) continue;
    if (!grid.times.empty()) grid.steps.push_back(static_cast<int>(count));
    grid.times.push_back(end);
    count = 0.0;
  }
  return grid;
}

BatchFit batch_fit(const SweepFile& sweep, const Plan& plan, const Variation& variation, bool keep_runs, bool few) {
  BatchFit fit;
  fit.base = variation.first();
  fit.objection = objection_to(sweep, plan.runs(), keep_runs, few);
  if (fit.objection.empty()) fit.objection = objection_to(fit.base.simulation, fit.base.model);
  if (!fit.objection.empty()) return fit;
  try {
    const Measure measure(sweep, fit.base);
    fit.rows = measure.needs_rows();
    if (!measure.beyond_states().empty()) {
      fit.objection =
          fmt::format("{}: a batch knows the nodes at rows, and not what happens in between", measure.beyond_states());
      return fit;
    }
    const batch::Plan shape = batch::make_plan(fit.base.model, false);
    fit.grid = row_grid(fit.base);
    if (!(fit.grid.step > 0.0))
      fit.objection = fmt::format(
          "rows and jumps of signals and loads are no whole numbers of one step of {:g} s apart, so that the steps of "
          "a run "
          "differ in length",
          fit.base.simulation.step);
    if (fit.objection.empty()) fit.objection = other_structure(plan, variation, shape, fit.base);
  } catch (const InputError& error) {
    fit.objection = error.problems().front().message;
  }
  if (!fit.objection.empty()) return fit;
  const double each = bytes_of_robot(fit);
  if (sweep.on_card) take_card(sweep, fit);
  // A card is busy with thousands of robots only.
  const long most = fit.on_card ? 16384 : 1024;
  fit.most_robots =
      std::clamp(static_cast<long>((fit.on_card ? 4.0 : 1.0) * room_for_rows / each), least_runs, most) / 16 * 16;
  if (each * static_cast<double>(fit.most_robots) > most_room)
    fit.objection = fmt::format("the {} rows of {} runs do not fit into {:g} MB; take a longer output_step",
                                fit.grid.times.size(), fit.most_robots, 1e-6 * most_room);
  return fit;
}

}  // namespace taut
