#include "taut/forces/bar_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace taut {

namespace {

constexpr double never = std::numeric_limits<double>::quiet_NaN();
constexpr double in_plane = 1e-10;  // of a volume, over the size of its terms: only rounding
constexpr double met = 1e-7;        // distance of axes that meet, over the length of their ways and their lengths

using Four = std::array<Vec3, 4>;

Four between(const Four& from, const Four& to, double part) {
  Four at;
  for (int k = 0; k < 4; ++k) at[k] = (1.0 - part) * from[k] + part * to[k];
  return at;
}

double volume(const Four& p) { return (p[1] - p[0]).cross(p[3] - p[2]).dot(p[0] - p[2]); }

double distance(const Four& p) {
  return std::sqrt(closest_points(p[0].data(), p[1].data(), p[2].data(), p[3].data(), 0.0).squared);
}

// Zeros in (0, 1) of the cubic through four values at 0, 1/3, 2/3, 1, ascending: bisection between its turns.
int zeros(const std::array<double, 4>& value, std::array<double, 3>& zero) {
  const double c0 = value[0], d1 = value[1] - c0, d2 = value[2] - c0, d3 = value[3] - c0;
  const double c1 = 9.0 * d1 - 4.5 * d2 + d3, c2 = -22.5 * d1 + 18.0 * d2 - 4.5 * d3,
               c3 = 13.5 * d1 - 13.5 * d2 + 4.5 * d3;
  const auto at = [&](double u) { return c0 + u * (c1 + u * (c2 + u * c3)); };
  std::array<double, 4> ends = {0.0, 1.0, 1.0, 1.0};
  int count = 1;
  const double root = c2 * c2 - 3.0 * c1 * c3;
  if (root > 0.0) {
    const double w = -(c2 + std::copysign(std::sqrt(root), c2));
    std::array<double, 2> turns = {w / (3.0 * c3), w != 0.0 ? c1 / w : never};
    std::sort(turns.begin(), turns.end());
    for (const double u : turns)
      if (u > 0.0 && u < 1.0) ends[count++] = u;
  }
  ends[count] = 1.0;
  int found = 0;
  for (int k = 0; k < count; ++k) {
    double low = ends[k], high = ends[k + 1];
    const bool rises = at(high) > 0.0;
    if ((at(low) > 0.0) == rises) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      ((at(middle) > 0.0) == rises ? high : low) = middle;
    }
    zero[found++] = 0.5 * (low + high);
  }
  return found;
}

// In one plane all the time: where the distance is least, among steps of a sixteenth and then by thirds.
double least_distance(const Four& from, const Four& to, double& part) {
  const auto at = [&](double u) { return distance(between(from, to, u)); };
  int best = 0;
  constexpr int steps = 16;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= steps; ++k)
    if (const double d = at(static_cast<double>(k) / steps); d < least) least = d, best = k;
  double low = std::max(0.0, (best - 1.0) / steps), high = std::min(1.0, (best + 1.0) / steps);
  for (int i = 0; i < 80; ++i) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    (at(a) <= at(b) ? high : low) = at(a) <= at(b) ? b : a;
  }
  part = 0.5 * (low + high);
  return std::min(least, at(part));
}

}  // namespace

double pass_time(const double* const from[4], const double* const to[4], double touching) {
  Four before, after;
  for (int k = 0; k < 4; ++k) before[k] = Vec3(from[k]), after[k] = Vec3(to[k]);
  // Farther apart than both can come nearer.
  Four way;
  for (int k = 0; k < 4; ++k) way[k] = after[k] - before[k];
  const double nearer = std::max(std::max((way[0] - way[2]).norm(), (way[0] - way[3]).norm()),
                                 std::max((way[1] - way[2]).norm(), (way[1] - way[3]).norm()));
  const double apart = distance(before);
  if (!(apart <= nearer)) return never;

  const double length = std::max((before[1] - before[0]).norm(), (before[3] - before[2]).norm());
  std::array<double, 4> value;
  double largest = 0.0;
  for (int k = 0; k < 4; ++k) {
    value[k] = volume(between(before, after, k / 3.0));
    largest = std::max(largest, std::abs(value[k]));
  }
  if (largest <= in_plane * length * length * nearer) {
    double part = 0.0;
    // Where they met already at the beginning, the look before has said so.
    return apart > touching && least_distance(before, after, part) <= touching ? part : never;
  }
  // The lines meet at every zero, the bars only at some. Through and back is not through.
  std::array<double, 3> zero;
  const int count = zeros(value, zero);
  double first = never;
  bool through = false;
  for (int k = 0; k < count; ++k) {
    if (distance(between(before, after, zero[k])) > met * (nearer + length)) continue;
    if (std::isnan(first)) first = zero[k];
    through = !through;
  }
  return through ? first : never;
}

BarWatch::BarWatch(const RodContact& collision) : any_(collision.any()), collision_(&collision) {
  if (!any_) return;
  const std::size_t bars = collision.bars().capsules().size();
  list_.reserve(8 * bars);
  room_.entries.reserve(32 * bars);
  room_.pairs.reserve(32 * bars);
}

void BarWatch::begin(double t, const double* x) {
  t_ = t;
  last_.assign(x, x + 4 * collision_->node_count());
}

// Pairs that may meet while the nodes go from last_ to x.
void BarWatch::keep_list(const double* x) {
  const auto farthest = [&](const double* a, const double* b) {
    double most = 0.0;
    for (std::size_t i = 0; i < last_.size(); i += 4) {
      double moved = 0.0;
      for (int axis = 0; axis < 3; ++axis) moved += (a[i + axis] - b[i + axis]) * (a[i + axis] - b[i + axis]);
      most = std::max(most, moved);
    }
    return std::sqrt(most);
  };
  if (!reference_.empty() && 2.0 * farthest(last_.data(), reference_.data()) <= margin_ &&
      2.0 * farthest(x, reference_.data()) <= margin_)
    return;
  const double step = farthest(x, last_.data());
  margin_ = std::max(collision_->margin(), 2.001 * step);
  reference_ = last_;
  near_pairs(collision_->bars().capsules(), last_.data(), margin_, room_);
  list_.clear();
  for (const auto& [i, j] : room_.pairs)
    if (collision_->bars().may_collide(i, j)) list_.emplace_back(i, j);
  std::sort(list_.begin(), list_.end());
}

void BarWatch::look(double t, const double* x, std::vector<BarPass>& passes) {
  keep_list(x);
  const std::vector<Capsule>& bars = collision_->bars().capsules();
  for (const auto& [i, j] : list_) {
    const Capsule &a = bars[i], &b = bars[j];
    const double* const from[4] = {&last_[4 * a.a], &last_[4 * a.b], &last_[4 * b.a], &last_[4 * b.b]};
    const double* const to[4] = {x + 4 * a.a, x + 4 * a.b, x + 4 * b.a, x + 4 * b.b};
    const double part = pass_time(from, to, 1e-6 * (a.radius + b.radius));
    if (!(part >= 0.0) || passes.size() >= most_passes) continue;
    const auto known = [&](const BarPass& pass) { return pass.a == i && pass.b == j; };
    if (std::none_of(passes.begin(), passes.end(), known)) passes.push_back({t_ + part * (t - t_), i, j});
  }
  std::copy_n(x, last_.size(), last_.data());
  t_ = t;
}

}  // namespace taut
