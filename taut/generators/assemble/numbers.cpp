#include "taut/generators/assemble/numbers.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

namespace taut {

namespace {

constexpr double standard_radius = 0.5;  // m

}  // namespace

void Numbers::wrong(std::string_view key, std::string message) {
  problems_.push_back({{}, std::string(key), std::move(message)});
}

void Numbers::throw_if_wrong() const {
  if (!problems_.empty()) throw InputError(problems_);
}

double Numbers::positive(std::string_view key) {
  const double value = number(key);
  if (value > 0.0) return value;
  wrong(key, fmt::format("must be above 0, got {}", value));
  return 1.0;
}

double Numbers::not_negative(std::string_view key) {
  const double value = number(key);
  if (value >= 0.0) return value;
  wrong(key, fmt::format("must not be below 0, got {}", value));
  return 0.0;
}

double Numbers::between(std::string_view key, double low, double high) {
  const double value = number(key);
  if (low < value && value < high) return value;
  wrong(key, fmt::format("must lie between {} and {} (both excluded), got {}", low, high, value));
  return 0.5 * (low + high);
}

int Numbers::count(std::string_view key, int least, int most) {
  const double value = number(key);
  if (value >= least && value <= most) return static_cast<int>(value);
  if (value < least) {
    wrong(key, fmt::format("must be at least {}, got {}", least, value));
  } else {
    wrong(key, fmt::format("must be at most {}, got {}", most, value));
  }
  return least;
}

bool Numbers::flag(std::string_view key) {
  const double value = number(key);
  if (value != 0.0 && value != 1.0) wrong(key, fmt::format("must be 0 (no) or 1 (yes), got {}", value));
  return value == 1.0;
}

std::vector<Parameter> together(std::initializer_list<std::vector<Parameter>> lists) {
  std::vector<Parameter> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<Parameter> cable_parameters(double standard_stiffness) {
  return {{"stiffness", {}, fmt::format("N/m, of each cable; {} unless EA is given", standard_stiffness)},
          {"EA", {}, "N, of each cable, instead of stiffness"},
          {"damping", 0.0, "N s/m, of each cable"}};
}

CableLaw read_cable_law(Numbers& numbers, double standard_stiffness) {
  CableLaw law;
  law.by_EA = numbers.given("EA");
  if (law.by_EA && numbers.given("stiffness")) numbers.wrong("EA", "give stiffness or EA, not both");
  if (law.by_EA) {
    law.stiffness = numbers.positive("EA");
  } else {
    law.stiffness = numbers.given("stiffness") ? numbers.positive("stiffness") : standard_stiffness;
  }
  law.damping = numbers.not_negative("damping");
  return law;
}

std::vector<Parameter> ring_parameters() {
  return {{"radius", {}, fmt::format("m, of the rings; {} unless bar_length is given", standard_radius)},
          {"bar_length", {}, "m, instead of radius; longer than height"}};
}

double read_radius(Numbers& numbers, double height, double bar_turn) {
  if (!numbers.given("bar_length")) return numbers.given("radius") ? numbers.positive("radius") : standard_radius;
  if (numbers.given("radius")) numbers.wrong("bar_length", "give radius or bar_length, not both");
  const double length = numbers.number("bar_length");
  if (!(length > height)) {
    numbers.wrong("bar_length", fmt::format("must be longer than the height {} m, got {} m", height, length));
    return standard_radius;
  }
  return std::sqrt((length - height) * (length + height) / (2.0 * (1.0 - std::cos(bar_turn))));
}

}  // namespace taut
