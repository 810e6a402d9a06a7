#include "taut/export/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/model/control_names.h"
#include "taut/results/columns.h"

namespace taut {
namespace {

// Patterns divided by commas; a backslash takes the next character as it is.
std::vector<std::string> patterns_of(const std::string& select) {
  std::vector<std::string> patterns(1);
  for (std::size_t i = 0; i < select.size(); ++i) {
    if (select[i] == ',')
      patterns.emplace_back();
    else
      patterns.back() += select[i] == '\\' && i + 1 < select.size() ? select[++i] : select[i];
  }
  std::erase(patterns, "");
  return patterns;
}

// A column of the result: its name, the name of the part that it belongs to, its value in a row.
struct Column {
  std::string name, part;
  std::function<double(std::size_t row)> value;
};

template <class Parts>
std::vector<Column> columns_of(const Parts& parts, const std::vector<double>& values) {
  std::vector<Column> columns;
  const std::size_t width = parts.size();
  for (std::size_t i = 0; i < width; ++i)
    columns.push_back(
        {parts[i].name, parts[i].name, [&values, width, i](std::size_t row) { return values[row * width + i]; }});
  return columns;
}

std::vector<Column> node_columns(const Run& result) {
  const Model& model = result.scenario.model;
  const std::size_t nodes = model.nodes.size();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < 3 * nodes; ++i)
    columns.push_back({fmt::format("{}.{}", model.nodes[i / 3].name, "xyz"[i % 3]), model.nodes[i / 3].name,
                       [&result, nodes, i](std::size_t row) { return result.columns.nodes[row * 3 * nodes + i]; }});
  return columns;
}

std::vector<Column> speed_columns(const Run& result) {
  const Model& model = result.scenario.model;
  const std::size_t nodes = model.nodes.size();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < nodes; ++i)
    columns.push_back({model.nodes[i].name, model.nodes[i].name, [&result, nodes, i](std::size_t row) {
                         const double* v = result.columns.velocities.data() + 3 * (row * nodes + i);
                         return std::hypot(v[0], v[1], v[2]);
                       }});
  return columns;
}

std::vector<Column> strain_columns(const Run& result) {
  const Model& model = result.scenario.model;
  const std::size_t cables = model.cables.size();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < cables; ++i)
    columns.push_back({model.cables[i].name, model.cables[i].name, [&result, cables, i](std::size_t row) {
                         const double rest = result.columns.rest_lengths[row * cables + i];
                         return (result.columns.lengths[row * cables + i] - rest) / rest;
                       }});
  return columns;
}

std::vector<Column> energy_columns_of(const Run& result) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < energy_columns; ++i)
    columns.push_back({energy_names[i], energy_names[i],
                       [&result, i](std::size_t row) { return result.columns.energy[row * energy_columns + i]; }});
  return columns;
}

std::vector<Column> input_columns(const Run& result) {
  const Model& model = result.scenario.model;
  const std::size_t cables = model.cables.size();
  std::vector<Column> columns;
  for (const int cable : driven_cables(model))
    columns.push_back({model.cables[cable].name, model.cables[cable].name, [&result, cables, cable](std::size_t row) {
                         return result.columns.rest_lengths[row * cables + cable];
                       }});
  return columns;
}

// Three columns of each frame from the first on, in another unit.
std::vector<Column> columns_of_frames(const Run& result, std::size_t first, double unit) {
  const Model& model = result.scenario.model;
  const std::size_t frames = model.frames.size();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < frames; ++i)
    for (std::size_t k = first; k < first + 3; ++k)
      columns.push_back({fmt::format("{}.{}", model.frames[i].name, frame_names[k]), model.frames[i].name,
                         [&result, frames, i, k, unit](std::size_t row) {
                           return unit * result.columns.frames[frame_columns * (row * frames + i) + k];
                         }});
  return columns;
}

// Columns with names of their own, PART.WHAT.
std::vector<Column> named_columns(const std::vector<std::string>& names, const std::vector<double>& values) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < names.size(); ++i)
    columns.push_back({names[i], names[i].substr(0, names[i].rfind('.')),
                       [&values, width = names.size(), i](std::size_t row) { return values[row * width + i]; }});
  return columns;
}

std::vector<Column> all_columns(const Run& result, const std::string& what) {
  const Model& model = result.scenario.model;
  const RunColumns& values = result.columns;
  if (what == "tensions") return columns_of(model.cables, values.tensions);
  if (what == "lengths") return columns_of(model.cables, values.lengths);
  if (what == "rest_lengths") return columns_of(model.cables, values.rest_lengths);
  if (what == "bar_forces") return columns_of(model.bars, values.bar_forces);
  if (what == "bar_lengths") {
    std::vector<Bar> driven;
    for (const BarDrive& drive : model.bar_drives) driven.push_back(model.bars[drive.bar]);
    return columns_of(driven, values.bar_lengths);
  }
  if (what == "nodes") return node_columns(result);
  if (what == "speeds") return speed_columns(result);
  if (what == "strains") return strain_columns(result);
  if (what == "energy") return energy_columns_of(result);
  if (what == "inputs") return input_columns(result);
  if (what == "frames") return columns_of_frames(result, 0, 1.0);
  if (what == "frame_angles") return columns_of_frames(result, 3, degrees_per_radian);
  if (what == "joints") return named_columns(joint_columns(model), values.joints);
  if (what == "controls") return named_columns(control_columns(model), values.controls);
  if (what == "constraint_error")
    return {{what, what, [&result](std::size_t row) { return result.columns.constraint_error[row]; }}};
  return {};
}

// Whole turns added so that no step is more than half of one; degrees.
void go_on_beyond_half_turns(std::vector<double>& y) {
  double turns = 0.0;
  for (std::size_t row = 1; row < y.size(); ++row) {
    const double step = y[row] + turns - y[row - 1];
    if (std::isfinite(step)) turns -= 360.0 * std::round(step / 360.0);
    y[row] += turns;
  }
}

// Those that a pattern fits, in their own order.
std::vector<Column> chosen(std::vector<Column> columns, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return columns;
  std::vector<char> keep(columns.size(), 0);
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (fits_pattern(columns[i].name, pattern) || fits_pattern(columns[i].part, pattern)) keep[i] = 1, any = true;
    if (any) continue;
    std::vector<std::string_view> names;
    for (const Column& column : columns) names.push_back(column.name);
    throw InputError(fmt::format("--select {}: there is no such curve{}", pattern, suggestion(pattern, names)));
  }
  std::vector<Column> some;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (keep[i] != 0) some.push_back(std::move(columns[i]));
  return some;
}

}  // namespace

const std::vector<Plottable>& plottables() {
  static const std::vector<Plottable> list = {
      {"tensions", "cable tension, N", false, {"tensions"}},
      {"nodes", "node coordinate, m", true, {"nodes"}},
      {"strains", "cable strain", false, {"lengths", "rest_lengths"}},
      {"energy", "energy, J", false, {"energy"}},
      {"constraint_error", "constraint error, m", false, {"constraint_error"}},
      {"inputs", "rest length, m", true, {"rest_lengths"}},
      {"bar_forces", "bar force (tension positive), N", false, {"bar_forces"}},
      {"lengths", "cable length, m", true, {"lengths"}},
      {"bar_lengths", "length of driven bars, m", true, {"bar_lengths"}},
      {"rest_lengths", "rest length, m", true, {"rest_lengths"}},
      {"speeds", "node speed, m/s", false, {"velocities"}},
      {"frames", "frame coordinate, m", true, {"frames"}},
      {"joints", "joint, rad, m, N and N m", true, {"joints"}},
      {"controls", "input, target or error, m, rad, N and N m", true, {"controls"}},
      {"frame_angles", "frame angle, degrees", true, {"frames"}, true},
  };
  return list;
}

const Plottable& plottable(const std::string& word) {
  std::vector<std::string_view> words;
  for (const Plottable& entry : plottables()) {
    if (word == entry.word) return entry;
    words.emplace_back(entry.word);
  }
  throw InputError("--what: " + unknown_word(word, words));
}

bool fits_pattern(std::string_view name, std::string_view pattern) {
  // On a mismatch, the last star takes one character more.
  std::size_t n = 0, p = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Plot make_plot(const Run& result, const Plottable& what, const std::string& select, double from, double to) {
  const auto first = std::lower_bound(result.t.begin(), result.t.end(), from);
  const auto last = std::upper_bound(first, result.t.end(), to);
  if (last - first < 2)
    throw InputError(result.rows() < 2
                         ? "a curve needs two rows, the run has fewer"
                         : fmt::format("no two rows lie between {:g} s and {:g} s; the run goes from {:g} s to {:g} s",
                                       from, to, result.t.front(), result.t.back()));
  Plot plot;
  plot.y_label = what.y_label;
  plot.by_range = what.by_range;
  plot.x.assign(first, last);
  const auto begin = static_cast<std::size_t>(first - result.t.begin());
  for (const Column& column : chosen(all_columns(result, what.word), patterns_of(select))) {
    Curve curve{column.name, {}};
    curve.y.reserve(plot.x.size());
    for (std::size_t row = 0; row < plot.x.size(); ++row) curve.y.push_back(column.value(begin + row));
    if (what.turns) go_on_beyond_half_turns(curve.y);
    plot.curves.push_back(std::move(curve));
  }
  if (plot.curves.empty()) throw InputError(fmt::format("--what {}: the run has none", what.word));
  return plot;
}

}  // namespace taut
