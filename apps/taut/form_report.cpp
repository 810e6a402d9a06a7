#include "apps/taut/form_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "taut/analysis/form_members.h"
#include "taut/model/write_toml.h"

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
    object["tensions"][r.model.cables[i].name] = r.tensions[i];
    object["rest_lengths"][r.model.cables[i].name] = r.model.cables[i].rest_length;
  }
  for (std::size_t i = 0; i < r.bar_forces.size(); ++i) {
    object["bar_forces"][r.model.bars[i].name] = r.bar_forces[i];
    object["bar_lengths"][r.model.bars[i].name] = start_length(r.model, r.model.bars[i]);
  }
  object["file"] = r.converged ? Json(output) : Json();
  return object;
}

void print_json(const Json& object) { fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace)); }

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
  say("largest move",
      r.moved_node < 0 ? "none" : fmt::format("{:.4g} m, node {}", r.largest_move, r.model.nodes[r.moved_node].name));
  if (!r.tensions.empty()) {
    const auto [least, most] = std::minmax_element(r.tensions.begin(), r.tensions.end());
    const auto cable = [&](auto it) { return r.model.cables[it - r.tensions.begin()].name; };
    say("tensions", fmt::format("{:.4g} N ({}) to {:.4g} N ({})", *least, cable(least), *most, cable(most)));
  }
}

void print_notes(const FormResult& r) {
  for (const std::string& note : r.notes) say("note", note);
}

int conclude(const FormOptions& options, const FormResult& result, Scenario& scenario, TextFile& file) {
  if (result.converged) {
    scenario.model = result.model;
    file.write(to_toml(scenario));
    return 0;
  }
  std::fflush(stdout);
  fmt::print(stderr, "{}: no equilibrium: {}\n", options.file, result.reason);
  return 1;
}

}  // namespace taut
