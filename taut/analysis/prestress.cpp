#include "taut/analysis/prestress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "taut/analysis/balance.h"
#include "taut/analysis/force_balance.h"
#include "taut/analysis/prestress_start.h"
#include "taut/analysis/supports.h"
#include "taut/base/error.h"
#include "taut/model/move_nodes.h"

namespace taut {

namespace {

// Steps below this part of a member end the search.
constexpr double least_step = 1e-11;
// Multipliers of held cables below this are rounding; those of the faint weight of forces are a thousand times as
// large.
constexpr double least_multiplier = 1e-11;

class Search {
 public:
  Search(const Model& model, const PrestressOptions& options)
      : model_(model),
        options_(options),
        targets_(wanted_tensions(model)),
        derived_(derived_nodes(model)),
        balance_(model, targets_, derived_),
        start_(balance_.statics().start()) {
    at_.x = start_;
    find_bounded();
  }

  PrestressResult run() {
    const Unsupported unsupported = find_unsupported(model_, find_parts(model_), balance_.statics().external());
    if (unsupported.part >= 0)
      return fail(fmt::format("weight and loads pull with ({:.4g}, {:.4g}, {:.4g}) N along axes that nothing holds",
                              unsupported.force[0], unsupported.force[1], unsupported.force[2]));
    if (!balance_.statics().project(at_.x)) return fail("the constraints contradict each other at the start");
    at_ = balance_.best_forces(at_.x);
    result_.start_residual = balance_.imbalance(at_).lpNorm<Eigen::Infinity>();
    iterate(false);
    // Cables may only pull: where the nearest equilibrium of all needs one to push, look for the nearest without.
    if (balanced() && missed_targets().empty() && !too_loose().empty()) {
      const Candidate free = at_;
      if (!search_within_bounds()) {
        at_ = free;
        held_.clear();
        balance_.hold(held_, 0.0);
      }
    }
    return conclude();
  }

 private:
  const Cables& cables() const { return balance_.cables(); }
  const std::vector<int>& slots() const { return balance_.slots(); }
  double force() const { return balance_.force(); }

  bool balanced() { return balance_.imbalance(at_).lpNorm<Eigen::Infinity>() < 1e-6; }
  double tension(int cable) const { return at_.tension[balance_.column_of_cable(cable)]; }

  // Steps to the nearest equilibrium; within bounds by an active set: a step ends where a cable reaches the least
  // tension, which then is held there, and at the end a held one is let go where its multiplier says so.
  void iterate(bool within_bounds) {
    const int most = options_.iterations + (within_bounds ? 4 * static_cast<int>(model_.cables.size()) : 0);
    // Along a bound the equilibria may be curved: more imbalance on the way is allowed there.
    double penalty = within_bounds ? 0.01 : 1.0;
    for (int i = 0; i < most; ++i, ++result_.iterations) {
      if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) break;
      const double infeasible = balance_.imbalance(at_).lpNorm<1>();
      if (options_.progress) options_.progress(result_.iterations, infeasible);
      const EqualityQpSolution step = balance_.nearer(at_, start_);
      if (!step.solved) break;
      const int n = balance_.unknowns();
      const double largest = step.z.head(n).cwiseAbs().maxCoeff();
      penalty = std::max(penalty, 2.0 * step.multiplier.head(n).lpNorm<Eigen::Infinity>());
      const double merit = 0.5 * balance_.distance_square(at_.x, start_) + penalty * infeasible;
      const auto [bound, cable] = within_bounds ? first_bound(step) : std::pair(1.0, -1);
      bool gained = false;
      double part = std::min(bound, 0.1 / largest);
      Candidate there;
      for (; part > 1e-6; part *= 0.5) {
        if (!balance_.take(at_, step, part, there)) continue;
        // Near the end the merit drowns in rounding.
        gained =
            (largest < 1e-6 && part == 1.0) ||
            0.5 * balance_.distance_square(there.x, start_) + penalty * balance_.imbalance(there).lpNorm<1>() < merit;
        if (gained) break;
      }
      if (gained) at_ = there;
      if (cable >= 0 && (!gained || part == bound))
        hold(cable);
      else if ((!gained || largest < least_step) && !(within_bounds && let_go(step)))
        break;
    }
  }

  // The part of a step at which the first cable reaches the least tension, and that cable; 1 and -1 if none does.
  std::pair<double, int> first_bound(const EqualityQpSolution& step) const {
    std::pair<double, int> first{1.0, -1};
    for (int cable = 0; cable < static_cast<int>(model_.cables.size()); ++cable) {
      if (!bounded_[cable] || std::find(held_.begin(), held_.end(), cable) != held_.end()) continue;
      const double now = tension(cable), then = balance_.tension_after(step, cable);
      if (then >= options_.least_tension - 1e-12 * force()) continue;
      const double part = std::max(0.0, (now - options_.least_tension) / (now - then));
      if (part < first.first) first = {part, cable};
    }
    return first;
  }

  // A cable that was let go and has come back stays: no going round in circles.
  void hold(int cable) {
    held_.push_back(cable);
    settled_[cable] = was_let_go_[cable];
    balance_.hold(held_, options_.least_tension);
  }

  bool let_go(const EqualityQpSolution& step) {
    const Eigen::VectorXd multipliers = balance_.held_multipliers(step);
    int best = -1;
    for (int k = 0; k < multipliers.size(); ++k)
      if (multipliers[k] > least_multiplier && !settled_[held_[k]] && (best < 0 || multipliers[k] > multipliers[best]))
        best = k;
    if (best < 0) return false;
    was_let_go_[held_[best]] = 1;
    held_.erase(held_.begin() + best);
    balance_.hold(held_, options_.least_tension);
    return true;
  }

  // Cables that carry less than the least tension.
  std::vector<int> too_loose() const {
    std::vector<int> which;
    for (int cable = 0; cable < static_cast<int>(model_.cables.size()); ++cable)
      if (bounded_[cable] && tension(cable) < options_.least_tension - 1e-9 * force()) which.push_back(cable);
    return which;
  }

  // From where the search stands; false if there is nothing in reach.
  bool search_within_bounds() {
    for (int cable : too_loose()) {
      at_.tension[balance_.column_of_cable(cable)] = options_.least_tension;
      hold(cable);
    }
    iterate(true);
    return balanced() && missed_targets().empty() && too_loose().empty() && largest_move() <= reach();
  }

  double reach() const { return options_.reach > 0.0 ? options_.reach : 0.25 * balance_.length(); }

  double largest_move() const {
    double largest = 0.0;
    for (long i = 0; i < static_cast<long>(model_.nodes.size()); ++i)
      largest = std::max(largest, (at_.x - start_).segment<3>(3 * i).norm());
    return largest;
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
        const double t = tension(cable);
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

  // Cables that would have to push, or carry less than they should, and by how much.
  std::string pushing() const {
    const std::vector<int> loose = too_loose();
    if (loose.empty()) return {};
    std::vector<std::string> which;
    for (int cable : loose)
      which.push_back(
          fmt::format("\"{}\" ({:.4g} N)", model_.cables[cable].name, at_.tension[balance_.column_of_cable(cable)]));
    const std::size_t count = which.size();
    if (count > 8) which.resize(8);
    return fmt::format("the equilibrium that was found for these tensions needs {} to {}: {}{}",
                       count == 1 ? "a cable" : fmt::format("{} cables", count),
                       options_.least_tension > 0.0
                           ? fmt::format("carry less than {:g} N or to push", options_.least_tension)
                           : "push",
                       fmt::join(which, ", "), count > 8 ? ", ..." : "");
  }

  // Rest lengths for the tensions; the name of a member whose law cannot carry it, or empty.
  std::string set_rest_lengths(Model& model) const {
    for (int k = 0; k < static_cast<int>(slots().size()); ++k) {
      const int slot = slots()[k], cable = cables().cable_of_slot(slot);
      double length = 0.0;
      for (int p = cables().piece_begin(slot); p < cables().piece_end(slot); ++p)
        length += (at_.x.segment<3>(3 * cables().piece_b(p)) - at_.x.segment<3>(3 * cables().piece_a(p))).norm();
      // What a cable pushes with here is rounding.
      const bool pulls = cable >= 0 && cables().law(slot).kind != LawKind::spring;
      const double tension = pulls ? std::max(0.0, at_.tension[k]) : at_.tension[k];
      const double rest = rest_length_for_tension(cables().law(slot), length, tension);
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
    if (result_.reason.empty() && result_.largest_move > reach())
      result_.reason = fmt::format(
          "the shape is far from any equilibrium: the nearest one that was found moves node \"{}\" by {:.4g} m (more "
          "than {:.4g} m)",
          model_.nodes[result_.moved_node].name, result_.largest_move, reach());
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
    std::sort(held_.begin(), held_.end());
    result_.at_least = held_;
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

  // Cables that may only pull, unless a target sets their tension anyway.
  void find_bounded() {
    bounded_.assign(model_.cables.size(), 0);
    for (std::size_t i = 0; i < model_.cables.size(); ++i) bounded_[i] = model_.cables[i].law.kind != LawKind::spring;
    for (const Target& target : targets_)
      for (int cable : target.cables)
        if (!target.mean) bounded_[cable] = 0;
    settled_ = was_let_go_ = std::vector<char>(model_.cables.size(), 0);
  }

  const Model& model_;
  const PrestressOptions& options_;
  std::vector<Target> targets_;
  std::vector<char> derived_;
  ForceBalance balance_;
  Eigen::VectorXd start_;
  Candidate at_;
  std::vector<int> held_;                             // cables at the least tension
  std::vector<char> bounded_, settled_, was_let_go_;  // per cable
  PrestressResult result_;
};

}  // namespace

PrestressResult find_prestress(const Model& model, const PrestressOptions& options) {
  require_structure(model);
  if (model.ground)
    throw InputError(
        "prestress: forces of the ground are not part of it; fix the nodes that stand on it, and leave out "
        "environment.ground");
  return Search(model, options).run();
}

}  // namespace taut
