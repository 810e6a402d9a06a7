// The numbers of one call of a generator, read with their limits. What is wrong is collected, so that the user
// hears of everything at once; a read that fails returns a harmless number.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "taut/base/error.h"
#include "taut/generators/generators.h"
#include "taut/model/laws/cable_law.h"

namespace taut {

class Numbers {
 public:
  explicit Numbers(const Parameters& parameters) : parameters_(parameters) {}

  bool given(std::string_view key) const { return parameters_.count(key) > 0; }
  double number(std::string_view key) const { return parameters_.find(key)->second; }

  double positive(std::string_view key);
  double not_negative(std::string_view key);
  double between(std::string_view key, double low, double high);  // both ends excluded
  int count(std::string_view key, int least, int most);
  bool flag(std::string_view key);  // 0 or 1

  void wrong(std::string_view key, std::string message);
  void throw_if_wrong() const;  // InputError with all that was wrong

 private:
  const Parameters& parameters_;
  std::vector<Problem> problems_;
};

// Lists of parameters one after another.
std::vector<Parameter> together(std::initializer_list<std::vector<Parameter>> lists);

// The law of every cable of a structure: keys stiffness or EA, and damping.
std::vector<Parameter> cable_parameters(double standard_stiffness);
CableLaw read_cable_law(Numbers& numbers, double standard_stiffness);

// The radius of rings h apart whose bars turn by the angle β about the axis: key radius, or bar_length L with
// L² = h² + 2 R² (1 - cos β).
std::vector<Parameter> ring_parameters();
double read_radius(Numbers& numbers, double height, double bar_turn);

// The most bars or nodes of one generated structure: what a computer holds in memory with ease.
constexpr int most_parts = 1'000'000;

}  // namespace taut
