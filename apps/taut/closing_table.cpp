#include "apps/taut/closing_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <vector>

#include "taut/base/text/text.h"
#include "taut/model/words.h"
#include "taut/report/record_scene.h"
#include "taut/results/record_csv.h"

namespace taut {
namespace {

constexpr std::size_t events_shown = 5;

class Lines {
 public:
  // A name and what belongs to it; a name of "" continues the entry above.
  void add(std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(text), "  {:<18}{}\n", name, value);
  }
  std::string text;
};

std::string size_text(std::uintmax_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  if (bytes < 1000 * 1000) return fmt::format("{:.3g} kB", static_cast<double>(bytes) / 1e3);
  if (bytes < 1000 * 1000 * 1000) return fmt::format("{:.3g} MB", static_cast<double>(bytes) / 1e6);
  return fmt::format("{:.3g} GB", static_cast<double>(bytes) / 1e9);
}

void add_energies(Lines& lines, const EnergyEnds& energies, const Summary& summary) {
  if (energies.rows == 0) return;
  lines.add("energy, J", fmt::format("{:>16}{:>16}", "at the start", "at the end"));
  for (int i = 0; i < energy_columns; ++i) {
    const auto [name, first, last] = energy_line(energies, i);
    lines.add("  " + name, fmt::format("{:>16}{:>16}", first, last));
  }
  lines.add("  largest drift", drift_text(summary));
}

void add_events(Lines& lines, const Model& model, const Summary& summary, bool utf8) {
  const std::size_t kept = summary.slack_events.size();
  const long all = static_cast<long>(kept) + summary.slack_events_dropped;
  lines.add("slack events", all == 0 ? "none" : fmt::format("{}", all));
  const std::size_t shown = std::min(kept, events_shown);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i)
    width = std::max(width, cable_name(model, summary.slack_events[i].cable).size());
  for (std::size_t i = 0; i < shown; ++i) {
    const SlackEvent& event = summary.slack_events[i];
    lines.add("", fmt::format("{:<{}}  {:<5}  at {}", cable_name(model, event.cable), width,
                              event.taut ? "taut" : "slack", event_time_text(event.time)));
  }
  if (all > static_cast<long>(shown))
    lines.add("", fmt::format("{} {} more in summary.json", utf8 ? "…" : "...", kept - shown));
  if (summary.slack_events_dropped > 0)
    lines.add("", fmt::format("{} beyond those listed", summary.slack_events_dropped));
}

void add_yielded(Lines& lines, const Summary& summary, bool utf8) {
  const std::size_t all = summary.yielded.size(), shown = std::min(all, events_shown);
  if (all == 0) return;
  lines.add("yielded", fmt::format("{}", all));
  for (std::size_t i = 0; i < shown; ++i) {
    const YieldedMember& y = summary.yielded[i];
    lines.add("", fmt::format("{}  at {}, {:.4g} m for good", y.member, event_time_text(y.time), y.permanent));
  }
  if (all > shown) lines.add("", fmt::format("{} {} more in summary.json", utf8 ? "…" : "...", all - shown));
}

void add_control_events(Lines& lines, const Model& model, const Summary& summary, bool utf8) {
  if (model.controllers.empty()) return;
  const std::size_t all = summary.control_events.size(), shown = std::min(all, events_shown);
  lines.add("control events", all == 0 ? "none" : fmt::format("{}", all));
  for (std::size_t i = 0; i < shown; ++i) {
    const ControlEvent& event = summary.control_events[i];
    lines.add("", fmt::format("{}  at {}", event.what, event_time_text(event.time)));
  }
  if (all > shown) lines.add("", fmt::format("{} {} more in summary.json", utf8 ? "…" : "...", all - shown));
  if (summary.control_events_dropped > 0)
    lines.add("", fmt::format("{} beyond those listed", summary.control_events_dropped));
}

// The largest error of every target, and of every input for how long it could not do what it should.
void add_control_errors(Lines& lines, const Summary& summary) {
  std::string_view name = "control errors";
  for (const ControllerSummary& controller : summary.controllers)
    for (const ControllerSummary::Target& target : controller.targets) {
      lines.add(name, fmt::format("{}.{}  {:.3g} {} at most, {:.3g} rms", controller.name, target.name,
                                  target.max_error, target.unit, target.rms_error));
      name = "";
    }
  name = "saturated inputs";
  for (const ControllerSummary& controller : summary.controllers)
    for (const ControllerSummary::Input& input : controller.inputs) {
      if (input.saturations == 0) continue;
      lines.add(name, fmt::format("{}.{}  {}, {:.4g} s in all", controller.name, input.name,
                                  plural(input.saturations, "time", "times"), input.saturated_s));
      name = "";
    }
}

void add_files(Lines& lines, const OutputDir& dir) {
  std::error_code error;
  std::string_view name = "files";
  for (const std::filesystem::path& file : dir.written()) {
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    lines.add(name, error ? file.string() : fmt::format("{} ({})", file.string(), size_text(size)));
    name = "";
  }
  // Tables and pages that an earlier run left in the folder do not belong to these results.
  name = "of an earlier run";
  std::vector<std::string> others(CsvRecorder::file_names.begin(), CsvRecorder::file_names.end());
  others.push_back(SceneRecorder::file_name);
  for (const std::string& other : others) {
    const std::filesystem::path file = dir.path() / other;
    if (std::find(dir.written().begin(), dir.written().end(), file) != dir.written().end()) continue;
    if (!std::filesystem::exists(file, error)) continue;
    lines.add(name, file.string());
    name = "";
  }
}

}  // namespace

std::string closing_table(const Scenario& scenario, const Summary& summary, const EnergyEnds& energies,
                          const OutputDir& dir, bool utf8, const std::string& no_report) {
  Lines lines;
  if (!scenario.model.name.empty()) lines.text = scenario.model.name + "\n";
  for (const auto& [name, value] : summary_lines(scenario.simulation, summary, energies.rows)) lines.add(name, value);
  add_energies(lines, energies, summary);
  add_events(lines, scenario.model, summary, utf8);
  add_yielded(lines, summary, utf8);
  add_control_events(lines, scenario.model, summary, utf8);
  add_control_errors(lines, summary);
  if (summary.warnings.empty()) lines.add("warnings", "none");
  for (std::size_t i = 0; i < summary.warnings.size(); ++i) lines.add(i == 0 ? "warnings" : "", summary.warnings[i]);
  if (!no_report.empty()) lines.add("report", "none: " + no_report);
  add_files(lines, dir);
  return lines.text;
}

}  // namespace taut
