#include "apps/taut/studies/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>

#include "apps/taut/json.h"
#include "apps/taut/studies/published.h"
#include "taut/base/text/csv.h"
#include "taut/file/write/write_toml.h"

namespace taut::reproduce {
namespace {

Json json_of(const std::vector<double>& values, bool list) {
  if (list) return values;
  return values.empty() ? Json() : Json(values.front());
}

// {"name": {"value", "published", "unit", "note"}, ...}; "said" where the paper has words for it, "gap" where it compares.
std::string results_text(const Findings& findings) {
  Json object = Json::object();
  for (const Number& number : findings.numbers) {
    Json& entry = object[number.name];
    entry = {{"value", json_of(number.value, number.list)},
             {"published", json_of(number.published, number.list && !number.published.empty())},
             {"unit", number.unit},
             {"note", number.note}};
    if (!number.words.empty()) entry["said"] = number.words;
    if (!number.gap.empty()) entry["gap"] = number.gap;
  }
  return result_text(object, 1);
}

std::string csv_text(const Series& series) {
  Csv csv;
  csv.cell(series.x_name);
  for (const Curve& column : series.columns) csv.cell(column.name);
  csv.end_row();
  for (std::size_t row = 0; row < series.x.size(); ++row) {
    csv.cell(series.x[row]);
    for (const Curve& column : series.columns) csv.cell(column.y[row]);
    csv.end_row();
  }
  return csv.take();
}

// A cell is one line, or as many as a list takes, six numbers in each.
using Cell = std::vector<std::string>;

Cell list_cell(std::size_t count, const std::function<std::string(std::size_t)>& text) {
  if (count == 0) return {"none"};
  Cell lines;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 6 == 0)
      lines.push_back(text(i));
    else
      lines.back() += " " + text(i);
  }
  return lines;
}

// name, computed, published, difference, unit
std::vector<Cell> cells(const Number& number) {
  const std::vector<double>&value = number.value, &published = number.published;
  const auto digits = [&](const std::vector<double>& of) {
    return [&](std::size_t i) { return number.list ? fmt::format("{:.5g}", of[i]) : short_text(of[i]); };
  };
  const auto published_cell = [&] {
    if (published.empty()) return number.words.empty() ? Cell{"-"} : Cell{number.words};
    Cell cell = list_cell(published.size(), digits(published));
    if (!number.words.empty()) cell.front().insert(0, number.words + " ");
    return cell;
  };
  const auto difference = [&](std::size_t i) { return fmt::format("{:+.4g}", value[i] - published[i]); };
  return {{number.name},
          list_cell(value.size(), digits(value)),
          published_cell(),
          !published.empty() && value.size() == published.size() && number.words != at_most
              ? list_cell(value.size(), difference)
              : Cell{"-"},
          {number.unit}};
}

const std::vector<std::string> headings = {"", "computed", "published", "difference", "unit"};

// Marks of one name are one series.
std::vector<Mark> grouped(const std::vector<PlotMark>& marks) {
  std::vector<Mark> groups;
  for (const PlotMark& mark : marks) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Mark& g) { return g.name == mark.name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {mark.name, {}, {}});
    group->x.push_back(mark.x);
    group->y.push_back(mark.y);
  }
  return groups;
}

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
    for (const Mark& mark : grouped(figure.plot.marks))
      plot.series.push_back({mark.name, report_array(mark.x), report_array(mark.y), "points", false});
    for (const Mark& mark : figure.published)
      plot.series.push_back({mark.name, report_array(mark.x), report_array(mark.y), "points", true});
    report.plots.push_back(std::move(plot));
  }
  ReportTable results{"Computed beside published", headings, {}};
  results.columns.push_back("note");
  for (const Number& number : findings.numbers) {
    results.rows.emplace_back();
    for (const Cell& cell : cells(number)) results.rows.back().push_back(fmt::format("{}", fmt::join(cell, " ")));
    results.rows.back().push_back(number.note);
  }
  report.tables.push_back(std::move(results));
  report.notes = findings.assumptions;
  return report;
}

Report make_page(const Study& study, const Page& page) {
  Report report;
  report.title = page.title;
  report.subtitle = study.source;
  report.kind = "reproduce";
  report.structure = describe(page.scenario.model);
  report.runs = page.runs;
  return report;
}

}  // namespace

void write(OutputDir& dir, const Study& study, const Findings& findings) {
  // Every file is opened before the first is finished: so they take their places together.
  struct Piece {
    std::string name, text;
  };
  std::vector<Piece> pieces = {{"results.json", results_text(findings)},
                               {"published.md", published_table(published_rows(study, findings))}};
  for (const Series& series : findings.series) pieces.push_back({series.file, csv_text(series)});
  for (const Figure& figure : findings.figures) pieces.push_back({figure.file, svg(figure.plot)});
  for (const ModelFile& model : findings.models) pieces.push_back({model.file, to_toml(model.scenario)});
  for (const Drawing& drawing : findings.drawings) pieces.push_back({drawing.file, drawing.svg});
  const auto add_page = [&](const std::string& file, const Report& report) {
    pieces.push_back({file, {}});
    write_report(report, [&](std::string_view text) { pieces.back().text += text; });
  };
  if (reports_possible()) {
    add_page("report.html", make_report(study, findings));
    for (const Page& page : findings.pages) add_page(page.file, make_page(study, page));
  }
  std::deque<OutputFile> files;
  for (const Piece& piece : pieces) files.emplace_back(dir, piece.name);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    files[i].append(pieces[i].text, 0.0);
    files[i].finish(0.0);
  }
}

std::string table(const Study& study, const Findings& findings) {
  std::vector<std::vector<Cell>> rows = {{}};
  for (const std::string& heading : headings) rows.front().push_back({heading});
  for (const Number& number : findings.numbers) rows.push_back(cells(number));
  std::vector<std::size_t> width(headings.size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      for (const std::string& line : row[i]) width[i] = std::max(width[i], line.size());

  std::string text = fmt::format("{}\n{}\n\n", study.title, study.source);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::size_t lines = 0;
    for (const Cell& cell : rows[r]) lines = std::max(lines, cell.size());
    for (std::size_t k = 0; k < lines; ++k) {
      const auto at = [&](std::size_t i) { return k < rows[r][i].size() ? rows[r][i][k] : std::string(); };
      const std::string note = r == 0 || k > 0 ? "" : findings.numbers[r - 1].note;
      std::string line = fmt::format("  {:<{}}  {:>{}}  {:>{}}  {:>{}}  {:<{}}  {}", at(0), width[0], at(1), width[1],
                                     at(2), width[2], at(3), width[3], at(4), width[4], note);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  text += "\nWhat fills the gaps of the paper:\n";
  for (const std::string& sentence : findings.assumptions) text += "  - " + sentence + "\n";
  return text;
}

}  // namespace taut::reproduce
