#include "apps/taut/form/form_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/model/words.h"

namespace taut {

void say(const std::string& name, const std::string& value) { fmt::print("  {:<20}{}\n", name, value); }

std::string equilibrium_text(bool stable, const std::string& free) {
  if (!free.empty()) return fmt::format("in equilibrium, but nothing resists a motion: {}", free);
  return stable ? "in equilibrium" : "in equilibrium, but unstable: the slightest push makes it leave";
}

bool print_status(const FormResult& r, bool stable, const std::string& free) {
  if (!r.model.name.empty()) fmt::print("{}\n", r.model.name);
  if (!r.converged) {
    say("status", "no equilibrium: " + r.reason);
    return false;
  }
  say("status", equilibrium_text(stable, free));
  say("largest net force",
      fmt::format("{:.1e} N, {:.1e} of the mean member force, {:.4g} N", r.net_force, r.residual, r.mean_force));
  return true;
}

void print_form(const FormResult& r) {
  if (!print_status(r, r.stable, r.free)) return;
  print_move(r);
  print_tensions(r);
}

void print_move(const FormResult& r) {
  say("largest move",
      r.moved_node < 0 ? "none" : fmt::format("{:.4g} m, node {}", r.largest_move, r.model.nodes[r.moved_node].name));
}

void print_tensions(const FormResult& r) {
  if (r.tensions.empty()) return;
  const auto [least, most] = std::minmax_element(r.tensions.begin(), r.tensions.end());
  const auto cable = [&](auto it) { return cable_name(r.model, static_cast<int>(it - r.tensions.begin())); };
  say("tensions", fmt::format("{:.4g} N ({}) to {:.4g} N ({})", *least, cable(least), *most, cable(most)));
}

void print_notes(const FormResult& r) {
  for (const std::string& note : r.notes) say("note", note);
}

}  // namespace taut
