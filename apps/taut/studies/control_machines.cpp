#include "apps/taut/studies/control_machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/base/error.h"
#include "taut/formulation/formulation.h"
#include "taut/formulation/matrices.h"
#include "taut/formulation/multibody/system/independent.h"
#include "taut/generators/generators.h"
#include "taut/model/control_names.h"
#include "taut/solve/dense.h"

namespace taut::reproduce {

namespace {

constexpr double quarter = std::numbers::pi / 4.0;

template <class List>
int index_of(const List& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
  return static_cast<int>(found - list.begin());
}

// Inputs are the pulleys' joints; bounds of strains as at the start.
ControllerSpec controller(const Model& model, const std::string& joint_of_pulley, const Knots& path,
                          const Steering& steering) {
  ControllerSpec spec;
  spec.name = "steer";
  spec.kind = ControllerKind::near_rigid;
  spec.rate = steering.rate;
  SteerSettings& s = spec.steer;
  for (const PulleySpec& pulley : model.pulleys) {
    ControlInput input;
    input.joint = index_of(model.joints, pulley.name + joint_of_pulley);
    s.inputs.push_back(input);
    s.strain.push_back({pulley.strain, INFINITY});
  }
  for (const std::vector<double>& row : path) {
    s.path.times.push_back(row.front());
    s.path.values.insert(s.path.values.end(), row.begin() + 1, row.end());
    s.path.slopes.resize(s.path.values.size(), 0.0);
  }
  const std::size_t targets = path.front().size() - 1;
  s.position_gain.assign(targets, steering.position_gain);
  s.velocity_gain.assign(targets, steering.velocity_gain);
  s.strain_gain = steering.strain_gain;
  s.free_velocity_gain = steering.free_gain;
  s.input_weight.assign(s.inputs.size(), steering.input_weight);
  s.compensate_damping = steering.compensate_damping;
  return spec;
}

std::vector<double> column(const Run& motion, const std::vector<std::string>& names, const std::string& name,
                           Values RunRow::*row) {
  const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  std::vector<double> values;
  for (const RunRow& sample : motion) values.push_back((sample.*row)[at]);
  return values;
}

Series over_time(const Run& motion, const std::string& file) {
  Series series{file, {}, {}};
  for (const RunRow& row : motion) series.x.push_back(row.t);
  return series;
}

}  // namespace

Knots strut_path() {
  return {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {3.0, 0.0, quarter}, {7.0, quarter, 0.0}, {9.0, 0.0, 0.0}};
}

Knots vertical_path(double h) {
  return {{0.0, 0.0, 0.0, h}, {5.0, 0.0, 0.0, h - 0.5}, {15.0, 0.0, 0.0, h + 0.25}, {20.0, 0.0, 0.0, h}};
}

Knots horizontal_path(double h) {
  return {{0.0, 0.0, 0.0, h}, {5.0, 0.0, -0.35, h}, {15.0, 0.0, 0.35, h}, {20.0, 0.0, 0.0, h}};
}

Scenario strut(const Settings& s, double modulus, const Steering& steering) {
  Scenario scenario = generate(*find_generator("single_strut"), {{"modulus", modulus},
                                                                 {"viscosity", s.number("viscosity")},
                                                                 {"azimuth", s.number("azimuth")},
                                                                 {"strain", s.number("stress") / modulus}});
  Model& model = scenario.model;
  model.gravity = Vec3(s.vector("environment.gravity").data());
  model.drives.clear();
  ControllerSpec spec = controller(model, "-pulleyJt", strut_path(), steering);
  const int joint = index_of(model.joints, "universalJt");
  for (int i = 0; i < 2; ++i) spec.steer.targets.push_back({ControlTarget::Kind::joint, joint, i});
  model.controllers = {spec};
  scenario.simulation.integrator = "dopri5";
  scenario.simulation.tolerance = s.number("tolerance");
  scenario.simulation.duration = strut_path().back().front();
  return scenario;
}

Scenario manipulator(const Settings& s, const Posture& start, const Knots& path, const Steering& steering) {
  Scenario scenario =
      generate(*find_generator("tensegrity_manipulator"), {{"modulus", s.number("manipulator.modulus")},
                                                           {"viscosity", s.number("manipulator.viscosity")},
                                                           {"stress", s.number("stress")},
                                                           {"bearing_damping", s.number("manipulator.bearing_damping")},
                                                           {"twist", start.twist}});
  Model& model = scenario.model;
  model.gravity = Vec3(s.vector("environment.gravity").data());
  model.drives.clear();
  ControllerSpec spec = controller(model, "-revoluteJt", path, steering);
  for (std::size_t i = 0; i < start.strains.size(); ++i) model.pulleys[i].strain = start.strains[i];
  const int hand = index_of(model.nodes, "end-effector");
  for (int axis = 0; axis < 3; ++axis) spec.steer.targets.push_back({ControlTarget::Kind::node, hand, axis});
  model.controllers = {spec};
  // Held torques: fixed steps on the control instants cost least; at every stage: adaptive ones.
  scenario.simulation.integrator = steering.rate > 0.0 ? "rk4" : "dopri5";
  if (steering.rate > 0.0) scenario.simulation.step = std::min(1e-3, 1.0 / steering.rate);
  scenario.simulation.tolerance = s.number("tolerance");
  scenario.simulation.duration = std::min(path.back().front(), s.number("manipulator.duration"));
  return scenario;
}

Run steered(const Scenario& scenario) { return simulate(scenario); }

std::vector<double> joint_column(const Run& motion, const std::string& name) {
  return column(motion, joint_columns(motion.scenario.model), name, &RunRow::joints);
}

std::vector<double> control_column(const Run& motion, const std::string& name) {
  return column(motion, control_columns(motion.scenario.model), "steer." + name, &RunRow::controls);
}

Series strut_series(const Run& motion, const std::string& file) {
  Series series = over_time(motion, file);
  for (const char* angle : {"phi", "psi"})
    series.columns.push_back({angle, joint_column(motion, fmt::format("universalJt.{}", angle))});
  for (const char* angle : {"phi", "psi"})
    series.columns.push_back(
        {fmt::format("{}_d", angle), control_column(motion, fmt::format("universalJt.{}.wanted", angle))});
  for (int i = 1; i <= 3; ++i)
    series.columns.push_back({fmt::format("eps{}", i), joint_column(motion, fmt::format("B{}.eps", i))});
  for (int i = 1; i <= 3; ++i)
    series.columns.push_back(
        {fmt::format("eps{}_commanded", i), control_column(motion, fmt::format("B{}.eps_commanded", i))});
  for (int i = 1; i <= 3; ++i)
    series.columns.push_back({fmt::format("u{}", i), control_column(motion, fmt::format("B{}-pulleyJt", i))});
  return series;
}

Series manipulator_series(const Run& motion, const std::string& file) {
  Series series = over_time(motion, file);
  const int hand = index_of(motion.scenario.model.nodes, "end-effector");
  for (int axis = 0; axis < 3; ++axis) {
    Curve curve{std::string(1, "xyz"[axis]), {}};
    for (const RunRow& row : motion) curve.y.push_back(position(row, hand)[axis]);
    series.columns.push_back(std::move(curve));
  }
  for (const char axis : {'x', 'y', 'z'})
    series.columns.push_back(
        {fmt::format("{}_d", axis), control_column(motion, fmt::format("end-effector.{}.wanted", axis))});
  for (std::size_t i = 0; i < motion.scenario.model.pulleys.size(); ++i)
    series.columns.push_back(
        {fmt::format("eps{}", i + 1), joint_column(motion, motion.scenario.model.pulleys[i].name + ".eps")});
  return series;
}

std::vector<double> twists(const Run& motion) {
  std::vector<double> result;
  for (const RunRow& row : motion) {
    double mean = 0.0;
    for (int i = 1; i <= 3; ++i) {
      const Vec3 tip = position(row, index_of(motion.scenario.model.nodes, fmt::format("tip{}", i))),
                 foot = position(row, index_of(motion.scenario.model.nodes, fmt::format("foot{}", i)));
      const double turn = std::atan2(foot.x() * tip.y() - foot.y() * tip.x(), foot.x() * tip.x() + foot.y() * tip.y());
      mean += (turn < 0.0 ? turn + 2.0 * std::numbers::pi : turn) / 3.0;
    }
    result.push_back(mean * 180.0 / std::numbers::pi);
  }
  return result;
}

namespace {

// A machine at rest at its start, and the motions v = G y that its loops leave.
struct AtRest {
  std::unique_ptr<Formulation> formulation;
  const JointSide& joints;
  const multibody::System& system;
  multibody::SystemTerms terms;
  std::vector<double> still;
  Eigen::MatrixXd G;       // nv × y
  std::vector<int> turns;  // velocities of the pulleys' joints

  explicit AtRest(const Scenario& scenario)
      : formulation(make_formulation("multibody", scenario.model)),
        joints(*formulation->joints()),
        system(joints.system()),
        terms(multibody::make_terms(system)),
        still(static_cast<std::size_t>(system.tree.nv), 0.0) {
    multibody::drive(system, 0.0, terms);
    multibody::place(system, system.q.data(), still.data(), terms);
    multibody::Independent independent(system);
    independent.choose(terms);
    G = independent.G();
    for (const ControlInput& input : scenario.model.controllers[0].steer.inputs)
      turns.push_back(joints.joint_indices(input.joint).v);
  }
};

// v̇ of a machine at rest whose pulleys are held.
Eigen::VectorXd held_accelerations(const Scenario& scenario) {
  AtRest m(scenario);
  multibody::set_weight(m.system.tree, m.terms.tree);
  multibody::equations(m.system, m.system.q.data(), m.still.data(), {}, m.terms);
  const Eigen::MatrixXd held = m.G * kernel(m.G(m.turns, Eigen::all), 1e-9);
  const Eigen::MatrixXd H = m.formulation->matrices(m.system.q.data(), m.still.data(), {.M = true}).M;
  const Eigen::VectorXd force = Eigen::VectorXd::Map(m.terms.bias.data(), m.system.tree.nv);
  return held * solve_symmetric(held.transpose() * (H * held), held.transpose() * force);
}

}  // namespace

Balance in_balance(const Settings& s, const Posture& near, double height) {
  const Knots hold = {{0.0, 0.0, 0.0, height}};
  const double bound = s.number("stress") / s.number("manipulator.modulus");
  // Pulleys come top and bottom by turns; `other` are those that are not at the bound.
  std::size_t other = near.strains[0] < near.strains[1] ? 1 : 0;
  const auto posture = [&](const Eigen::Vector2d& x) {
    Posture p{x[0], std::vector<double>(near.strains.size(), bound)};
    for (std::size_t i = other; i < p.strains.size(); i += 2) p.strains[i] = bound * x[1];
    return p;
  };
  const auto unbalanced = [&](const Eigen::Vector2d& x) {
    return held_accelerations(manipulator(s, posture(x), hold, {}));
  };
  Eigen::Vector2d x(near.twist, near.strains[other] / bound);
  for (int i = 0; i < 24; ++i) {
    constexpr double small = 1e-4;  // degrees, and of the bound: errors of the slopes only slow the last steps
    const Eigen::VectorXd off = unbalanced(x);
    Eigen::MatrixXd slopes(off.size(), 2);
    for (int k = 0; k < 2; ++k) {
      const Eigen::Vector2d step = small * Eigen::Vector2d::Unit(k);
      slopes.col(k) = (unbalanced(x + step) - unbalanced(x - step)) / (2.0 * small);
    }
    const Eigen::Vector2d step = least_squares(slopes, off);
    x -= step;
    if (step.norm() > 1e-12 * x.norm()) continue;
    if (x[1] >= 1.0) break;
    other = 1 - other;  // these turn out to be strained less
    x[1] = 1.0 / x[1];
  }
  return {posture(x), unbalanced(x).cwiseAbs().maxCoeff()};
}

Mechanism infinitesimal_mechanism(const Scenario& scenario) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  AtRest m(scenario);
  // Motions with the strains kept, and how they turn the pulleys.
  MatrixXd strains(static_cast<long>(m.turns.size()), m.G.cols());
  for (long i = 0; i < strains.rows(); ++i)
    strains.row(i) = m.G.row(m.joints.pulley_indices(static_cast<int>(i)).v + 1);
  const Svd kept = full_svd(strains);
  const MatrixXd rigid = kept.V.rightCols(m.G.cols() - kept.rank);
  const Svd svd = full_svd(m.G(m.turns, Eigen::all) * rigid);
  const VectorXd v = m.G * rigid * svd.V.rightCols(1);
  Mechanism result{svd.values.tail(1)[0] / svd.values[0], {}};
  multibody::place(m.system, m.system.q.data(), v.data(), m.terms);
  const Vec3 hand =
      multibody::velocity(m.system.tree, index_of(scenario.model.nodes, "end-effector"), m.terms.tree).normalized();
  for (int axis = 0; axis < 3; ++axis) result.direction.push_back(hand[axis]);
  return result;
}

}  // namespace taut::reproduce
