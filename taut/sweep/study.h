// A study: a model, what changes from run to run, and what is noted of each run. The format of the file is described
// in docs/sweeps.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "taut/base/error.h"
#include "taut/sweep/distribution.h"
#include "taut/sweep/draw.h"

namespace taut {

// What a parameter goes through: a list (or a range, which is one), draws, or a number that follows from others.
enum class ParameterKind { list, drawn, derived };

struct StudyParameter {
  std::string name;               // the column
  std::vector<std::string> keys;  // paths of the model's keys; none: for expressions only
  ParameterKind kind = ParameterKind::list;
  std::vector<double> numbers;      // of a list; where `texts` is not empty, 0, 1, 2, ...
  std::vector<std::string> texts;   // values that are not numbers, as TOML
  std::vector<std::string> labels;  // the same to be read by people
  Distribution distribution;        // of draws; of a range where all parameters are drawn
  std::optional<double> low, high;  // ends of a range
  bool logarithmic = false;         // range
  std::string expression;           // derived
  std::string together;             // lists of the same group go in step
  Place place;
};

// Every member that the key names gets a draw of its own on top of its value.
struct Imperfection {
  std::string key;
  bool relative = false;  // value (1 + draw) instead of value + draw
  Distribution distribution;
  Place place;
};

struct StudyRecord {
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

enum class Design { grid, random, latin_hypercube, sobol };

struct Study {
  std::string file, text;  // of the study itself
  std::string title;       // its name, or that of its file
  std::string model;       // path of the model file
  std::string model_text;  // what is in it; empty: read when it is needed
  Place model_place, set_place;
  std::vector<std::string> set;  // "key.path=value", for all runs
  Design design = Design::grid;
  Scramble scramble = Scramble::owen;  // of Sobol points
  long draws = 1;  // runs of the design; of a grid with drawn parameters: draws at each of its points
  int repeats = 1;
  std::uint64_t seed = 0;
  std::vector<StudyParameter> parameters;
  std::vector<Imperfection> imperfections;
  std::optional<Bisection> bisect;
  std::vector<StudyRecord> records;
  std::string stop;  // condition on the motion that ends a run
  Place stop_place;
};

// Throws InputError with every problem of the file at once.
Study read_study(const std::string& file);

}  // namespace taut
