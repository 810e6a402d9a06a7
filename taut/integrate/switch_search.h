// The first switches inside a step: where it must end. One search for every method that has a continuous output and
// for every kind of switch.
//
// A switch is a function g of time, positive on the side that the method holds. x is the time since the step's
// beginning. In symmetric structures many functions cross at one instant, and differ there by rounding: those that
// cannot be told from zero where the first one crosses are one group and switch together. Told apart means:
//
//   by value   |g| > noise, the rounding of the lengths and rates in it
//   by time    |g| > |ġ| δt, δt = 4 units in the last place of the time
//
// Coordinates that differ from bar to bar (angles) leave an error in each that differs as well, as small as the
// tolerance. What is due to cross within that error (`together`), and within a thousandth of the step, is of the
// group too: a tension of the size of the error is dropped for a time of the size of the error.
#pragma once

#include <array>
#include <cmath>

#include "taut/solve/first_root.h"

namespace taut {

class SwitchSearch {
 public:
  // Where a function is on its other side, or may be: the end of the step, or a dip.
  struct Suspect {
    int function;
    double x;
  };

  std::vector<double> at_begin, at_end;  // g of all functions, set by the caller, as are:
  std::vector<double> noise;             // of a function; 0: it ends on its other side
  std::vector<double> together;          // what the tolerance leaves in it
  std::vector<Suspect> suspects;
  std::vector<int> group;  // what switches; the result

  void resize(std::size_t functions) {
    for (std::vector<double>* values : {&at_begin, &at_end, &noise, &together, &at_low_, &at_high_, &at_dip_, &near_})
      values->assign(functions, 0.0);
    root_.resize(functions);
    suspects.reserve(functions);
    group.reserve(functions);
    fresh_.reserve(functions);
  }

  // On the continuous output of a step of length h that begins at t: evaluate(x, g) fills g of all functions. Returns
  // the x of the first group; without suspects that hold, the group is empty.
  template <class Evaluate>
  double first(double t, double h, const Evaluate& evaluate);

  // The same group on what evaluate(x, g) tells now (the step itself, repeated up to x, instead of its continuous
  // output), from the answer x of first(). False: it does not cross after all.
  template <class Evaluate>
  bool refine(double& x, const Evaluate& evaluate);

 private:
  // The nearest x known where a function has crossed. False: there is none.
  template <class Evaluate>
  bool find_high(double h, const Evaluate& evaluate);
  // Functions that begin on their switch have left it (just flipped), or never do: the side is wrong from the start.
  // Moves the lower end to where all have left. True: the group is found, at x = 0.
  template <class Evaluate>
  bool leave_begin(const Evaluate& evaluate);

  void set_bracket() {
    root_.low = low_, root_.high = high_;
    root_.at_low = at_low_;
    root_.at_high = at_high_;
    for (int i : root_.which) {
      const double slope = (std::abs(at_low_[i]) + std::abs(at_high_[i])) / (high_ - low_);
      root_.stop[i] = noise[i] > 0.0 ? std::max(noise[i], slope * root_.resolution) : 0.0;
      near_[i] = std::max(root_.stop[i], std::min(together[i], slope * 1e-3 * end_));
    }
  }
  void collect() {
    group.clear();
    for (int i : root_.which)
      if (root_.at[i] <= near_[i]) group.push_back(i);
  }

  FirstRoot root_;
  double low_ = 0.0, high_ = 0.0, end_ = 0.0;
  std::vector<double> at_low_, at_high_, at_dip_;
  std::vector<double> near_;  // a function with less is of the group
  std::vector<int> fresh_;    // functions that begin on their switch
};

template <class Evaluate>
bool SwitchSearch::find_high(double h, const Evaluate& evaluate) {
  std::sort(suspects.begin(), suspects.end(), [](const Suspect& a, const Suspect& b) { return a.x < b.x; });
  for (const Suspect& suspect : suspects) {
    high_ = suspect.x;
    if (high_ == h) {
      at_high_ = at_end;
      return true;
    }
    evaluate(high_, at_high_.data());
    if (at_high_[suspect.function] < -noise[suspect.function]) return true;
  }
  return false;
}

template <class Evaluate>
bool SwitchSearch::leave_begin(const Evaluate& evaluate) {
  low_ = 0.0;
  at_low_ = at_begin;
  fresh_.clear();
  for (int i : root_.which)
    if (at_begin[i] <= noise[i]) fresh_.push_back(i);
  if (fresh_.empty()) return false;
  // Look closer and closer for a moment at which each has left.
  group = fresh_;
  for (const double part : {1e-2, 1e-3, 1e-5, 1e-7}) {
    const double x = part * high_;
    evaluate(x, at_dip_.data());
    const auto others = [&](int i) {
      return std::find(fresh_.begin(), fresh_.end(), i) == fresh_.end() && at_dip_[i] < -noise[i];
    };
    if (std::any_of(root_.which.begin(), root_.which.end(), others)) {
      // Another crosses before that: it is the first, and these are none of it.
      low_ = 0.0, high_ = x;
      at_low_ = at_begin;
      at_high_ = at_dip_;
      std::erase_if(root_.which, [&](int i) { return !others(i); });
      return false;
    }
    std::erase_if(group, [&](int i) { return at_dip_[i] > noise[i]; });
    if (low_ == 0.0 || x < low_) {
      low_ = x;
      at_low_ = at_dip_;
    }
    if (group.empty()) return false;
  }
  return true;
}

template <class Evaluate>
double SwitchSearch::first(double t, double h, const Evaluate& evaluate) {
  group.clear();
  end_ = h;
  if (!find_high(h, evaluate)) return h;
  root_.which.clear();
  for (const Suspect& suspect : suspects)
    if (at_high_[suspect.function] < -noise[suspect.function]) root_.which.push_back(suspect.function);
  if (leave_begin(evaluate)) return 0.0;
  root_.resolution = 4.0 * std::numeric_limits<double>::epsilon() * (std::abs(t) + h);
  set_bracket();
  const double x = first_root(root_, low_ + first_root_steps::first_chord(root_) * (high_ - low_), evaluate);
  collect();
  return x;
}

template <class Evaluate>
bool SwitchSearch::refine(double& x, const Evaluate& evaluate) {
  // At the end of the step it is the step itself that was looked at.
  if (high_ != end_) {
    evaluate(high_, at_high_.data());
    const auto crosses = [&](int i) { return at_high_[i] < -noise[i]; };
    if (std::none_of(root_.which.begin(), root_.which.end(), crosses)) return false;
  }
  set_bracket();
  x = first_root(root_, x, evaluate);
  collect();
  return true;
}

}  // namespace taut
