#include "taut/results/summary_table.h"

#include <fmt/format.h>

#include "taut/model/words.h"
#include "taut/results/columns.h"

namespace taut {

std::vector<SummaryLine> summary_lines(const RunSettings& simulation, const Summary& summary, long rows) {
  std::vector<SummaryLine> lines;
  const auto add = [&](const char* name, std::string value) { lines.emplace_back(name, std::move(value)); };
  add("status", name(summary.status));
  if (!summary.reason.empty()) add("reason", summary.reason);
  add("simulated", fmt::format("{}{:.9g} s of {:.9g} s, {} rows",
                               summary.start_s > 0.0 ? fmt::format("{:.9g} s to ", summary.start_s) : "",
                               summary.simulated_s, simulation.duration, rows));
  add("formulation", summary.formulation);
  for (const FormulationRun& run : summary.formulations) {
    if (!run.refused.empty())
      add("", fmt::format("{} left out: {}", run.name, run.refused));
    else if (run.name != summary.formulation)
      add("", fmt::format("{} differs by {:.2e} m at most", run.name, run.difference));
  }
  if (!summary.formulations.empty()) add("difference", fmt::format("{:.2e} m", summary.largest_difference));
  if (summary.chart_switches > 0) add("chart switches", fmt::format("{}", summary.chart_switches));
  add("integrator", summary.integrator_reason.empty()
                        ? summary.integrator
                        : fmt::format("{} (chosen by auto: {})", summary.integrator, summary.integrator_reason));
  add("steps", fmt::format("{}", summary.steps));
  add("rejected steps", fmt::format("{}", summary.rejected));
  add("rhs calls", fmt::format("{}", summary.rhs));
  if (summary.wall_s > 0.0) {
    add("wall time", fmt::format("{:.4g} s", summary.wall_s));
    add("real-time factor", fmt::format("{:.4g}", (summary.simulated_s - summary.start_s) / summary.wall_s));
  }
  add("bar-length error", fmt::format("{:.2e} (relative, largest)", summary.max_bar_length_error));
  if (summary.hard_contact)
    add("hard contact", fmt::format("solved to {:.2e} m/s, {} sweeps at most", summary.contact_residual,
                                    summary.contact_sweeps));
  return lines;
}

std::array<std::string, 3> energy_line(const EnergyEnds& energies, int column) {
  const auto text = [](double value) { return fmt::format("{:.9g}", value); };
  return {energy_names[column], text(energies.first[column]), text(energies.last[column])};
}

std::string drift_text(const Summary& summary) {
  return fmt::format("{:.2e} (of the largest energy in play)", summary.energy_drift);
}

std::string event_time_text(double time) { return fmt::format("{:.9g} s", time); }

std::vector<std::string> warning_sentences(const Model& model, const Summary& summary) {
  std::vector<std::string> sentences;
  if (summary.status == RunStatus::failed)
    sentences.push_back(fmt::format("The run failed at t = {:.9g} s: {}", summary.simulated_s, summary.reason));
  else if (summary.status != RunStatus::done)
    sentences.push_back(
        fmt::format("The run was {}; what follows ends at t = {:.9g} s.", name(summary.status), summary.simulated_s));

  // Each cable counts once, however often it flaps.
  std::vector<char> counted(model.cables.size() + model.pulleys.size(), 0);
  const SlackEvent* first = nullptr;
  int cables = 0;
  for (const SlackEvent& event : summary.slack_events) {
    if (event.taut || counted.at(event.cable) != 0) continue;
    counted[event.cable] = 1;
    ++cables;
    if (first == nullptr) first = &event;
  }
  if (cables == 1)
    sentences.push_back(fmt::format("Cable {} went slack at {:.4g} s.", cable_name(model, first->cable), first->time));
  else if (cables > 1)
    sentences.push_back(fmt::format("{} cables went slack, first {} at {:.4g} s.", cables,
                                    cable_name(model, first->cable), first->time));
  if (!summary.yielded.empty()) {
    const YieldedMember& y = summary.yielded.front();
    sentences.push_back(
        summary.yielded.size() == 1
            ? fmt::format("{} yielded at {:.4g} s: {:.3g} m longer for good.", y.member, y.time, y.permanent)
            : fmt::format("{} members yielded, first {} at {:.4g} s.", summary.yielded.size(), y.member, y.time));
  }
  sentences.insert(sentences.end(), summary.warnings.begin(), summary.warnings.end());
  return sentences;
}

}  // namespace taut
