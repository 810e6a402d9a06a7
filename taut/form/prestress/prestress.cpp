#include "taut/form/prestress/prestress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/find_equilibrium.h"
#include "taut/equilibrium/force_balance.h"
#include "taut/equilibrium/supports.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/form/prestress/prestress_machine.h"
#include "taut/form/prestress/prestress_search.h"
#include "taut/model/shape/move_nodes.h"

namespace taut {

namespace {

// A result counts as balanced to this part of the mean member force, or to what rounded positions allow.
constexpr double exact = 1e-12;

class Report {
 public:
  Report(const Model& model, const PrestressOptions& options)
      : model_(model), options_(options), search_(model, options) {}

  PrestressResult run() {
    const Unsupported unsupported = find_unsupported(model_, find_parts(model_), balance().statics().external());
    if (unsupported.part >= 0)
      return fail(fmt::format("weight and loads pull with ({:.4g}, {:.4g}, {:.4g}) N along axes that nothing holds",
                              unsupported.force[0], unsupported.force[1], unsupported.force[2]));
    if (!search_.begin()) return fail("the constraints contradict each other at the start");
    search_.run();
    result_.start_residual = search_.start_residual();
    result_.iterations = search_.iterations();
    return conclude();
  }

 private:
  ForceBalance& balance() { return search_.balance(); }
  const Cables& cables() const { return search_.balance().cables(); }
  const std::vector<int>& slots() const { return search_.balance().slots(); }
  double force() const { return search_.balance().force(); }
  double tension(int cable) const { return search_.tension(cable); }
  const Candidate& at() const { return search_.at(); }

  PrestressResult fail(const std::string& reason) {
    result_.reason = reason;
    result_.model = model_;
    return std::move(result_);
  }

  std::string name_of_slot(int slot) const {
    for (std::size_t i = 0; i < model_.bars.size(); ++i)
      if (cables().slot_of_bar(static_cast<int>(i)) == slot) return model_.bars[i].name;
    return model_.cables[cables().cable_of_slot(slot)].name;
  }

  // What was asked and is not fulfilled; empty: nothing.
  std::string missed_tensions() const {
    for (const WantedTension& wanted : search_.wanted()) {
      double mean = 0.0;
      for (int cable : wanted.cables) {
        const double t = tension(cable);
        mean += t / static_cast<double>(wanted.cables.size());
        if (!wanted.mean && std::abs(t - wanted.tension) > tension_met * force())
          return fmt::format(
              "the wanted tensions contradict each other: cable \"{}\" would carry {:.4g} N instead of {:g} N",
              model_.cables[cable].name, t, wanted.tension);
      }
      if (wanted.mean && std::abs(mean - wanted.tension) > tension_met * force())
        return fmt::format(
            "the wanted tensions contradict each other: the mean over \"{}\" and the others of its group would be "
            "{:.4g} N "
            "instead of {:g} N",
            model_.cables[wanted.cables.front()].name, mean, wanted.tension);
    }
    return {};
  }

  // Cables that would have to push, or carry less than they should, and by how much.
  std::string pushing() const {
    const std::vector<int> loose = search_.too_loose();
    if (loose.empty()) return {};
    std::vector<std::string> which;
    for (int cable : loose)
      which.push_back(fmt::format("\"{}\" ({:.4g} N)", model_.cables[cable].name, tension(cable)));
    const std::size_t count = which.size();
    if (count > 8) which.resize(8);
    return fmt::format(
        "the search found no equilibrium within bounds; the one it found for these tensions needs {} to {}: {}{}",
        count == 1 ? "a cable" : fmt::format("{} cables", count),
        options_.least_tension > 0.0 ? fmt::format("carry less than {:g} N or to push", options_.least_tension)
                                     : "push",
        fmt::join(which, ", "), count > 8 ? ", ..." : "");
  }

  // Rest lengths for the tensions; the name of a member whose law cannot carry it, or empty.
  std::string set_rest_lengths(Model& model) const {
    for (int k = 0; k < static_cast<int>(slots().size()); ++k) {
      const int slot = slots()[k], cable = cables().cable_of_slot(slot);
      double length = 0.0;
      for (int p = cables().piece_begin(slot); p < cables().piece_end(slot); ++p)
        length += (at().x.segment<3>(3 * cables().piece_b(p)) - at().x.segment<3>(3 * cables().piece_a(p))).norm();
      // What a cable pushes with here is rounding.
      const bool pulls = cable >= 0 && cables().law(slot).kind != LawKind::spring;
      const double tension = pulls ? std::max(0.0, at().tension[k]) : at().tension[k];
      const double rest = rest_length_for_tension(cables().law(slot), length, tension);
      if (!std::isfinite(rest))
        return fmt::format("\"{}\" cannot carry {:.4g} N at {:.4g} m", name_of_slot(slot), at().tension[k], length);
      if (cable >= 0) {
        model.cables[cable].rest_length = rest;
        for (Actuator& actuator : model.actuators)
          if (actuator.cable == cable) actuator.rest_length = shifted(actuator.rest_length, rest);
      } else {
        for (std::size_t i = 0; i < model.bars.size(); ++i)
          if (cables().slot_of_bar(static_cast<int>(i)) == slot) {
            model.bars[i].rest_length = rest;
            for (BarDrive& drive : model.bar_drives)
              if (drive.bar == static_cast<int>(i)) drive.length = shifted(drive.length, rest);
          }
      }
    }
    return {};
  }

  PrestressResult conclude() {
    Eigen::VectorXd r = search_.imbalance();
    if (!(r.lpNorm<Eigen::Infinity>() < 1e-6)) {
      search_.take_best_forces();
      r = search_.imbalance();
    }
    result_.model = model_;
    move_nodes(result_.model, at().x);
    describe_moves();
    describe_forces();
    const double size = r.lpNorm<Eigen::Infinity>();
    result_.net_force = force() * size;
    result_.residual = result_.mean_force > 0.0 ? result_.net_force / result_.mean_force : 0.0;
    result_.reason = !(size < 1e-6) ? out_of_balance(r) : missed_tensions();
    if (result_.reason.empty()) result_.reason = pushing();
    if (result_.reason.empty() && result_.largest_move > search_.reach())
      result_.reason = fmt::format(
          "the shape is far from any equilibrium: the nearest one that was found moves node \"{}\" by {:.4g} m, more "
          "than {:.4g} m: expected a shape nearer to one, or a larger --reach",
          model_.nodes[result_.moved_node].name, result_.largest_move, search_.reach());
    if (result_.reason.empty()) result_.reason = set_rest_lengths(result_.model);
    if (!result_.reason.empty()) return std::move(result_);
    const double rounding = prove();
    if (result_.residual > std::max(exact, rounding)) settle();
    result_.at_least = search_.binding();
    result_.converged = result_.residual <= std::max(exact, rounding);
    if (!result_.converged) result_.reason = fmt::format("the search ended {:.2g} N out of balance", result_.net_force);
    return std::move(result_);
  }

  // The proof: the model as it will be read. What rounded positions allow as imbalance.
  double prove() {
    take_balance(result_.model, result_);
    StaticForces statics(result_.model);
    return rounding_allowed * statics.rounding(statics.net_force(statics.start()));
  }

  // What the search cannot tell from balance, Newton steps with the rest lengths that were found do; not where they
  // lead elsewhere.
  void settle() {
    StaticForces statics(result_.model);
    EquilibriumOptions options;
    options.tolerance = exactly_balanced;
    options.iterations = 20;
    const Eigen::VectorXd before = statics.start();
    const Equilibrium equilibrium = find_equilibrium(statics, before, options);
    if ((equilibrium.x - before).cwiseAbs().maxCoeff() > 1e-7 * search_.balance().length()) return;
    const PrestressResult kept = result_;
    move_nodes(result_.model, equilibrium.x);
    prove();
    if (!(result_.residual < kept.residual)) result_ = kept;
  }

  std::string out_of_balance(const Eigen::VectorXd& r) {
    std::vector<double> at(model_.nodes.size(), 0.0);
    for (int i = 0; i < balance().unknowns(); ++i) at[balance().statics().unknowns()[i] / 3] += r[i] * r[i];
    for (int i = 0; i < static_cast<int>(at.size()); ++i)
      if (at[i] > 1e-12) result_.unbalanced.push_back({i, force() * std::sqrt(at[i])});
    std::sort(result_.unbalanced.begin(), result_.unbalanced.end(),
              [](const NodeForce& a, const NodeForce& b) { return a.force > b.force; });
    std::vector<std::string> which;
    for (std::size_t k = 0; k < std::min<std::size_t>(5, result_.unbalanced.size()); ++k)
      which.push_back(fmt::format("\"{}\" by {:.4g} N", model_.nodes[result_.unbalanced[k].node].name,
                                  result_.unbalanced[k].force));
    return fmt::format("the search found no equilibrium near this shape: {} cannot balance: {}{}",
                       result_.unbalanced.size() == 1 ? "one node" : fmt::format("{} nodes", result_.unbalanced.size()),
                       fmt::join(which, ", "), result_.unbalanced.size() > 5 ? ", ..." : "");
  }

  void describe_moves() {
    double sum = 0.0;
    for (int i = 0; i < static_cast<int>(model_.nodes.size()); ++i) {
      const double move = (at().x - search_.start()).segment<3>(3 * i).norm();
      if (!search_.derived()[i]) sum += move * move;
      if (move > result_.largest_move) result_.largest_move = move, result_.moved_node = i;
    }
    result_.distance = std::sqrt(sum);
  }

  void describe_forces() {
    result_.tensions.assign(model_.cables.size(), 0.0);
    double sum = 0.0;
    for (int k = 0; k < static_cast<int>(slots().size()); ++k) {
      const int cable = cables().cable_of_slot(slots()[k]);
      if (cable >= 0) result_.tensions[cable] = at().tension[k];
      sum += std::abs(at().tension[k]);
    }
    result_.mean_force = slots().empty() ? 0.0 : sum / static_cast<double>(slots().size());
  }

  const Model& model_;
  const PrestressOptions& options_;
  PrestressSearch search_;
  PrestressResult result_;
};

}  // namespace

PrestressResult find_prestress(const Model& model, const PrestressOptions& options) {
  if (model.ground)
    throw InputError(
        "prestress: forces of the ground are not part of it; fix the nodes that stand on it, and leave out "
        "environment.ground");
  if (has_joints(model)) return prestress_machine(model, options);
  return Report(model, options).run();
}

}  // namespace taut
