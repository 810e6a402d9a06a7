// A sweep file: a model, what changes from run to run, and what is recorded of each run. docs/sweeps.md describes the
// format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taut/base/error.h"
#include "taut/file/value.h"
#include "taut/model/scenario.h"
#include "taut/sweep/draw/distribution.h"
#include "taut/sweep/draw/draw.h"

namespace taut {

// What a parameter goes through: a list (or a range, which is one), draws, or a number that follows from others.
enum class ParameterKind { list, drawn, derived };

struct SweepParameter {
  std::string name;               // the column
  std::vector<std::string> keys;  // paths of the model's keys; none: for expressions only
  ParameterKind kind = ParameterKind::list;
  std::vector<double> numbers;      // of a list; where `values` is not empty, 0, 1, 2, ...
  std::vector<Value> values;        // those that are not numbers
  std::vector<std::string> labels;  // the same to be read by people
  Distribution distribution;        // of draws; of a range where all parameters are drawn
  std::optional<double> low, high;  // ends of a range
  bool logarithmic = false;         // range
  std::string expression;           // derived
  std::string together;             // lists of the same group go in step
  Place place;
};

// Every entity that the key names gets a draw of its own on top of its value.
struct Imperfection {
  std::string key;
  bool relative = false;  // value (1 + draw) instead of value + draw
  Distribution distribution;
  Place place;
};

struct SweepRecord {
  std::string name, value;
  Place place;
};

// The end of the values for which a condition holds.
struct Bisection {
  std::string name;
  std::vector<std::string> keys;
  double low = 0.0, high = 0.0;  // searched between
  double tolerance = 0.0;
  bool largest = true;  // holds below the limit; else above it
  int scan = 1;         // equal parts that are looked at first
  std::string holds;    // of the run, as a record
  Place place;
};

enum class SweepDesign { grid, random, latin_hypercube, sobol };

struct SweepFile {
  std::string file, text;                // of the sweep file itself
  std::shared_ptr<const Source> source;  // the file, as its values know it
  std::string title;                     // its name, or that of its file
  std::string model;                     // path of the model file
  std::optional<Scenario> scenario;      // instead of what is in the file
  Place model_place, set_place;
  std::vector<std::string> set;  // "key.path=value", for all runs
  SweepDesign design = SweepDesign::grid;
  Scramble scramble = Scramble::owen;  // of Sobol points
  long draws = 1;  // runs of the design; of a grid with drawn parameters: draws at each of its points
  int repeats = 1;
  std::uint64_t seed = 0;
  std::vector<SweepParameter> parameters;
  std::vector<Imperfection> imperfections;
  std::optional<Bisection> bisect;
  std::vector<SweepRecord> records;
  std::string stop;  // condition on the motion that ends a run
  Place stop_place;
};

// Throws InputError with every problem of the file at once.
SweepFile read_sweep_file(const std::string& file);

}  // namespace taut
