#include "taut/integrate/stall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"

namespace taut {

namespace {

constexpr double nothing = 1e-9;        // of a cable's length: nodes closer than that are together
constexpr int many = 100;               // switches between two looks
constexpr double no_way = 1e-6;         // of the duration, between two looks
constexpr int patience = 10;            // looks
constexpr double no_way_at_all = 1e-9;  // of the duration, over that many looks
constexpr int long_patience = 200;      // looks
constexpr double too_little = 2e-3;     // of the duration, over that many looks
constexpr double starved = 50.0;        // strain of a cable that is wound to next to nothing

double piece_length(const CableTerms& terms, int piece) {
  const double* d = terms.direction.data() + 4 * piece;
  return std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

}  // namespace

StallGuard::StallGuard(const Dynamics& dynamics, double tolerance)
    : dynamics_(dynamics), tolerance_(tolerance), switches_(dynamics.cables().slots(), 0) {
  // Pieces without length at the start.
  Terms terms = dynamics.make_terms();
  const State start = dynamics.start();
  dynamics.formulation().place_nodes(start.q(), start.v(), terms);
  const Cables& cables = dynamics.cables();
  for (int s = 0; s < cables.slots(); ++s) {
    const auto length = [&](int p) {
      return (Vec3(terms.x.data() + 4 * cables.piece_b(p)) - Vec3(terms.x.data() + 4 * cables.piece_a(p))).norm();
    };
    double whole = 0.0;
    for (int p = cables.piece_begin(s); p < cables.piece_end(s); ++p) whole += length(p);
    for (int p = cables.piece_begin(s); p < cables.piece_end(s); ++p) joined_.push_back(length(p) <= nothing * whole);
  }
}

void StallGuard::begin(double t) {
  steps_ = slow_looks_ = long_looks_ = 0;
  since_ = slow_since_ = long_since_ = t;
  lost_ = flapping_ = -1;
  std::fill(switches_.begin(), switches_.end(), 0);
}

int StallGuard::lost_piece(const CableTerms& terms, int& slot) const {
  const Cables& cables = dynamics_.cables();
  for (slot = 0; slot < cables.slots(); ++slot) {
    const int first = cables.piece_begin(slot), end = cables.piece_end(slot);
    if (end - first < 2 || !(terms.tension[slot] > 0.0)) continue;
    for (int p = first; p < end; ++p)
      if (joined_[p] == 0 && piece_length(terms, p) < nothing * terms.length[slot]) return p;
  }
  return -1;
}

std::string StallGuard::likely_cause(const CableTerms& terms) const {
  const Cables& cables = dynamics_.cables();
  for (int s = 0; s < cables.slots(); ++s)
    if (cables.cable_of_slot(s) >= 0 && cables.law(s).by_EA && terms.length[s] > starved * terms.rest[s])
      return fmt::format(
          "; the rest length of cable \"{}\" is driven to {:.3g} m, and it is {:.3g} m long: with EA its "
          "stiffness grows without limit",
          dynamics_.model().cables[cables.cable_of_slot(s)].name, terms.rest[s], terms.length[s]);
  int hardest = -1;
  double most = 0.0;  // of the elastic tensions: those of the dampers may be an unfinished step's
  for (int s = 0; s < cables.slots(); ++s) {
    most = std::max(most, terms.stiffness[s] * (terms.length[s] - terms.rest[s]));
    if (cables.cable_of_slot(s) >= 0 && (hardest < 0 || cables.law(s).damping > cables.law(hardest).damping))
      hardest = s;
  }
  if (hardest < 0 || !(cables.law(hardest).damping * tolerance_ > 0.01 * most)) return {};
  return fmt::format(
      "; with its damping of {:g} N s/m cable \"{}\" makes {:.2g} N of an error of {:g} m/s, which the tolerance "
      "allows: "
      "take less damping or a smaller simulation.tolerance",
      cables.law(hardest).damping, dynamics_.model().cables[cables.cable_of_slot(hardest)].name,
      cables.law(hardest).damping * tolerance_, tolerance_);
}

void StallGuard::look(double t, double duration, const CableTerms& terms) {
  const Cables& cables = dynamics_.cables();
  const Model& model = dynamics_.model();
  steps_ = 0;
  // Nodes pulled together.
  int slot = -1;
  const int lost = lost_piece(terms, slot);
  if (lost >= 0 && lost == lost_)
    throw RunError(t, fmt::format("cable \"{}\" has pulled its nodes \"{}\" and \"{}\" together at t = {:.6g} s: the "
                                  "piece between them has no length left and its pull no direction; let bars meet as "
                                  "solid rods (environment.collision, with a radius for each bar) or actuate less",
                                  model.cables[cables.cable_of_slot(slot)].name, model.nodes[cables.piece_a(lost)].name,
                                  model.nodes[cables.piece_b(lost)].name, t));
  lost_ = lost;
  // A cable that switches without end.
  const int busiest = static_cast<int>(std::max_element(switches_.begin(), switches_.end()) - switches_.begin());
  const bool flaps = !switches_.empty() && switches_[busiest] >= many && t - since_ < no_way * duration;
  if (flaps && busiest == flapping_)
    throw RunError(t, fmt::format("cable \"{}\" switches between slack and taut {} times within {:.2g} s at t = {:.6g} "
                                  "s{}",
                                  model.cables[cables.cable_of_slot(busiest)].name, switches_[busiest], t - since_, t,
                                  likely_cause(terms)));
  flapping_ = flaps ? busiest : -1;
  std::fill(switches_.begin(), switches_.end(), 0);
  since_ = t;
  // Next to no progress, or none, for whatever reason.
  if (++long_looks_ == long_patience) {
    const double way = t - long_since_, more = (duration - t) / way * long_patience * window;
    if (way < too_little * duration && t < duration)
      throw RunError(t,
                     fmt::format("{} steps have brought the run only {:.2g} s further at t = {:.6g} s; it would take "
                                 "{:.1g} more: the forces are too stiff or not smooth there{}",
                                 long_patience * window, way, t, more, likely_cause(terms)));
    long_looks_ = 0;
    long_since_ = t;
  }
  if (++slow_looks_ < patience) return;
  if (t - slow_since_ < no_way_at_all * duration)
    throw RunError(t, fmt::format("{} steps have brought the run only {:.2g} s further at t = {:.6g} s: the forces are "
                                  "too stiff or not smooth there{}",
                                  patience * window, t - slow_since_, t, likely_cause(terms)));
  slow_looks_ = 0;
  slow_since_ = t;
}

}  // namespace taut
