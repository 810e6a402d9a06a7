#include "taut/control/controllers/near_rigid.h"

#include <fmt/format.h>

#include <algorithm>

namespace taut {

using namespace multibody;
using Eigen::VectorXd;

NearRigid::NearRigid(const System& system, NearRigidTask task) : system_(&system), task_(std::move(task)) {
  const auto joint_of = [&](int velocity) -> const std::string& {
    return system.machine.joints[system.tree.links[system.tree.link_of_velocity[velocity]].joint].name;
  };
  const long inputs = static_cast<long>(task_.inputs.size()), cables = static_cast<long>(task_.strains.size()),
             targets = static_cast<long>(task_.targets.size()), nv = system.tree.nv;
  for (int input : task_.inputs)
    if (system.tree.imposed[input])
      throw InputError(fmt::format("near-rigid control: joint \"{}\" has an imposed motion", joint_of(input)));
  if (task_.input_weight.size() == 0) task_.input_weight = VectorXd::Ones(inputs);
  EA_.resize(cables);
  for (std::size_t i = 0; i < task_.strains.size(); ++i) {
    const int at = system.tree.link_of_velocity[task_.strains[i]];
    const auto* cable = std::get_if<Involute>(&system.tree.joints[at].kind);
    if (!cable || cable->last != CableCoordinate::epsilon)
      throw InputError(fmt::format("near-rigid control: joint \"{}\" is not a cable of the variant epsilon",
                                   joint_of(task_.strains[i])));
    EA_[static_cast<long>(i)] = cable->material.EA;
    if (!task_.compensate_damping) {
      undamped_.push_back(system.tree.joints[at]);
      std::get<Involute>(undamped_.back().kind).material.damping = 0.0;
    }
    const Link& link = system.tree.links[at];
    strain_coordinate_.push_back(link.q + task_.strains[i] - link.v);
  }
  J_.setZero(targets + cables, nv);
  for (long i = 0; i < cables; ++i) J_(targets + i, task_.strains[static_cast<std::size_t>(i)]) = 1.0;
  j_.setZero(targets + cables);
  F_.setZero(nv, inputs + cables);
  for (long i = 0; i < inputs; ++i) F_(task_.inputs[static_cast<std::size_t>(i)], i) = 1.0;
  response_.resize(nv, inputs + cables);
  multiplier_.resize(system.loops.rows, inputs + cables);
  external_.resize(system.tree.links.size());
  strain_response_.resize(cables, inputs);
  qp_.P.setZero(inputs + cables, inputs + cables);
  qp_.q.setZero(inputs + cables);
  qp_.lower.resize(inputs + cables);
  qp_.upper.resize(inputs + cables);
  command_.input = VectorXd::Zero(inputs);
  command_.commanded = VectorXd::Zero(cables);
}

void NearRigid::position(const double* q, const SystemTerms& t, VectorXd& x) const {
  x.resize(static_cast<long>(task_.targets.size()));
  for (long i = 0; i < x.size(); ++i) {
    const auto& target = task_.targets[static_cast<std::size_t>(i)];
    if (target.velocity >= 0) {
      const Link& link = system_->tree.links[system_->tree.link_of_velocity[target.velocity]];
      x[i] = q[link.q + target.velocity - link.v];
    } else {
      x[i] = multibody::position(system_->tree, target.point, t.tree)[target.axis];
    }
  }
}

void NearRigid::velocity(const double* v, const SystemTerms& t, VectorXd& x) const {
  x.resize(static_cast<long>(task_.targets.size()));
  for (long i = 0; i < x.size(); ++i) {
    const auto& target = task_.targets[static_cast<std::size_t>(i)];
    x[i] = target.velocity >= 0 ? v[target.velocity]
                                : multibody::velocity(system_->tree, target.point, t.tree)[target.axis];
  }
}

// The targets' rows of J, and j = J̇ v with what imposed joints add, from the accelerations at v̇ = 0.
void NearRigid::fill_targets(SystemTerms& t) {
  const Tree& tree = system_->tree;
  for (std::size_t i = 0; i < task_.targets.size(); ++i) {
    const auto& target = task_.targets[i];
    auto row = J_.row(static_cast<long>(i));
    row.setZero();
    if (target.velocity >= 0) {
      row[target.velocity] = 1.0;
      continue;
    }
    const LinkPoint& p = tree.points[target.point];
    j_[static_cast<long>(i)] = acceleration(tree, target.point, t.tree)[target.axis];
    const Vec3 f = t.tree.links[p.link].world.E.col(target.axis);
    Vec6 force = spatial(p.position.cross(f), f);
    for (int k = p.link; k != ground; k = tree.links[k].parent) {
      const Link& link = tree.links[k];
      for (int c = link.v; c < link.v + link.nv; ++c)
        if (!tree.imposed[c]) row[c] = t.tree.S[c].dot(force);
      force = t.tree.links[k].X.force_back(force);
    }
  }
}

// What a unit of tension does to its joint at the strain that the cable has, as it would in a taut one: (r ε, r φ) of
// (3.2.2). Not the slope of its torque by ε: that also moves the point where the cable pulls.
void NearRigid::fill_forces(const double* q) {
  const JointVelocity rest{};
  JointPosition at{};
  JointTorque torque;
  for (std::size_t i = 0; i < task_.strains.size(); ++i) {
    const int number = system_->tree.link_of_velocity[task_.strains[i]];
    const Link& link = system_->tree.links[number];
    std::copy_n(q + link.q, link.nv, at.begin());
    double& strain = at[static_cast<std::size_t>(task_.strains[i] - link.v)];
    strain = std::max(strain, 1e-12);
    internal_torque(system_->tree.joints[number], at.data(), rest.data(), torque);
    for (int c = 0; c < link.nv; ++c)
      F_(link.v + c, static_cast<long>(task_.inputs.size() + i)) =
          torque.torque[c] / (EA_[static_cast<long>(i)] * strain);
  }
}

// The right sides as if the cables had no damping.
void NearRigid::leave_out_damping(const double* q, const double* v, SystemTerms& t) const {
  JointTorque torque;
  for (std::size_t i = 0; i < undamped_.size(); ++i) {
    const Link& link = system_->tree.links[system_->tree.link_of_velocity[task_.strains[i]]];
    internal_torque(undamped_[i], q + link.q, v + link.v, torque);
    for (int c = 0; c < link.nv; ++c) t.bias[link.v + c] += torque.torque[c] - t.internal[link.v + c];
  }
}

// v̇₀, W and Y with their multipliers.
void NearRigid::find_responses(SystemTerms& t) {
  factorise(*system_, t);
  rest_ = VectorXd::Map(t.bias.data(), system_->tree.nv);
  rest_multiplier_ = VectorXd::Map(t.lambda.data(), system_->loops.rows);
  solve(*system_, t, rest_.data(), rest_multiplier_.data());
  for (int c = 0; c < system_->tree.nv; ++c)
    if (system_->tree.imposed[c]) rest_[c] = 0.0;  // theirs is part of j
  response_ = F_;
  multiplier_.setZero();
  for (long i = 0; i < response_.cols(); ++i) solve(*system_, t, response_.col(i).data(), multiplier_.col(i).data());
}

// ½ |v̇ + l|² by the mass matrix, in the unknowns.
void NearRigid::lead_free(const double* q, const double* v, const SystemTerms& t) {
  qp_.P.noalias() += response_.transpose() * F_;
  led_ = rest_;
  for (const Link& link : system_->tree.links)
    for (int c = 0; c < link.nv; ++c) {
      if (system_->tree.imposed[link.v + c]) continue;
      led_[link.v + c] += task_.free_velocity_gain * v[link.v + c];
      if (link.nq == link.nv)
        led_[link.v + c] +=
            task_.free_position_gain * (q[link.q + c] - system_->q[static_cast<std::size_t>(link.q + c)]);
    }
  led_rows_.resize(system_->loops.rows);
  multiply(system_->loops, t.loops, led_.data(), led_rows_.data());
  qp_.q.noalias() += F_.transpose() * led_ + multiplier_.transpose() * led_rows_;
}

// Torques with which the strains go where they are commanded.
void NearRigid::follow_strains(const double* q, const double* v) {
  const long inputs = command_.input.size(), cables = EA_.size();
  const double w = task_.strain_gain;
  VectorXd& wanted = led_;
  wanted.resize(cables);
  for (long i = 0; i < cables; ++i) {
    const int strain = task_.strains[static_cast<std::size_t>(i)];
    const double change = command_.commanded[i] - q[strain_coordinate_[static_cast<std::size_t>(i)]];
    wanted[i] = w * w * change - 2.0 * w * v[strain] - rest_[strain];
    strain_response_.row(i) = response_.row(strain).head(inputs);
  }
  strain_solver_.compute(strain_response_);
  command_.input = strain_solver_.solve(wanted);
  command_.input = command_.input.cwiseMax(task_.least_input).cwiseMin(task_.most_input);
}

// Which accelerations, torques and strains exclude each other.
void NearRigid::describe() {
  const auto targets = static_cast<int>(task_.targets.size()), inputs = static_cast<int>(task_.inputs.size());
  std::string& text = command_.problem;
  const auto name = [](const std::vector<std::string>& names, int i, const char* kind) {
    return static_cast<std::size_t>(i) < names.size() ? names[static_cast<std::size_t>(i)]
                                                      : fmt::format("{} {}", kind, i + 1);
  };
  for (const QpConflict& c : solution_.conflict) {
    std::string part;
    const bool low = c.side == QpSide::lower;
    if (c.kind == QpKind::equality) {
      if (c.index >= targets) continue;  // strains that do not accelerate: always asked for
      part = "the acceleration of " + name(task_.target_names, c.index, "target");
    } else if (c.index < inputs) {
      part = fmt::format("{} {} {:g}", name(task_.input_names, c.index, "torque"), low ? "≥" : "≤",
                         low ? task_.least_input[c.index] : task_.most_input[c.index]);
    } else {
      const int cable = c.index - inputs;
      part = fmt::format("{} {} {:g}", name(task_.cable_names, cable, "strain"), low ? "≥" : "≤",
                         low ? task_.least_strain[cable] : task_.most_strain[cable]);
    }
    text += (text.empty() ? "" : ", ") + part;
  }
  text += text.empty() ? "the strains cannot be kept" : " exclude each other";
}

const NearRigidCommand& NearRigid::command(const double* q, const double* v, SystemTerms& t, const VectorXd& wanted) {
  const System& s = *system_;
  const long inputs = command_.input.size(), cables = EA_.size(), targets = wanted.size();
  for (int c : task_.inputs) t.applied[c] = 0.0;
  // The torques of loop joints are added to the forces on links here and again by the evaluation that follows.
  for (std::size_t i = 0; i < external_.size(); ++i) external_[i] = t.tree.links[i].external;
  equations(s, q, v, {}, t);
  fill_targets(t);
  for (std::size_t i = 0; i < external_.size(); ++i) t.tree.links[i].external = external_[i];
  fill_forces(q);
  leave_out_damping(q, v, t);
  find_responses(t);

  // The quadratic programme in u and the changes of tension.
  qp_.A.noalias() = J_ * response_;
  qp_.b = -j_;
  qp_.b.head(targets) += wanted;
  qp_.b.noalias() -= J_ * rest_;
  qp_.P.setZero();
  qp_.P.diagonal().head(inputs) = task_.input_weight;
  qp_.q.setZero();
  if (task_.free_velocity_gain > 0.0 || task_.free_position_gain > 0.0) lead_free(q, v, t);
  qp_.lower.head(inputs) = task_.least_input;
  qp_.upper.head(inputs) = task_.most_input;
  for (long i = 0; i < cables; ++i) {
    const double taut = std::max(0.0, q[strain_coordinate_[static_cast<std::size_t>(i)]]);
    qp_.lower[inputs + i] = (task_.least_strain[i] - taut) * EA_[i];
    qp_.upper[inputs + i] = (task_.most_strain[i] - taut) * EA_[i];
  }
  QpOptions options;
  options.start = &solution_.active;
  solve_qp(qp_, workspace_, solution_, options);

  command_.problem.clear();
  if (solution_.status == QpStatus::infeasible)
    describe();
  else if (solution_.status != QpStatus::optimal && solution_.status != QpStatus::inaccurate)
    command_.problem = fmt::format("the quadratic programme ended as {}", name(solution_.status));
  if (!command_.problem.empty()) return command_;
  command_.input = solution_.x.head(inputs);
  for (long i = 0; i < cables; ++i)
    command_.commanded[i] =
        std::max(0.0, q[strain_coordinate_[static_cast<std::size_t>(i)]]) + solution_.x[inputs + i] / EA_[i];
  if (task_.strain_gain > 0.0) follow_strains(q, v);
  return command_;
}

}  // namespace taut
