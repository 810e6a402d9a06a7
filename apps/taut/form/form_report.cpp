#include "apps/taut/form/form_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "apps/taut/terminal.h"
#include "taut/equilibrium/members.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/words.h"

namespace taut {

Json by_member(const Model& model, const Eigen::VectorXd& values) {
  Json object = Json::object();
  for (int m = 0; m < values.size(); ++m) object[member_name(model, m)] = values[m];
  return object;
}

Json form_json(const FormResult& r, const std::string& output) {
  Json object;
  object["converged"] = r.converged;
  object["reason"] = r.reason;
  object["notes"] = r.notes;
  object["stable"] = r.converged ? Json(r.stable) : Json();
  object["free_motion"] = r.converged && !r.free.empty() ? Json(r.free) : Json();
  object["imbalance"] = r.residual;
  object["net_force"] = r.net_force;
  object["mean_member_force"] = r.mean_force;
  object["iterations"] = r.iterations;
  object["largest_move"] = r.largest_move;
  object["moved_node"] = r.moved_node >= 0 ? Json(r.model.nodes[r.moved_node].name) : Json();
  object["tensions"] = object["rest_lengths"] = object["bar_forces"] = object["bar_lengths"] = Json::object();
  for (std::size_t i = 0; i < r.tensions.size(); ++i) {
    object["tensions"][cable_name(r.model, static_cast<int>(i))] = r.tensions[i];
    if (i < r.model.cables.size()) object["rest_lengths"][r.model.cables[i].name] = r.model.cables[i].rest_length;
  }
  for (std::size_t i = 0; i < r.bar_forces.size(); ++i) {
    object["bar_forces"][r.model.bars[i].name] = r.bar_forces[i];
    object["bar_lengths"][r.model.bars[i].name] = start_length(r.model, r.model.bars[i]);
  }
  object["file"] = r.converged ? Json(output) : Json();
  return object;
}

void say(const std::string& name, const std::string& value) { fmt::print("  {:<20}{}\n", name, value); }

std::string equilibrium_text(bool stable, const std::string& free) {
  if (!free.empty()) return fmt::format("in equilibrium, but nothing resists a motion: {}", free);
  return stable ? "in equilibrium" : "in equilibrium, but unstable: the slightest push makes it leave";
}

void print_form(const FormResult& r) {
  if (!r.model.name.empty()) fmt::print("{}\n", r.model.name);
  if (!r.converged) {
    say("status", "no equilibrium: " + r.reason);
    return;
  }
  say("status", equilibrium_text(r.stable, r.free));
  say("largest net force",
      fmt::format("{:.1e} N, {:.1e} of the mean member force, {:.4g} N", r.net_force, r.residual, r.mean_force));
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

int exit_code(const FormOptions& options, const FormResult& result) {
  if (result.converged) return 0;
  std::fflush(stdout);
  message("{}: no equilibrium: {}\n", options.file, result.reason);
  return 1;
}

void write_found(const FormResult& result, Scenario& scenario, TextFile& file) {
  if (!result.converged) return;
  scenario.model = result.model;
  file.write(to_toml(scenario));
}

}  // namespace taut
