#include "apps/taut/reproduce/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "taut/model/write_toml.h"

namespace taut::reproduce {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<double>& values, bool list) {
  if (list) return values;
  return values.empty() ? Json() : Json(values.front());
}

// {"name": {"value", "published", "unit", "note"}, ...}
std::string results_text(const Findings& findings) {
  Json object = Json::object();
  for (const Number& number : findings.numbers)
    object[number.name] = {{"value", json_of(number.value, number.list)},
                           {"published", json_of(number.published, number.list && !number.published.empty())},
                           {"unit", number.unit},
                           {"note", number.note}};
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv_text(const Series& series) {
  std::string text = series.x_name;
  for (const Curve& column : series.columns) text += "," + column.name;
  text += "\n";
  for (std::size_t row = 0; row < series.x.size(); ++row) {
    text += fmt::format("{:.17g}", series.x[row]);
    for (const Curve& column : series.columns) text += fmt::format(",{:.17g}", column.y[row]);
    text += "\n";
  }
  return text;
}

// Enough digits to compare by, and no more; errors as powers of ten.
std::string short_text(double value) {
  return value == 0.0 || std::abs(value) >= 1e-4 ? fmt::format("{:.7g}", value) : fmt::format("{:.2e}", value);
}

std::string list_text(const std::vector<double>& values, std::size_t most) {
  if (values.empty()) return "none";
  if (values.size() > most) return fmt::format("{} values", values.size());
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + fmt::format("{:.4g}", value);
  return text;
}

std::vector<std::string> cells(const Number& number) {
  const bool both = !number.list && !number.value.empty() && !number.published.empty();
  return {number.name,
          number.list            ? list_text(number.value, 6)
          : number.value.empty() ? "none"
                                 : short_text(number.value.front()),
          number.published.empty() ? "-"
          : number.list            ? fmt::format("{} values", number.published.size())
                                   : short_text(number.published.front()),
          both ? fmt::format("{:+.4g}", number.value.front() - number.published.front()) : "-", number.unit};
}

const std::vector<std::string> headings = {"", "computed", "published", "difference", "unit"};

Report make_report(const Study& study, const Findings& findings) {
  Report report;
  report.title = study.title;
  report.subtitle = study.source;
  report.kind = "reproduce";
  if (!findings.runs.empty()) report.structure = describe(findings.models.front().scenario.model);
  report.runs = findings.runs;
  for (const Figure& figure : findings.figures) {
    ReportPlot plot{figure.plot.title, figure.plot.x_label, figure.plot.y_label, false, false, figure.time, {}};
    for (const Curve& curve : figure.plot.curves)
      plot.series.push_back({curve.name, report_array(figure.plot.x), report_array(curve.y), "line", false});
    for (const Mark& mark : figure.published)
      plot.series.push_back({mark.name, report_array(mark.x), report_array(mark.y), "points", true});
    report.plots.push_back(std::move(plot));
  }
  ReportTable results{"Computed beside published", headings, {}};
  results.columns.push_back("note");
  for (const Number& number : findings.numbers) {
    results.rows.push_back(cells(number));
    results.rows.back().push_back(number.note);
  }
  report.tables.push_back(std::move(results));
  report.notes = findings.assumptions;
  return report;
}

}  // namespace

void write(OutputDir& dir, const Study& study, const Findings& findings) {
  // Every file is opened before the first is finished: so they take their places together.
  struct Piece {
    std::string name, text;
  };
  std::vector<Piece> pieces = {{"results.json", results_text(findings)}};
  for (const Series& series : findings.series) pieces.push_back({series.file, csv_text(series)});
  for (const Figure& figure : findings.figures) pieces.push_back({figure.file, svg(figure.plot)});
  for (const ModelFile& model : findings.models) pieces.push_back({model.file, to_toml(model.scenario)});
  if (reports_possible()) {
    std::string page;
    write_report(make_report(study, findings), [&](std::string_view text) { page += text; });
    pieces.push_back({"report.html", std::move(page)});
  }
  std::deque<OutputFile> files;
  for (const Piece& piece : pieces) files.emplace_back(dir, piece.name);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    files[i].append(pieces[i].text, 0.0);
    files[i].finish(0.0);
  }
}

std::string table(const Study& study, const Findings& findings) {
  std::vector<std::vector<std::string>> rows = {headings};
  for (const Number& number : findings.numbers) rows.push_back(cells(number));
  std::vector<std::size_t> width(headings.size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());

  std::string text = fmt::format("{}\n{}\n\n", study.title, study.source);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto& row = rows[r];
    const std::string& note = r == 0 ? "" : findings.numbers[r - 1].note;
    std::string line = fmt::format("  {:<{}}  {:>{}}  {:>{}}  {:>{}}  {:<{}}  {}", row[0], width[0], row[1], width[1],
                                   row[2], width[2], row[3], width[3], row[4], width[4], note);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text += "\nWhat fills the gaps of the seed:\n";
  for (const std::string& sentence : findings.assumptions) text += "  - " + sentence + "\n";
  return text;
}

}  // namespace taut::reproduce
