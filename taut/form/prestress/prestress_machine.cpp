#include "taut/form/prestress/prestress_machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "taut/base/error.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/form/prestress/prestress_program.h"
#include "taut/formulation/multibody/move_model.h"
#include "taut/model/laws/bar_law.h"
#include "taut/model/words.h"

namespace taut {

using Eigen::VectorXd;

namespace {

constexpr int force_passes = 8;  // strains change the torques of cables on pulleys a little, and with them the balance
constexpr double longest = 0.1;  // of the typical length: the first limit of a step
constexpr double shortest = 1e-9;  // of it: a step that moves nothing, and the last limit

class MachineSearch {
 public:
  MachineSearch(const Model& model, const PrestressOptions& options) : model_(model), options_(options) {}

  PrestressResult run() {
    begin();
    const std::optional<ForceStep> best = solve_forces(*at_, wishes_, {.slack = true});
    result_.start_residual = best ? best->left : INFINITY;
    // Forces cost nothing; then the mean of the tensions is kept, unless the balance of the drawn shape says what they are.
    if (!choose_forces(true) && !(choose_forces(false) && carries())) move();
    conclude();
    return std::move(result_);
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }

  void begin() {
    MachineForces drawn(model_);
    drawn_ = look(drawn_at(model_, drawn.system(), drawn.start().data()));
    at_ = look(drawn_->model);
    start_ = at_->x;
    wishes_ = wishes_of(*at_, options_.least_tension);
    wishes_.start = start_;
  }

  static std::unique_ptr<MachinePose> look(Model model) { return std::make_unique<MachinePose>(std::move(model)); }

  bool balanced() const { return at_->net.residual <= exactly_balanced * 100.0; }

  // The shape as it is, with other forces. False if it does not come into balance.
  bool choose_forces(bool keeps_mean) {
    std::unique_ptr<MachinePose> before = look(drawn_->model);
    at_ = look(drawn_->model);
    const auto give_up = [&] {
      at_ = std::move(before);
      return false;
    };
    for (int pass = 0; pass < force_passes; ++pass) {
      const std::optional<ForceStep> step = solve_forces(*at_, wishes_, {.keeps_mean = keeps_mean});
      if (!step) return give_up();
      std::optional<Model> with = with_forces(*at_, step->t, at_->model);
      if (!with) return give_up();
      at_ = look(std::move(*with));
      binding_ = step->binding;
      ++result_.iterations;
      if (balanced()) return true;
    }
    if (at_->net.residual <= equilibrium_found) return true;
    return give_up();
  }

  // Whether any cable is taut, or none was.
  bool carries() {
    for (int i : wishes_.mean)
      if (at_->members()[i].present > no_force * wishes_.force) return true;
    if (wishes_.mean.empty()) return true;
    at_ = look(drawn_->model);
    return false;
  }

  // The pose after a step; nothing: there is none.
  std::unique_ptr<MachinePose> taken(const ForceStep& step) {
    VectorXd q = at_->forces.start();
    const VectorXd along = at_->forces.allowed() * step.y;
    multibody::retract(at_->forces.system().tree, q.data(), along.data());
    if (!q.allFinite() || !at_->forces.project(q)) return nullptr;
    try {
      const Model drawn = drawn_at(at_->model, at_->forces.system(), q.data());
      std::optional<Model> with = with_forces(MachinePose(drawn), step.t, drawn);
      return with ? look(std::move(*with)) : nullptr;
    } catch (const InputError&) {
      return nullptr;  // a loop or a cable that cannot be there
    }
  }

  double merit(const MachinePose& pose, double price) const {
    const double L = pose.forces.system().length;
    const VectorXd r = pose.forces.allowed().transpose() * pose.forces.force();
    return 0.5 * (pose.x - start_).squaredNorm() / (L * L) + price * r.lpNorm<1>() / wishes_.force;
  }

  void move() {
    double reach = longest, price = 1e-2;
    int idle = 0;  // steps in balance that came no nearer
    for (; result_.iterations < options_.iterations && reach > shortest && idle < 3 && !stopped();
         ++result_.iterations) {
      std::optional<ForceStep> step = solve_forces(*at_, wishes_, {.moves = true, .keeps_mean = true, .reach = reach});
      if (!step) step = solve_forces(*at_, wishes_, {.moves = true, .slack = true, .keeps_mean = true, .reach = reach});
      if (!step) {
        result_.reason = "the wanted tensions, and the least tension, contradict each other";
        return;
      }
      price = std::max(price, 2.0 * step->price);
      std::unique_ptr<MachinePose> next = taken(*step);
      const double size = step->y.norm() / at_->forces.system().length;
      if (!next || !(merit(*next, price) <= merit(*at_, price) * (1.0 + 1e-12))) {
        if (at_->net.residual <= equilibrium_found && size < 1e-6) return;
        reach = 0.5 * std::min(reach, size);
        continue;
      }
      at_ = std::move(next);
      binding_ = step->binding;
      reach = std::min(2.0 * reach, longest);
      idle = at_->net.residual <= equilibrium_found && size < 1e-7 ? idle + 1 : 0;
      if (options_.progress) options_.progress(result_.iterations, at_->net.residual);
    }
  }

  // How far nodes have moved, and whether that is within reach.
  void measure() {
    double sum = 0.0;
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
      const double way = (at_->x - start_).segment<3>(3 * static_cast<long>(i)).norm();
      sum += way * way;
      if (way > result_.largest_move) result_.largest_move = way, result_.moved_node = static_cast<int>(i);
    }
    result_.distance = std::sqrt(sum);
    const double reach = options_.reach > 0.0 ? options_.reach : 0.25 * at_->mean_length();
    if (result_.reason.empty() && result_.largest_move > reach)
      result_.reason = fmt::format(
          "the shape is far from any equilibrium: the nearest one that was found moves node \"{}\" by {:.4g} m, more "
          "than {:.4g} m: expected a shape nearer to one, or a larger --reach",
          model_.nodes[result_.moved_node].name, result_.largest_move, reach);
  }

  // Cables on pulleys without an elongation: nobody asked whether they pull.
  std::string pushing() const {
    for (std::size_t i = 0; i < model_.pulleys.size(); ++i)
      if (const double T = result_.tensions[model_.cables.size() + i];
          T < -no_force * std::max(wishes_.force, result_.mean_force))
        return fmt::format("the cable of pulley \"{}\" would have to push, with {:.4g} N", model_.pulleys[i].name, -T);
    return {};
  }

  void conclude() {
    MachineTensions carried = at_->forces.tensions();
    result_.model = at_->model;
    result_.residual = at_->net.residual;
    result_.net_force = at_->net.largest;
    result_.mean_force = at_->net.mean;
    result_.tensions = std::move(carried.cables);
    result_.tensions.insert(result_.tensions.end(), carried.pulleys.begin(), carried.pulleys.end());
    result_.bar_forces = std::move(carried.bars);
    if (stopped()) result_.reason = "interrupted";
    const bool in_balance = at_->net.residual <= equilibrium_found;
    if (result_.reason.empty() && !in_balance)
      result_.reason = fmt::format(
          "the search found no equilibrium near this shape: {} cannot balance, {:.4g} N are left{}; --method relax "
          "goes "
          "to one further away",
          at_->net.worst >= 0 ? velocity_title(at_->forces.system(), at_->net.worst) : "it", at_->net.largest,
          unable_.empty() ? "" : "; " + unable_);
    measure();
    if (result_.reason.empty()) result_.reason = pushing();
    result_.converged = result_.reason.empty() && in_balance;
    if (result_.converged) result_.at_least = binding_;
  }

  // The model with what gives its members these forces; nothing, and the reason: a member cannot carry its own.
  std::optional<Model> with_forces(const MachinePose& pose, const VectorXd& t, Model model) {
    for (std::size_t i = 0; i < pose.members().size(); ++i) {
      const MachineMember& m = pose.members()[i];
      const double force = t[static_cast<long>(i)];
      if (std::abs(force - m.present) <= 1e-14 * wishes_.force) continue;
      if (!give_force(m, force, pose, model)) {
        unable_ = fmt::format("\"{}\" cannot carry {:.4g} N", m.name, force);
        return std::nullopt;
      }
    }
    return model;
  }

  static bool give_force(const MachineMember& m, double force, const MachinePose& pose, Model& model) {
    switch (m.kind) {
      case MachineMemberKind::cable: {
        Cable& cable = model.cables[m.index];
        const double rest = rest_length_for_tension(cable.law, m.length, m.pulls_only ? std::max(0.0, force) : force);
        if (!std::isfinite(rest) || rest < 0.0 || (rest == 0.0 && cable.law.kind != LawKind::spring)) return false;
        cable.rest_length = rest;
        for (Actuator& actuator : model.actuators)
          if (actuator.cable == m.index) actuator.rest_length = shifted(actuator.rest_length, rest);
        return true;
      }
      case MachineMemberKind::bar: {
        Bar& bar = model.bars[m.index];
        if (!bar.elastic) return true;
        const double rest = rest_length_for_tension(law_of(bar), m.length, force);
        if (!(rest > 0.0)) return false;
        bar.rest_length = rest;
        return true;
      }
      case MachineMemberKind::pulley:
        model.pulleys[m.index].strain = std::max(0.0, force) / model.pulleys[m.index].EA;
        return true;
      case MachineMemberKind::spring:
        return true;
      case MachineMemberKind::drive:
        if (JointDrive* drive = torque_drive(pose, m, model)) drive->signal = shifted(drive->signal, force * m.length);
        return true;
    }
    return true;
  }

  const Model& model_;
  const PrestressOptions& options_;
  std::unique_ptr<MachinePose> drawn_, at_;
  VectorXd start_;
  ForceWishes wishes_;
  std::vector<int> binding_;  // cables at the least tension
  std::string unable_;
  PrestressResult result_;
};

}  // namespace

PrestressResult prestress_machine(const Model& model, const PrestressOptions& options) {
  return MachineSearch(model, options).run();
}

}  // namespace taut
