#include "apps/taut/modes_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/taut/json.h"
#include "taut/base/text/csv.h"
#include "taut/base/text/text.h"
#include "taut/model/words.h"
#include "taut/modes/lowest_modes.h"
#include "taut/results/output_dir.h"

namespace taut {
namespace {

std::string table_csv(const ModesAnswer& r) {
  Csv csv;
  csv.row("mode", "frequency_hz", "damping_ratio", "eigenvalue.re", "eigenvalue.im", "participation.x",
          "participation.y", "participation.z", "effective_mass.x", "effective_mass.y", "effective_mass.z", "remark");
  const ModalAnalysis& m = r.modes;
  for (long k = 0; k < m.count(); ++k) {
    csv.cell(k + 1);
    csv.cell(frequency(m.square[k]));
    if (std::isnan(m.damping[k]))
      csv.cell("");
    else
      csv.cell(m.damping[k]);
    csv.cell(m.eigenvalues[k].real());
    csv.cell(m.eigenvalues[k].imag());
    for (int axis = 0; axis < 3; ++axis) csv.cell(m.participation(k, axis));
    for (int axis = 0; axis < 3; ++axis) csv.cell(m.effective_mass(k, axis));
    csv.row(mode_remark(m, k));
  }
  return csv.take();
}

std::string shapes_csv(const ModesAnswer& r) {
  Csv csv;
  csv.row("mode", "node", "x", "y", "z");
  const std::vector<Node>& nodes = r.scenario.model.nodes;
  for (long k = 0; k < r.modes.count(); ++k)
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Vec3 s = r.modes.shapes.col(k).segment<3>(3 * static_cast<long>(i));
      csv.row(k + 1, nodes[i].name, s[0], s[1], s[2]);
    }
  return csv.take();
}

std::string prestress_csv(const std::vector<PrestressRow>& rows) {
  long most = 0;
  for (const PrestressRow& row : rows) most = std::max(most, row.square.size());
  Csv csv;
  csv.cell("factor");
  csv.cell("imbalance");
  for (long k = 0; k < most; ++k) csv.cell(fmt::format("mode{}", k + 1));
  csv.end_row();
  for (const PrestressRow& row : rows) {
    csv.cell(row.factor);
    csv.cell(row.imbalance);
    for (long k = 0; k < row.square.size(); ++k) csv.cell(frequency(row.square[k]));
    for (long k = row.square.size(); k < most; ++k) csv.cell("");
    csv.end_row();
  }
  return csv.take();
}

void line(std::string_view name, const std::string& value) { fmt::print("  {:<18}{}\n", name, value); }

std::string zero_text(const ModesAnswer& r) {
  const long zeros = zero_modes(r.modes);
  if (zeros == 0) return "none";
  const long whole = std::min<long>(zeros, r.rigid_motions);
  if (r.rigid_motions < 0 || r.modes.count() < r.modes.freedoms) return fmt::format("{}", zeros);
  std::string text = fmt::format("{}: ", zeros);
  if (whole > 0) text += fmt::format("{} of the whole, which nothing holds", whole);
  if (zeros > whole)
    text += fmt::format("{}{} that neither stiffness nor tension resists", whole > 0 ? ", and " : "", zeros - whole);
  return text;
}

void print_table(const ModalAnalysis& m) {
  fmt::print("  {:>5} {:>14} {:>12}   effective mass, %\n", "mode", "frequency, Hz", "damping, %");
  fmt::print("  {:>5} {:>14} {:>12} {:>8} {:>8} {:>8}\n", "", "", "", "x", "y", "z");
  for (long k = 0; k < m.count(); ++k) {
    std::string row = fmt::format("  {:>5} {:>14.8g} {:>12}", k + 1, frequency(m.square[k]),
                                  std::isnan(m.damping[k]) ? "-" : fmt::format("{:.5g}", 100.0 * m.damping[k]));
    for (int axis = 0; axis < 3; ++axis)
      row += m.moved_mass[axis] > 0.0 ? fmt::format(" {:>8.2f}", 100.0 * m.effective_mass(k, axis) / m.moved_mass[axis])
                                      : fmt::format(" {:>8}", "-");
    const std::string remark = mode_remark(m, k);
    fmt::print("{}{}{}\n", row, remark.empty() ? "" : "  ", remark);
  }
}

void print_prestress(const std::vector<PrestressRow>& rows) {
  fmt::print("  frequencies against prestress, Hz (times the tensions of the model; without zeros)\n");
  for (const PrestressRow& row : rows) {
    std::string text;
    int shown = 0;
    for (long k = 0; k < row.square.size() && shown < 6; ++k)
      if (row.square[k] != 0.0) text += fmt::format(" {:>11.6g}", frequency(row.square[k])), ++shown;
    fmt::print("  {:>10.6g}{}{}\n", row.factor, text,
               row.imbalance > 1e-6 ? fmt::format("   ({:.2g} out of balance)", row.imbalance) : "");
  }
}

}  // namespace

void print_text(const ModesAnswer& r, const std::string& output) {
  const ModalAnalysis& m = r.modes;
  if (!r.scenario.model.name.empty()) fmt::print("{}\n", r.scenario.model.name);
  line("formulation", r.formulation);
  if (!r.settled.empty()) line("settled", r.settled);
  if (r.in_balance())
    line("start shape", fmt::format("in balance (largest net force {:.1e} of the mean member force)", r.imbalance));
  else
    line("start shape",
         fmt::format("out of balance by {:.3g} of the mean member force, worst at {}: these are the modes of a shape "
                     "that moves{}",
                     r.imbalance, r.worst, r.rigid_motions < 0 ? "" : "; --settle finds the equilibrium first"));
  if (!r.slack.empty()) line("slack", fmt::format("{}: they do not act", listed(r.slack, 10)));
  line("modes", m.count() == m.freedoms
                    ? fmt::format("all {}", m.count())
                    : fmt::format("the lowest {} of {} (--count N for more)", m.count(), m.freedoms));
  const long growing = growing_modes(m);
  if (growing > 0) {
    double fastest = 0.0;
    for (long k = 0; k < growing; ++k) fastest = std::max(fastest, m.eigenvalues[k].real());
    line("stability", fmt::format("unstable: {} away from the shape, the fastest by e in {:.4g} s",
                                  plural(growing, "motion grows", "motions grow"), 1.0 / fastest));
  } else {
    line("stability", zero_modes(m) > 0 ? "no motion grows" : "stable");
  }
  line("zero modes", zero_text(r));
  line("mass", fmt::format("{:.6g} kg; moved along x {:.6g}, y {:.6g}, z {:.6g} kg", m.mass, m.moved_mass[0],
                           m.moved_mass[1], m.moved_mass[2]));
  if (m.asymmetry > 1e-9)
    line("note", fmt::format("the stiffness is not symmetric ({:.1e}): frequencies are those of its symmetric part",
                             m.asymmetry));
  if (m.damping_residual > 1e-6)
    line("note",
         fmt::format("damping ratios are approximate: they leave {:.1e} of their equation", m.damping_residual));
  if (!m.complete) line("note", "the count of modes could not be confirmed: one may be missing");
  print_table(m);
  if (!r.prestress.empty()) print_prestress(r.prestress);
  if (!output.empty()) line("written", output);
}

void write_modes(const ModesAnswer& r, const std::filesystem::path& folder, const std::string& title) {
  OutputDir dir(folder);
  OutputFile json(dir, "modes.json"), table(dir, "modes.csv"), shapes(dir, "shapes.csv");
  std::optional<OutputFile> prestress, page;
  if (!r.prestress.empty()) prestress.emplace(dir, "prestress.csv");
  if (reports_possible()) page.emplace(dir, "report.html");
  const auto write = [](OutputFile& file, const std::string& text) {
    file.append(text, 0.0);
    file.finish(0.0);
  };
  if (page) {
    const Report report = modes_report(r.scenario, r.modes, r.prestress, title);
    write_report(report, [&](std::string_view text) { page->append(text, 0.0); });
    page->finish(0.0);
  }
  if (prestress) write(*prestress, prestress_csv(r.prestress));
  write(shapes, shapes_csv(r));
  write(table, table_csv(r));
  write(json, result_text(json_of(r), 1));
}

}  // namespace taut
