// A sweep: a model, what changes from run to run, and what is recorded of each run. docs/sweeps.md describes it, as a file
// and as keys that a program gives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taut/base/error.h"
#include "taut/file/value.h"
#include "taut/model/scenario.h"
#include "taut/sweep/draw/distribution.h"
#include "taut/sweep/draw/draw.h"

namespace taut {

class Draft;

// By which a problem at that place is named: its own key, or as the file calls all of the kind.
inline std::string key_at(const KeyPlace& place, const char* in_file) {
  return place.key.empty() ? std::string(in_file) : place.key;
}

// What a parameter goes through: a list (or a range, which is one), draws, or a number that follows from others.
enum class ParameterKind { list, drawn, derived };

struct SweepParameter {
  std::string name;               // the column
  std::vector<std::string> keys;  // paths of the model's keys; none: for expressions only
  ParameterKind kind = ParameterKind::list;
  std::vector<double> numbers;      // of a list; where `values` is not empty, 0, 1, 2, ...
  std::vector<Value> values;        // those that are not numbers
  std::vector<std::string> labels;  // the same to be read by people
  bool whole = false;               // a list of whole numbers, given as such
  Distribution distribution;        // of draws; of a range where all parameters are drawn
  std::optional<double> low, high;  // ends of a range
  bool logarithmic = false;         // range
  std::string expression;           // derived
  std::string together;             // lists of the same group go in step
  KeyPlace place;
};

// Every entity that the key names gets a draw of its own on top of its value.
struct Imperfection {
  std::string key;
  bool relative = false;  // value (1 + draw) instead of value + draw
  Distribution distribution;
  KeyPlace place;
};

struct SweepRecord {
  std::string name, value;
  KeyPlace place;
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
  KeyPlace place;
};

enum class SweepDesign { grid, random, latin_hypercube, sobol };

// What makes the runs: the ordinary engine one by one, or batches of robots (taut/batch), which give the same rows to
// rounding where they can.
enum class SweepEngine { automatic, run, batch };

struct SweepFile {
  std::string file;  // empty: given by a program
  std::string text;  // of the file; of keys all of them, as text
  // Where its values come from.
  std::vector<std::shared_ptr<const Source>> sources;
  std::string title;                   // empty: the model's name
  std::string model;                   // path of the model file, or what errors call the model
  std::optional<Scenario> scenario;    // instead of what is in the file
  std::shared_ptr<const Draft> draft;  // the same, with the values that are set on it
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
  SweepEngine engine = SweepEngine::automatic;
  KeyPlace engine_place;
  bool on_card = false;  // batches: key `device`
  KeyPlace device_place;
};

const char* name(SweepEngine engine);  // auto, run, batch
// As if the file said so: rows of one engine are not mixed with those of another.
void set_engine(SweepFile& sweep, SweepEngine engine);

// Throws InputError with every problem of the file at once.
SweepFile read_sweep_file(const std::string& file);

// The same from the keys of a sweep file, less `model` and `set`, and with `draws` for `runs`. Problems are named as the
// keys are: "k.range", "record.slack".
SweepFile sweep_of(const Draft& model, Table keys);

}  // namespace taut
