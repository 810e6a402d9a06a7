// The scenario of each run of a sweep. The model file is parsed once; where every key that varies is a number that
// lies in the model as it is given, a run only puts the numbers there (direct), else the model is read again with them
// as overrides. Which of both it is was found out by doing both for some runs: they must give the same model.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taut/file/numbers.h"
#include "taut/file/read/model_file.h"
#include "taut/sweep/study.h"

namespace taut {

// A key of the model that varies.
struct VariedKey {
  std::string key;
  int value = 0;              // which of the values of a run it takes
  std::vector<Value> values;  // not empty: the value of a run is a place in this list
};

class Variation {
 public:
  // `keys` in the order in which they win; `first` the values of some run. Throws InputError when they make no model.
  Variation(const SweepFile& sweep, std::vector<VariedKey> keys, const std::vector<double>& first);
  // For another thread.
  Variation(const Variation& other);
  Variation& operator=(const Variation&) = delete;

  // A run of these values; `run` is for its imperfections. Throws InputError when they make no model. Valid until the
  // next call.
  const Scenario& at(const std::vector<double>& values, long run);

  // Tries whether the keys can be put directly, on runs with these values.
  void try_direct(const std::vector<std::pair<long, std::vector<double>>>& runs);
  bool direct() const { return direct_; }
  const Scenario& first() const { return base_; }
  // A key whose every number a later one sets as well, and that one.
  std::optional<std::pair<std::string, std::string>> key_without_effect() const;
  // All that the scenarios are made from, as text.
  std::string identity() const;

 private:
  ModelFile parsed() const;
  Scenario read(const std::vector<double>& values, long run);
  void put(const std::vector<double>& values, long run);
  double off(std::size_t imperfection, long run, int slot, int component, double value) const;
  void find_slots();

  const SweepFile& sweep_;
  std::string text_;  // of the model file
  std::vector<VariedKey> keys_;
  std::optional<ModelFile> file_;
  Scenario base_, scenario_;
  std::vector<NumberAt> base_numbers_, numbers_;  // of base_ and scenario_
  std::vector<std::vector<int>> key_slots_, imperfect_slots_;
  bool direct_ = false;
};

}  // namespace taut
