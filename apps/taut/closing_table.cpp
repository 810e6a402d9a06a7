#include "apps/taut/closing_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "taut/run/columns.h"
#include "taut/run/record_csv.h"

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

void add_energies(Lines& lines, const EnergyEnds& energies, double drift) {
  if (energies.rows == 0) return;
  lines.add("energy, J", fmt::format("{:>16}{:>16}", "at the start", "at the end"));
  for (int i = 0; i < energy_columns; ++i)
    lines.add(fmt::format("  {}", energy_names[i]),
              fmt::format("{:>16.9g}{:>16.9g}", energies.first[i], energies.last[i]));
  lines.add("  largest drift", fmt::format("{:.2e} (of the largest energy in play)", drift));
}

void add_events(Lines& lines, const Model& model, const Summary& summary, bool utf8) {
  const std::size_t kept = summary.slack_events.size();
  const long all = static_cast<long>(kept) + summary.slack_events_dropped;
  lines.add("slack events", all == 0 ? "none" : fmt::format("{}", all));
  const std::size_t shown = std::min(kept, events_shown);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i)
    width = std::max(width, model.cables.at(summary.slack_events[i].cable).name.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const SlackEvent& event = summary.slack_events[i];
    lines.add("", fmt::format("{:<{}}  {:<5}  at {:.9g} s", model.cables.at(event.cable).name, width,
                              event.taut ? "taut" : "slack", event.time));
  }
  if (all > static_cast<long>(shown))
    lines.add("", fmt::format("{} {} more in summary.json", utf8 ? "…" : "...", kept - shown));
  if (summary.slack_events_dropped > 0)
    lines.add("", fmt::format("{} beyond those listed", summary.slack_events_dropped));
}

void add_files(Lines& lines, const OutputDir& dir) {
  std::error_code error;
  std::string_view name = "files";
  for (const std::filesystem::path& file : dir.written()) {
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    lines.add(name, error ? file.string() : fmt::format("{} ({})", file.string(), size_text(size)));
    name = "";
  }
  // Tables that an earlier run left in the folder do not belong to these results.
  name = "of an earlier run";
  for (const char* table : CsvRecorder::file_names) {
    const std::filesystem::path file = dir.path() / table;
    if (std::find(dir.written().begin(), dir.written().end(), file) != dir.written().end()) continue;
    if (!std::filesystem::exists(file, error)) continue;
    lines.add(name, file.string());
    name = "";
  }
}

}  // namespace

std::string closing_table(const Scenario& scenario, const Summary& summary, const EnergyEnds& energies,
                          const OutputDir& dir, bool utf8) {
  Lines lines;
  if (!scenario.model.name.empty()) lines.text = scenario.model.name + "\n";
  lines.add("status", summary.status);
  if (!summary.reason.empty()) lines.add("reason", summary.reason);
  lines.add("simulated", fmt::format("{:.9g} s of {:.9g} s, {} rows", summary.simulated_s, scenario.simulation.duration,
                                     energies.rows));
  lines.add("formulation", summary.formulation);
  lines.add("integrator", summary.integrator_reason.empty()
                              ? summary.integrator
                              : fmt::format("{} (chosen by auto: {})", summary.integrator, summary.integrator_reason));
  lines.add("steps", fmt::format("{}", summary.steps));
  lines.add("rejected steps", fmt::format("{}", summary.rejected));
  lines.add("rhs calls", fmt::format("{}", summary.rhs));
  lines.add("wall time", fmt::format("{:.4g} s", summary.wall_s));
  lines.add("real-time factor", fmt::format("{:.4g}", summary.simulated_s / summary.wall_s));
  lines.add("bar-length error", fmt::format("{:.2e} (relative, largest)", summary.max_bar_length_error));
  add_energies(lines, energies, summary.energy_drift);
  add_events(lines, scenario.model, summary, utf8);
  if (summary.warnings.empty()) lines.add("warnings", "none");
  for (std::size_t i = 0; i < summary.warnings.size(); ++i) lines.add(i == 0 ? "warnings" : "", summary.warnings[i]);
  add_files(lines, dir);
  return lines.text;
}

}  // namespace taut
