// What `taut statics` prints of a machine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/taut/statics_print.h"
#include "taut/base/text/text.h"
#include "taut/model/words.h"

namespace taut {
namespace {

void print_motions(const MachineStatics& s) {
  if (s.states == 0)
    fmt::print("It has no state of self-stress.\n");
  else
    fmt::print("It has {}{}.\n", plural(s.states, "state of self-stress", "states of self-stress"),
               s.sign_feasible ? "" : ", none of which keeps all cables in tension");
  if (s.mechanisms.empty())
    fmt::print("With its drives held it has no mechanism.\n");
  else
    fmt::print("With its drives held it has {}:\n",
               plural(static_cast<int>(s.mechanisms.size()), "mechanism", "mechanisms"));
  for (std::size_t k = 0; k < std::min<std::size_t>(s.mechanisms.size(), 6); ++k)
    fmt::print("  {}: {}\n", name(s.mechanisms[k].kind), motion_text(s, s.mechanisms[k].motion));
  if (s.mechanisms.size() > 6) fmt::print("  and {} more\n", s.mechanisms.size() - 6);
  if (s.rigid_motions > 0)
    fmt::print("The ground leaves {} free.\n", plural(s.rigid_motions, "rigid motion", "rigid motions"));
}

void print_softness(const MachineStatics& s, const std::optional<MachineSoftness>& soft, const char* with) {
  if (!soft) {
    fmt::print("{} nothing can move.\n", with);
    return;
  }
  const double none = no_stiffness * soft->scale;
  const char* word = soft->eigenvalue > none    ? "it is stable; softest"
                     : soft->eigenvalue < -none ? "it gives way by itself"
                                                : "nothing resists";
  fmt::print("{} {}: {:.4g} N/m, {}.\n", with, word, std::abs(soft->eigenvalue) <= none ? 0.0 : soft->eigenvalue,
             motion_text(s, soft->motion));
}

// At the place; rigid bars keep the length that they are drawn with.
double length_of_bar(const Model& model, const MachineStatics& s, int bar) {
  for (const MachineMember& m : s.members)
    if (m.kind == MachineMemberKind::bar && m.index == bar) return m.length;
  return start_length(model, model.bars[bar]);
}

void print_table(const Model& model, const MachineStatics& s) {
  // What a linear solution leaves in place of 0.
  double rounding = 1e-13 * s.forces.lpNorm<Eigen::Infinity>();
  for (const double force : s.bar_forces) rounding = std::max(rounding, 1e-13 * std::abs(force));
  const auto shown = [&](double force) { return std::abs(force) <= rounding ? 0.0 : force; };
  std::size_t width = 6;
  for (const MachineMember& m : s.members) width = std::max(width, m.name.size());
  for (const Bar& bar : model.bars) width = std::max(width, bar.name.size());
  fmt::print("\n  {:<{}}  {:>12}  {:>12}\n", "member", width, "force, N", "length, m");
  for (std::size_t i = 0; i < s.members.size(); ++i)
    if (const MachineMember& m = s.members[i]; !is_torque(m) && m.kind != MachineMemberKind::bar)
      fmt::print("  {:<{}}  {:>12.6g}  {:>12.6g}\n", m.name, width, shown(s.forces[static_cast<long>(i)]), m.length);
  for (std::size_t i = 0; i < model.bars.size(); ++i)
    fmt::print("  {:<{}}  {:>12.6g}  {:>12.6g}\n", model.bars[i].name, width, shown(s.bar_forces[i]),
               length_of_bar(model, s, static_cast<int>(i)));
  bool first = true;
  for (std::size_t i = 0; i < s.members.size(); ++i) {
    if (!is_torque(s.members[i])) continue;
    if (first) fmt::print("\n  {:<{}}  {:>12}\n", "joint", width, "N m or N");
    first = false;
    fmt::print("  {:<{}}  {:>12.6g}\n", s.members[i].name, width,
               value_of(s.members[i], shown(s.forces[static_cast<long>(i)])));
  }
}

}  // namespace

void print_machine_statics(const Model& model, const MachineStatics& s) {
  fmt::print("{}: {}\n", model.name.empty() ? "model" : model.name, counts_text(model));
  print_motions(s);
  if (s.at_start)
    fmt::print("The start is in balance; the forces below are those of the start.\n");
  else if (s.load_state == LoadState::balanced)
    fmt::print("The forces below balance weight and loads{}.\n",
               s.forces_feasible ? "" : ", but leave the bounds of members");
  else if (s.load_state == LoadState::none)
    fmt::print("The forces below are a self-stress{}.\n", s.forces_feasible ? "" : ", but leave the bounds of members");
  else
    fmt::print("Weight and loads cannot be balanced here: they push along {}. They are left out.\n",
               s.load_state == LoadState::not_held ? "a rigid motion" : "a mechanism");
  fmt::print("Stability: {}.\n", name(s.stability));
  print_softness(s, s.held, "With its drives held");
  const bool torques =
      std::any_of(model.drives.begin(), model.drives.end(), [](const JointDrive& d) { return !d.imposed; });
  if (torques) print_softness(s, s.given, "With torques that stay what they are");
  for (const Compliance& c : s.compliances) {
    fmt::print("Node {} {}\n", model.nodes[c.node].name,
               c.bounded ? "gives way under 1 N by, m/N:" : "gives way without limit.");
    for (int i = 0; i < 3 && c.bounded; ++i)
      fmt::print("  {:>12.4e} {:>12.4e} {:>12.4e}\n", c.matrix(i, 0), c.matrix(i, 1), c.matrix(i, 2));
  }
  print_table(model, s);
}

}  // namespace taut
