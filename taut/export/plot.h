// Curves over time as a picture for papers: `taut plot`.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "taut/results/run.h"

namespace taut {

struct Curve {
  std::string name;
  std::vector<double> y;
};

// A point that is drawn as a small circle with its name beside it.
struct PlotMark {
  std::string name;
  double x, y;
};

struct Plot {
  std::string title;  // may be empty
  std::string x_label = "time, s", y_label;
  std::vector<double> x;
  std::vector<Curve> curves;
  bool by_range = false;  // the largest curves are those that change most, else those that reach farthest from 0
  double width_mm = 160.0, height_mm = 100.0;
  std::vector<PlotMark> marks{};
};

// What can be drawn, by the word after --what.
struct Plottable {
  const char* word;
  const char* y_label;                 // quantity and unit
  bool by_range;                       // of a position, change counts; of a force, size
  std::vector<std::string> data_sets;  // of run.h5
  bool turns = false;                  // angles in degrees: a curve goes on beyond 180° instead of jumping
};
const std::vector<Plottable>& plottables();
// Throws InputError with the nearest word, or with all of them.
const Plottable& plottable(const std::string& word);

// The curves of a quantity in the order of the model. `select`: patterns divided by commas, with * and ?, for a curve's
// name or for a node's; empty: all. Rows outside [from, to] are left out. Throws InputError where nothing remains, and
// names a pattern that fits no curve.
Plot make_plot(const Run& result, const Plottable& what, const std::string& select = "",
               double from = -std::numeric_limits<double>::infinity(),
               double to = std::numeric_limits<double>::infinity());

// SVG: axes with names and units, ticks at round numbers, a legend beside the curves. Beyond eight curves only those
// that reach farthest are named, the others are grey. Long curves keep the extremes of every half point of width.
std::string svg(const Plot& plot);

// Whether a name fits a pattern with * (any text) and ? (any character).
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace taut
