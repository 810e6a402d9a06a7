// Rest lengths over time: of actuators and of winches.
#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/forces/cables.h"

namespace taut {

void Cables::set_winches(const std::vector<Winch>& winches, CableTerms& terms) const {
  for (const Winch& winch : terms.winches) {
    const int s = slot_of_cable_[winch.cable];
    terms.rest[s] = start_rest_[s];
    terms.rest_rate[s] = 0.0;
    terms.stiffness[s] = stiffness_at(laws_[s], start_rest_[s]);
    terms.wound[winch.cable] = 0;
  }
  terms.winches = winches;
  for (const Winch& winch : winches) terms.wound[winch.cable] = 1;
}

void Cables::set_time(double t, CableTerms& terms) const {
  for (const RestDrive& drive : drives_)
    if (!wound(drive.slot, terms))
      set_rest(drive.slot, t, value(drive.rest_length, t), rate(drive.rest_length, t), terms);
  for (const Winch& winch : terms.winches)
    set_rest(slot_of_cable_[winch.cable], t, winch.rest_length(t), winch.rate_at(t), terms);
}

void Cables::set_rest(int s, double t, double rest, double rest_rate, CableTerms& terms) const {
  const bool zero_allowed = laws_[s].kind == LawKind::spring && !laws_[s].by_EA;
  if (!(rest > 0.0) && !(zero_allowed && rest == 0.0))
    throw RunError(t,
                   fmt::format("the rest length of {} \"{}\" is driven to {:g} m at t = {:g} s; it must stay above 0",
                               cable_of_slot_[s] >= 0 ? "cable" : "bar", names_[s], rest, t));
  terms.rest[s] = rest;
  terms.rest_rate[s] = rest_rate;
  terms.stiffness[s] = stiffness_at(laws_[s], rest);
}

}  // namespace taut
