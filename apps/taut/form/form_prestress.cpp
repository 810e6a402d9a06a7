// taut form --method prestress: the equilibrium nearest to a measured shape.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "apps/taut/form/form_methods.h"
#include "apps/taut/form/form_report.h"
#include "apps/taut/terminal.h"
#include "apps/taut/watch.h"
#include "taut/equilibrium/machine/machine_equilibrium.h"
#include "taut/equilibrium/parts.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/file/write/write_toml.h"
#include "taut/form/prestress/prestress.h"
#include "taut/model/joint_columns.h"
#include "taut/model/words.h"
#include "taut/modes/lowest_modes.h"
#include "taut/modes/modes.h"
#include "taut/statics/buckling.h"

namespace taut {

namespace {

// What is said about the equilibrium that was found.
struct Judgement {
  std::vector<double> frequencies;  // Hz, ascending
  int rigid_motions = 0;
  bool stable = false;
  std::string free;  // what moves without anything that resists
  Buckling buckling;
};

// Squares without the motions of the whole that nothing holds: those are the nearest to zero.
void take_frequencies(const Eigen::VectorXd& all, Judgement& judgement) {
  std::vector<double> squares(all.data(), all.data() + all.size());
  for (int k = 0; k < judgement.rigid_motions && !squares.empty(); ++k)
    squares.erase(
        std::min_element(squares.begin(), squares.end(), [](double x, double y) { return std::abs(x) < std::abs(y); }));
  // Squares that rounding has made are zeros.
  double most = 0.0;
  for (double square : squares) most = std::max(most, std::abs(square));
  for (double square : squares)
    judgement.frequencies.push_back(std::abs(square) <= 1e-12 * std::max(1.0, most) ? 0.0 : frequency(square));
}

Judgement judge_machine(const Model& model) {
  Judgement judgement;
  MachineForces forces(model);
  forces.net_force(forces.start());
  judgement.rigid_motions = static_cast<int>(forces.free_motions().whole.cols());
  MachineEquilibrium here;
  judge_stability(forces, here);
  judgement.stable = here.stable;
  judgement.free = here.free;
  take_frequencies(find_modes(model, {6 + judgement.rigid_motions, "multibody"}).square, judgement);
  return judgement;
}

Judgement judge(const Model& model) {
  if (has_joints(model)) return judge_machine(model);
  Judgement judgement;
  judgement.rigid_motions = find_parts(model).total_rigid_motions();
  const Modes modes = lowest_modes(model, 6 + judgement.rigid_motions);
  take_frequencies(modes.square, judgement);
  judgement.buckling = find_buckling(model);
  StaticForces statics(model);
  judgement.free = free_motion(statics, statics.start());
  judgement.stable = judgement.buckling.stable && judgement.free.empty();
  return judgement;
}

// What else the tensions of a machine ask for: strains of cables on pulleys, torques of drives.
void add_machine(const PrestressResult& r, Json& object) {
  object["strains"] = object["torques"] = Json::object();
  for (const PulleySpec& pulley : r.model.pulleys)
    if (r.converged && pulley.variant != PulleyVariant::rigid) object["strains"][pulley.name] = pulley.strain;
  for (const JointDrive& drive : r.model.drives) {
    if (!r.converged || drive.imposed) continue;
    const JointSpec& joint = r.model.joints[drive.joint];
    const bool alone = joint_velocities(joint.type) == 1;
    object["torques"]
          [alone ? joint.name : fmt::format("{}.{}", joint.name, coordinate_names(joint.type)[drive.coordinate])] =
              value(drive.signal, 0.0);
  }
}

void print_json(const PrestressResult& r, const Judgement& j, const std::string& output) {
  const auto name = [&](int node) { return node >= 0 ? Json(r.model.nodes[node].name) : Json(); };
  Json object;
  object["converged"] = r.converged;
  object["reason"] = r.reason;
  object["imbalance"] = r.residual;
  object["net_force"] = r.net_force;
  object["start_imbalance"] = r.start_residual;
  object["mean_member_force"] = r.mean_force;
  object["iterations"] = r.iterations;
  object["distance"] = r.distance;
  object["largest_move"] = r.largest_move;
  object["moved_node"] = name(r.moved_node);
  object["unbalanced"] = Json::array();
  for (const NodeForce& u : r.unbalanced) object["unbalanced"].push_back({{"node", name(u.node)}, {"force", u.force}});
  object["tensions"] = Json::object();
  object["rest_lengths"] = Json::object();
  for (std::size_t i = 0; i < r.tensions.size(); ++i)
    object["tensions"][cable_name(r.model, static_cast<int>(i))] = r.tensions[i];
  for (std::size_t i = 0; r.converged && i < r.model.cables.size(); ++i)
    object["rest_lengths"][r.model.cables[i].name] = r.model.cables[i].rest_length;
  if (has_joints(r.model)) add_machine(r, object);
  object["at_least"] = cable_names(r.model, r.at_least);
  object["bar_forces"] = Json::object();
  for (std::size_t i = 0; i < r.bar_forces.size(); ++i) object["bar_forces"][r.model.bars[i].name] = r.bar_forces[i];
  object["stable"] = r.converged ? Json(j.stable) : Json();
  object["free_motion"] = r.converged && !j.free.empty() ? Json(j.free) : Json();
  object["frequencies_hz"] = j.frequencies;
  object["rigid_motions"] = j.rigid_motions;
  if (r.converged && j.buckling.loaded && (j.buckling.stable || j.buckling.found))
    object["buckling"] = {{"found", j.buckling.found},
                          {"factor", j.buckling.factor},
                          {"load", j.buckling.load},
                          {"node", name(j.buckling.softest_node)}};
  else
    object["buckling"] = nullptr;
  object["file"] = r.converged ? Json(output) : Json();
  fmt::print("{}", text_of(object));
}

std::string buckling_line(const Model& model, const Buckling& b) {
  if (!b.loaded) return "no weight and no load that could make it buckle";
  if (!b.stable && !b.found) return "it does not bear its load as it is";
  if (!b.stable)
    return fmt::format("it has buckled: it bears {:.4g} of the load, {:.4g} N; node {} gives way", b.factor, b.load,
                       b.softest_node >= 0 ? model.nodes[b.softest_node].name : "?");
  if (!b.found) return fmt::format("not below {:g} times the load, {:.4g} N", b.factor, b.load);
  return fmt::format("at {:.4g} times the load, {:.4g} N; node {} gives way", b.factor, b.load,
                     b.softest_node >= 0 ? model.nodes[b.softest_node].name : "?");
}

void print_text(const PrestressResult& r, const Judgement& j, const std::string& output) {
  if (!r.model.name.empty()) fmt::print("{}\n", r.model.name);
  if (!r.converged) {
    say("status", "no equilibrium: " + r.reason);
    return;
  }
  say("status", equilibrium_text(j.stable, j.free));
  say("largest net force",
      fmt::format("{:.1e} N, {:.1e} of the mean member force, {:.4g} N", r.net_force, r.residual, r.mean_force));
  say("measured shape", fmt::format("{:.1e} of the mean member force out of balance at best", r.start_residual));
  print_move(r);
  print_tensions(r);
  if (const std::vector<std::string> names = cable_names(r.model, r.at_least); !names.empty())
    say("would push", fmt::format("{} of {}, held at {:.4g} N: {}", names.size(), r.tensions.size(),
                                  r.tensions[r.at_least[0]], fmt::join(names, ", ")));
  const std::string besides =
      j.rigid_motions > 0 ? fmt::format(", besides {} motions of the whole that nothing holds", j.rigid_motions) : "";
  if (!j.frequencies.empty())
    say("lowest frequencies", fmt::format("{:.4g} Hz{}", fmt::join(j.frequencies, ", "), besides));
  if (!has_joints(r.model)) say("buckling", buckling_line(r.model, j.buckling));
  say("file", output);
}

}  // namespace

int form_prestress(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output) {
  PrestressOptions how;
  how.reach = options.reach;
  how.least_tension = options.least_tension;
  how.progress = say_steps;
  const PrestressResult result = find_prestress(scenario.model, how);
  Judgement judgement;
  if (result.converged) {
    judgement = judge(result.model);
    scenario.model = result.model;
    file.write(to_toml(scenario));
  }
  no_line();
  options.json ? print_json(result, judgement, output) : print_text(result, judgement, output);
  return exit_code(options, result);
}

}  // namespace taut
