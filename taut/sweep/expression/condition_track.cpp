#include "taut/sweep/expression/condition_track.h"

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// The share of the way from d0 to d1, of opposite signs, at which 0 is passed. From or to an infinite value everything
// happens at that end.
double share_of_change(double d0, double d1) {
  if (std::isinf(d0) && std::isinf(d1)) return 0.5;
  if (std::isinf(d0)) return 1;
  if (std::isinf(d1)) return 0;
  // Halves, so that the difference does not overflow.
  return d0 / 2 / (d0 / 2 - d1 / 2);
}

// The sign at a share of the way, or nan where an end is no number. `change` is where it changes, nan if it does not.
double sign_between(double d0, double d1, double change, double share) {
  if (std::isnan(d0) || std::isnan(d1)) return NAN;
  if (!std::isnan(change)) return share < change ? sign_of(d0) : share > change ? sign_of(d1) : 0;
  return d0 != 0 ? sign_of(d0) : sign_of(d1);
}

}  // namespace

ConditionTrack::ConditionTrack(const Reduction& reduction) : reduction_(&reduction) {
  const std::size_t count = reduction.comparisons.size();
  before_.resize(count);
  change_.resize(count);
  changes_.reserve(count + 2);
  holding_.resize(count);
  begin();
}

void ConditionTrack::begin() {
  started_ = false;
  first_ = last_ = NAN;
  duration_ = 0;
}

bool ConditionTrack::holds() const {
  ProgramInputs in;
  in.signals = holding_;
  return run_program(reduction_->condition, in) != 0;
}

// It holds from one time to another, which may be the same.
void ConditionTrack::note(double from, double to) {
  if (std::isnan(first_)) first_ = from;
  last_ = to;
  duration_ += to - from;
}

void ConditionTrack::row(double t, std::span<const double> differences) {
  if (started_) between(t, differences);
  started_ = true;
  time_ = t;
  std::copy(differences.begin(), differences.end(), before_.begin());

  // At the row itself.
  for (std::size_t k = 0; k < differences.size(); ++k)
    holding_[k] = holds_for_sign(reduction_->comparisons[k], sign_of(differences[k]));
  if (holds()) note(t, t);
}

void ConditionTrack::between(double t, std::span<const double> differences) {
  // Where comparisons change.
  changes_.assign(1, 0.0);
  for (std::size_t k = 0; k < differences.size(); ++k) {
    const bool passes = sign_of(before_[k]) * sign_of(differences[k]) < 0;
    change_[k] = passes ? share_of_change(before_[k], differences[k]) : NAN;
    if (passes) changes_.push_back(change_[k]);
  }
  changes_.push_back(1.0);
  std::sort(changes_.begin(), changes_.end());
  changes_.erase(std::unique(changes_.begin(), changes_.end()), changes_.end());

  const auto time_at = [&](double share) { return share == 1 ? t : time_ + share * (t - time_); };
  const auto holds_at = [&](double share) {
    for (std::size_t k = 0; k < differences.size(); ++k)
      holding_[k] =
          holds_for_sign(reduction_->comparisons[k], sign_between(before_[k], differences[k], change_[k], share));
    return holds();
  };
  for (std::size_t i = 0; i + 1 < changes_.size(); ++i) {
    // At the moment of a change, which may be all there is (a == b), then from there to the next.
    if (i > 0 && holds_at(changes_[i])) note(time_at(changes_[i]), time_at(changes_[i]));
    if (holds_at((changes_[i] + changes_[i + 1]) / 2)) note(time_at(changes_[i]), time_at(changes_[i + 1]));
  }
}

}  // namespace taut
