#include "taut/analysis/prestress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "taut/analysis/balance.h"
#include "taut/analysis/force_balance.h"
#include "taut/analysis/supports.h"
#include "taut/base/error.h"
#include "taut/model/affine_base.h"
#include "taut/model/move_nodes.h"

namespace taut {

namespace {

// Steps below this part of a member end the search.
constexpr double least_step = 1e-11;

// The model as it stands: no motion, actuated rest lengths as they are at t = 0.
Model at_rest(const Model& model) {
  Model still = model;
  for (Node& node : still.nodes) node.velocity.setZero();
  for (const Actuator& actuator : model.actuators)
    still.cables[actuator.cable].rest_length = value(actuator.rest_length, 0.0);
  still.actuators.clear();
  return still;
}

// A cable that joins fixed nodes only: nothing asks how it is strung.
bool is_held(const Model& model, const Cable& cable) {
  return std::all_of(cable.path.begin(), cable.path.end(), [&](int node) {
    return model.nodes[node].fixed == Axes{true, true, true};
  });
}

// The targets in force: those of the model, or, without any, the mean tension of the start shape. Cables between fixed
// nodes keep their tension.
std::vector<Target> wanted(const Model& model) {
  const std::vector<double> present = start_balance(at_rest(model)).cable_tension;
  std::vector<Target> targets = model.targets;
  std::vector<char> given(model.cables.size(), 0);
  for (const Target& target : targets)
    for (int cable : target.cables) given[cable] |= !target.mean;
  Target mean{{}, 0.0, true};
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    const bool held = is_held(model, model.cables[i]);
    if (held && !given[i]) targets.push_back({{i}, present[i], false});
    if (!held && model.cables[i].law.kind != LawKind::spring) mean.cables.push_back(i), mean.tension += present[i];
  }
  if (model.targets.empty()) {
    if (!(mean.tension > 0.0))
      throw InputError(
          "prestress: no cable has a tension to begin with; say what to carry, such as [[targets]] cables = [\"...\"], "
          "tension = 100.0");
    mean.tension /= static_cast<double>(mean.cables.size());
    targets.insert(targets.begin(), mean);
  } else if (std::all_of(model.targets.begin(), model.targets.end(),
                         [](const Target& t) { return t.tension == 0.0; })) {
    throw InputError("prestress: all targets are 0 N: nothing would be taut; give at least one tension above 0");
  }
  return targets;
}

// Nodes that are derived from others: of a linear constraint the one with the largest coefficient, the later of equals;
// of a body those that three or four others span.
std::vector<char> derived_nodes(const Model& model) {
  std::vector<char> derived(model.nodes.size(), 0);
  for (const Constraint& constraint : model.constraints) {
    int node = -1;
    double largest = 0.0;
    for (const auto& [i, coefficient] : constraint.terms)
      if (std::abs(coefficient) >= largest && model.nodes[i].fixed == Axes{}) largest = std::abs(coefficient), node = i;
    if (node >= 0 && constraint.terms.size() > 1 && constraint.axes == Axes{true, true, true}) derived[node] = 1;
  }
  std::vector<Vec3> at;
  for (const Node& node : model.nodes) at.push_back(node.position);
  for (const Body& body : model.bodies) {
    const std::vector<int> base = spanning(at, body.nodes, 1e-9 * extent(at, body.nodes));
    for (int node : body.nodes)
      if (std::find(base.begin(), base.end(), node) == base.end()) derived[node] = 1;
  }
  return derived;
}

class Search {
 public:
  Search(const Model& model, const PrestressOptions& options)
      : model_(model),
        options_(options),
        targets_(wanted(model)),
        derived_(derived_nodes(model)),
        balance_(model, targets_, derived_),
        start_(balance_.statics().start()) {
    at_.x = start_;
  }

  PrestressResult run() {
    const Unsupported unsupported = find_unsupported(model_, find_parts(model_), balance_.statics().external());
    if (unsupported.part >= 0)
      return fail(fmt::format("weight and loads pull with ({:.4g}, {:.4g}, {:.4g}) N along axes that nothing holds",
                              unsupported.force[0], unsupported.force[1], unsupported.force[2]));
    if (!balance_.statics().project(at_.x)) return fail("the constraints contradict each other at the start");
    at_ = balance_.best_forces(at_.x);
    result_.start_residual = balance_.imbalance(at_).lpNorm<Eigen::Infinity>();
    iterate();
    return conclude();
  }

 private:
  const Cables& cables() const { return balance_.cables(); }
  const std::vector<int>& slots() const { return balance_.slots(); }
  double force() const { return balance_.force(); }

  void iterate() {
    double penalty = 1.0;
    for (; result_.iterations < options_.iterations; ++result_.iterations) {
      if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) break;
      const double infeasible = balance_.imbalance(at_).lpNorm<1>();
      if (options_.progress) options_.progress(result_.iterations, infeasible);
      const QpSolution step = balance_.nearer(at_, start_);
      if (!step.solved) break;
      const int n = balance_.unknowns();
      const double largest = step.z.head(n).cwiseAbs().maxCoeff();
      penalty = std::max(penalty, 2.0 * step.multiplier.head(n).lpNorm<Eigen::Infinity>());
      const double merit = 0.5 * balance_.distance_square(at_.x, start_) + penalty * infeasible;
      bool gained = false;
      Candidate there;
      for (double part = std::min(1.0, 0.1 / largest); !gained && part > 1e-6; part *= 0.5) {
        if (!balance_.take(at_, step, part, there)) continue;
        // Near the end the merit drowns in rounding.
        gained =
            (largest < 1e-6 && part == 1.0) ||
            0.5 * balance_.distance_square(there.x, start_) + penalty * balance_.imbalance(there).lpNorm<1>() < merit;
      }
      if (!gained) break;
      at_ = there;
      if (largest < least_step) break;
    }
  }

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
  std::string missed_targets() const {
    for (const Target& target : targets_) {
      double mean = 0.0;
      for (int cable : target.cables) {
        const double t = at_.tension[balance_.column_of_cable(cable)];
        mean += t / static_cast<double>(target.cables.size());
        if (!target.mean && std::abs(t - target.tension) > 1e-6 * force())
          return fmt::format("the targets contradict each other: cable \"{}\" would carry {:.4g} N instead of {:g} N",
                             model_.cables[cable].name, t, target.tension);
      }
      if (target.mean && std::abs(mean - target.tension) > 1e-6 * force())
        return fmt::format(
            "the targets contradict each other: the mean over \"{}\" and the others of its group would be {:.4g} N "
            "instead of {:g} N",
            model_.cables[target.cables.front()].name, mean, target.tension);
    }
    return {};
  }

  // Cables that would have to push, and by how much.
  std::string pushing() const {
    std::vector<std::string> which;
    for (int k = 0; k < static_cast<int>(slots().size()); ++k) {
      const int cable = cables().cable_of_slot(slots()[k]);
      if (cable >= 0 && cables().law(slots()[k]).kind != LawKind::spring && at_.tension[k] < -1e-9 * force())
        which.push_back(fmt::format("\"{}\" ({:.4g} N)", model_.cables[cable].name, at_.tension[k]));
    }
    if (which.empty()) return {};
    const std::size_t count = which.size();
    if (count > 8) which.resize(8);
    return fmt::format("the equilibrium that was found for these tensions needs {} to push: {}{}",
                       count == 1 ? "a cable" : fmt::format("{} cables", count), fmt::join(which, ", "),
                       count > 8 ? ", ..." : "");
  }

  // Rest lengths for the tensions; the name of a member whose law cannot carry it, or empty.
  std::string set_rest_lengths(Model& model) const {
    for (int k = 0; k < static_cast<int>(slots().size()); ++k) {
      const int slot = slots()[k], cable = cables().cable_of_slot(slot);
      double length = 0.0;
      for (int p = cables().piece_begin(slot); p < cables().piece_end(slot); ++p)
        length += (at_.x.segment<3>(3 * cables().piece_b(p)) - at_.x.segment<3>(3 * cables().piece_a(p))).norm();
      const double rest = rest_length_for_tension(cables().law(slot), length, at_.tension[k]);
      if (!std::isfinite(rest))
        return fmt::format("\"{}\" cannot carry {:.4g} N at {:.4g} m", name_of_slot(slot), at_.tension[k], length);
      if (cable >= 0) {
        model.cables[cable].rest_length = rest;
        for (Actuator& actuator : model.actuators)
          if (actuator.cable == cable) actuator.rest_length = shifted(actuator.rest_length, rest);
      } else {
        for (std::size_t i = 0; i < model.bars.size(); ++i)
          if (cables().slot_of_bar(static_cast<int>(i)) == slot) model.bars[i].rest_length = rest;
      }
    }
    return {};
  }

  PrestressResult conclude() {
    Eigen::VectorXd r = balance_.imbalance(at_);
    if (!(r.lpNorm<Eigen::Infinity>() < 1e-6)) {
      // What the best forces leave, with the targets kept.
      at_ = balance_.best_forces(at_.x);
      r = balance_.imbalance(at_);
    }
    result_.model = model_;
    move_nodes(result_.model, at_.x);
    describe_moves();
    describe_forces();
    const double size = r.lpNorm<Eigen::Infinity>();
    result_.net_force = force() * size;
    result_.residual = result_.mean_force > 0.0 ? result_.net_force / result_.mean_force : 0.0;
    result_.reason = !(size < 1e-6) ? out_of_balance(r) : missed_targets();
    if (result_.reason.empty()) result_.reason = pushing();
    const double reach = options_.reach > 0.0 ? options_.reach : 0.25 * balance_.length();
    if (result_.reason.empty() && result_.largest_move > reach)
      result_.reason = fmt::format(
          "the shape is far from any equilibrium: the nearest one that was found moves node \"{}\" by {:.4g} m (more "
          "than {:.4g} m)",
          model_.nodes[result_.moved_node].name, result_.largest_move, reach);
    if (result_.reason.empty()) result_.reason = set_rest_lengths(result_.model);
    if (!result_.reason.empty()) return std::move(result_);
    // The proof: the model as it will be read.
    const Balance balance = start_balance(at_rest(result_.model));
    result_.net_force = 0.0;
    for (const Vec3& force : balance.net_force) result_.net_force = std::max(result_.net_force, force.norm());
    result_.mean_force = balance.mean_force;
    result_.residual = balance.mean_force > 0.0 ? result_.net_force / balance.mean_force : 0.0;
    result_.tensions = balance.cable_tension;
    result_.bar_forces = balance.bar_force;
    result_.converged = result_.residual < 1e-9;
    if (!result_.converged) result_.reason = fmt::format("the search ended {:.2g} N out of balance", result_.net_force);
    return std::move(result_);
  }

  std::string out_of_balance(const Eigen::VectorXd& r) {
    std::vector<double> at(model_.nodes.size(), 0.0);
    for (int i = 0; i < balance_.unknowns(); ++i) at[balance_.statics().unknowns()[i] / 3] += r[i] * r[i];
    for (int i = 0; i < static_cast<int>(at.size()); ++i)
      if (at[i] > 1e-12) result_.unbalanced.push_back({i, force() * std::sqrt(at[i])});
    std::sort(result_.unbalanced.begin(), result_.unbalanced.end(),
              [](const NodeForce& a, const NodeForce& b) { return a.force > b.force; });
    std::vector<std::string> which;
    for (std::size_t k = 0; k < std::min<std::size_t>(5, result_.unbalanced.size()); ++k)
      which.push_back(fmt::format("\"{}\" by {:.4g} N", model_.nodes[result_.unbalanced[k].node].name,
                                  result_.unbalanced[k].force));
    return fmt::format("no equilibrium near this shape: {} cannot balance: {}{}",
                       result_.unbalanced.size() == 1 ? "one node" : fmt::format("{} nodes", result_.unbalanced.size()),
                       fmt::join(which, ", "), result_.unbalanced.size() > 5 ? ", ..." : "");
  }

  void describe_moves() {
    double sum = 0.0;
    for (int i = 0; i < static_cast<int>(model_.nodes.size()); ++i) {
      const double move = (at_.x - start_).segment<3>(3 * i).norm();
      if (!derived_[i]) sum += move * move;
      if (move > result_.largest_move) result_.largest_move = move, result_.moved_node = i;
    }
    result_.distance = std::sqrt(sum);
  }

  void describe_forces() {
    result_.tensions.assign(model_.cables.size(), 0.0);
    double sum = 0.0;
    for (int k = 0; k < static_cast<int>(slots().size()); ++k) {
      const int cable = cables().cable_of_slot(slots()[k]);
      if (cable >= 0) result_.tensions[cable] = at_.tension[k];
      sum += std::abs(at_.tension[k]);
    }
    result_.mean_force = slots().empty() ? 0.0 : sum / static_cast<double>(slots().size());
  }

  const Model& model_;
  const PrestressOptions& options_;
  std::vector<Target> targets_;
  std::vector<char> derived_;
  ForceBalance balance_;
  Eigen::VectorXd start_;
  Candidate at_;
  PrestressResult result_;
};

}  // namespace

PrestressResult find_prestress(const Model& model, const PrestressOptions& options) {
  if (model.ground)
    throw InputError(
        "prestress: forces of the ground are not part of it; fix the nodes that stand on it, and leave out "
        "environment.ground");
  return Search(model, options).run();
}

}  // namespace taut
