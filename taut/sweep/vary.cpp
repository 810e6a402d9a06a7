#include "taut/sweep/vary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "taut/base/text/toml_text.h"
#include "taut/file/draft.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/check/check.h"
#include "taut/sweep/draw/counter_random.h"

namespace taut {

namespace {

// Whole numbers as such: some keys want them so.
Value number_value(double value) {
  if (value == std::round(value) && std::abs(value) < 1e15) return {static_cast<std::int64_t>(value)};
  return {value};
}

Override given(const std::string& key, const Value& value) {
  return override_value(key, value, fmt::format("{}{}={}", set_prefix, key, toml_value(value)));
}

std::string key_of(const NumberAt& number) {
  return number.member.empty() ? fmt::format("{}.{}", number.section, own_key(number))
                               : fmt::format("{}.{}.{}", number.section, toml_key(number.member), own_key(number));
}

std::string text_of(const SweepFile& sweep) {
  if (sweep.scenario || sweep.draft) return "";
  try {
    return read_text_file(sweep.model);
  } catch (const InputError& error) {
    throw InputError({{sweep.model_place, "model", in_quotes(sweep.model) + " " + error.problems().front().message}});
  }
}

}  // namespace

Variation::Variation(const SweepFile& sweep, std::vector<VariedKey> keys, const std::vector<double>& first)
    : sweep_(sweep), text_(text_of(sweep)), keys_(std::move(keys)) {
  base_ = read(first, -1);
  find_slots();
}

Variation::Variation(const Variation& other)
    : sweep_(other.sweep_), text_(other.text_), keys_(other.keys_), base_(other.base_), direct_(other.direct_) {
  find_slots();
}

void Variation::find_slots() {
  scenario_ = base_;
  base_numbers_ = numbers_of(base_);
  numbers_ = numbers_of(scenario_);
  for (const VariedKey& key : keys_)
    key_slots_.push_back(key.values.empty() ? numbers_at(key.key, numbers_) : std::vector<int>{});
  std::vector<Problem> problems;
  for (const Imperfection& imperfection : sweep_.imperfections) {
    imperfect_slots_.push_back(numbers_at(imperfection.key, numbers_));
    const std::string_view section = std::string_view(imperfection.key).substr(0, imperfection.key.find('.'));
    if (imperfect_slots_.back().empty() || section == "environment" || section == "simulation")
      problems.push_back({imperfection.place, key_at(imperfection.place, "imperfections.key"),
                          fmt::format("{} is not a number of the model: expected nodes.NAME.at, bars.NAME.mass, "
                                      "cables.*.rest_length, ...; rigid bars are as long as their nodes are apart",
                                      in_quotes(imperfection.key))});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

double Variation::off(std::size_t imperfection, long run, int slot, int component, double value) const {
  const Imperfection& of = sweep_.imperfections[imperfection];
  const auto member = static_cast<std::uint64_t>(slot * 3 + component);
  const double draw = of.distribution.quantile(
      unit_from_bits(random_bits(sweep_.seed + 1'000'003 * (imperfection + 1), RandomStream::imperfection,
                                 static_cast<std::uint64_t>(run), static_cast<std::uint32_t>(member))));
  return of.relative ? value * (1.0 + draw) : value + draw;
}

ModelFile Variation::parsed() const {
  if (sweep_.draft) return sweep_.draft->file();
  if (sweep_.scenario) return {*sweep_.scenario, sweep_.model, sweep_.set};
  return {text_, sweep_.model, sweep_.set};
}

Scenario Variation::read(const std::vector<double>& values, long run) {
  if (!file_) file_.emplace(parsed());
  std::vector<Override> overrides;
  if (sweep_.draft) overrides = sweep_.draft->overrides();
  for (const VariedKey& key : keys_) {
    const double value = values[static_cast<std::size_t>(key.value)];
    overrides.push_back(
        given(key.key, key.values.empty() ? number_value(value) : key.values[static_cast<std::size_t>(value)]));
  }
  Scenario scenario = file_->read(overrides);
  if (sweep_.imperfections.empty() || run < 0) return scenario;

  // Each on top of what the one before has made.
  for (std::size_t i = 0; i < sweep_.imperfections.size(); ++i) {
    const std::vector<NumberAt> numbers = numbers_of(scenario);
    for (const int slot : numbers_at(sweep_.imperfections[i].key, numbers)) {
      const NumberAt& number = numbers[static_cast<std::size_t>(slot)];
      List value;
      for (int c = 0; c < number.count; ++c) value.push_back({off(i, run, slot, c, number.first[c])});
      overrides.push_back(given(key_of(number), number.count > 1 ? Value{std::move(value)} : value.front()));
    }
    scenario = file_->read(overrides);
  }
  return scenario;
}

void Variation::put(const std::vector<double>& values, long run) {
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    std::copy_n(base_numbers_[i].first, numbers_[i].count, numbers_[i].first);
  for (std::size_t k = 0; k < keys_.size(); ++k)
    for (const int slot : key_slots_[k])
      *numbers_[static_cast<std::size_t>(slot)].first = values[static_cast<std::size_t>(keys_[k].value)];
  if (run < 0) return;
  for (std::size_t i = 0; i < imperfect_slots_.size(); ++i)
    for (const int slot : imperfect_slots_[i]) {
      const NumberAt& number = numbers_[static_cast<std::size_t>(slot)];
      for (int c = 0; c < number.count; ++c) number.first[c] = off(i, run, slot, c, number.first[c]);
    }
}

void Variation::try_direct(const std::vector<std::pair<long, std::vector<double>>>& runs) {
  direct_ = false;
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    if (key_slots_[k].empty()) return;
    for (const int slot : key_slots_[k])
      if (numbers_[static_cast<std::size_t>(slot)].count != 1) return;
  }
  int same = 0;
  for (const auto& [run, values] : runs) {
    try {
      const Scenario reading = read(values, run);
      put(values, run);
      if (!(reading == scenario_)) return;
      ++same;
    } catch (const InputError&) {  // that run is refused either way
    }
  }
  direct_ = same > 1;
}

const Scenario& Variation::at(const std::vector<double>& values, long run) {
  if (direct_) {
    put(values, run);
    if (check_simulation(scenario_.simulation).empty() && check_entities(scenario_.model).empty() &&
        check_structure(scenario_.model).empty())
      return scenario_;
  }
  scenario_ = read(values, run);
  numbers_ = numbers_of(scenario_);
  return scenario_;
}

std::string Variation::identity() const {
  std::string text = to_toml(base_);
  if (sweep_.scenario) return text + to_toml(*sweep_.scenario);
  // The files as they are: what does nothing in one run may do something in another. A draft knows its own text, whatever
  // has become of its file.
  const Draft* draft = sweep_.draft.get();
  for (const std::string& file : parsed().files())
    if (draft == nullptr || file != draft->name())
      text += fmt::format("[file {}]\n{}\n", std::filesystem::path(file).filename().string(), read_text_file(file));
  if (draft == nullptr) return text;
  text += fmt::format("[text]\n{}\nadded = {}\n", draft->text(), toml_value({draft->added()}));
  for (const auto& [key, value] : draft->values()) text += fmt::format("{} = {}\n", key, toml_value(value));
  return text;
}

std::optional<std::pair<std::string, std::string>> Variation::key_without_effect() const {
  for (std::size_t later = 0; later < keys_.size(); ++later)
    for (std::size_t k = 0; k < later; ++k) {
      const std::vector<int>&wide = key_slots_[later], &narrow = key_slots_[k];
      const bool covered = !narrow.empty() && keys_[k].value != keys_[later].value &&
                           std::all_of(narrow.begin(), narrow.end(), [&](int slot) {
                             return std::find(wide.begin(), wide.end(), slot) != wide.end();
                           });
      if (covered) return std::pair(keys_[k].key, keys_[later].key);
    }
  return std::nullopt;
}

}  // namespace taut
