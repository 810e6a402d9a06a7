#include "apps/taut/reproduce/control_machines.h"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/base/error.h"
#include "taut/formulation/multibody/independent.h"
#include "taut/formulation/multibody/multibody.h"
#include "taut/model/control_names.h"
#include "taut/model/generators.h"

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
  return spec;
}

std::vector<double> column(const Motion& motion, const std::vector<std::string>& names, const std::string& name,
                           std::vector<double> Sample::*row) {
  const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  std::vector<double> values;
  for (const Sample& sample : motion.rows) values.push_back((sample.*row)[at]);
  return values;
}

Series over_time(const Motion& motion, const std::string& file) {
  Series series{file, {}, {}};
  for (const Sample& row : motion.rows) series.x.push_back(row.t);
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
  scenario.simulation.duration = path.back().front();
  return scenario;
}

Motion steered(const Scenario& scenario) {
  struct Keep final : Recorder {
    std::vector<Sample> rows;
    void begin(const Scenario&) override {}
    void sample(const Sample& row) override { rows.push_back(row); }
    void finish(const Summary&) override {}
  } keep;
  RunHooks hooks;
  hooks.stop = &stop_asked();
  Motion motion{scenario.model, {}, simulate(scenario, {&keep}, hooks)};
  motion.rows = std::move(keep.rows);
  if (motion.summary.status == "interrupted")
    throw RunError(motion.summary.simulated_s, "interrupted; nothing was written");
  return motion;
}

std::vector<double> joint_column(const Motion& motion, const std::string& name) {
  return column(motion, joint_columns(motion.model), name, &Sample::joints);
}

std::vector<double> control_column(const Motion& motion, const std::string& name) {
  return column(motion, control_columns(motion.model), "steer." + name, &Sample::controls);
}

Series strut_series(const Motion& motion, const std::string& file) {
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

Series manipulator_series(const Motion& motion, const std::string& file) {
  Series series = over_time(motion, file);
  const int hand = index_of(motion.model.nodes, "end-effector");
  for (int axis = 0; axis < 3; ++axis) {
    Curve curve{std::string(1, "xyz"[axis]), {}};
    for (const Sample& row : motion.rows) curve.y.push_back(position(row, hand)[axis]);
    series.columns.push_back(std::move(curve));
  }
  for (const char axis : {'x', 'y', 'z'})
    series.columns.push_back(
        {fmt::format("{}_d", axis), control_column(motion, fmt::format("end-effector.{}.wanted", axis))});
  for (std::size_t i = 0; i < motion.model.pulleys.size(); ++i)
    series.columns.push_back(
        {fmt::format("eps{}", i + 1), joint_column(motion, motion.model.pulleys[i].name + ".eps")});
  return series;
}

std::vector<double> twists(const Motion& motion) {
  std::vector<double> result;
  for (const Sample& row : motion.rows) {
    double mean = 0.0;
    for (int i = 1; i <= 3; ++i) {
      const Vec3 tip = position(row, index_of(motion.model.nodes, fmt::format("tip{}", i))),
                 foot = position(row, index_of(motion.model.nodes, fmt::format("foot{}", i)));
      const double turn = std::atan2(foot.x() * tip.y() - foot.y() * tip.x(), foot.x() * tip.x() + foot.y() * tip.y());
      mean += (turn < 0.0 ? turn + 2.0 * std::numbers::pi : turn) / 3.0;
    }
    result.push_back(mean * 180.0 / std::numbers::pi);
  }
  return result;
}

Mechanism infinitesimal_mechanism(const Scenario& scenario) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  const auto formulation = make_formulation("multibody", scenario.model);
  const auto& machine = static_cast<const Multibody&>(*formulation);
  const multibody::System& system = machine.system();
  multibody::SystemTerms terms = multibody::make_terms(system);
  const std::vector<double> still(static_cast<std::size_t>(system.tree.nv), 0.0);
  multibody::drive(system, 0.0, terms);
  multibody::place(system, system.q.data(), still.data(), terms);
  multibody::Independent independent(system);
  independent.choose(terms);
  const MatrixXd& G = independent.G();
  // Motions with the strains kept, and how they turn the pulleys.
  const std::vector<ControlInput>& inputs = scenario.model.controllers[0].steer.inputs;
  MatrixXd strains(static_cast<long>(inputs.size()), G.cols()), turns(strains.rows(), G.cols());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    strains.row(static_cast<long>(i)) = G.row(machine.velocity_of_pulley(static_cast<int>(i)) + 1);
    turns.row(static_cast<long>(i)) = G.row(machine.velocity_of_joint(inputs[i].joint));
  }
  const Eigen::JacobiSVD<MatrixXd> kept(strains, Eigen::ComputeFullV);
  const MatrixXd rigid = kept.matrixV().rightCols(G.cols() - kept.rank());
  const Eigen::JacobiSVD<MatrixXd> svd(turns * rigid, Eigen::ComputeFullV);
  const VectorXd v = G * rigid * svd.matrixV().rightCols(1);
  Mechanism result{svd.singularValues().tail(1)[0] / svd.singularValues()[0], {}};
  multibody::place(system, system.q.data(), v.data(), terms);
  const Vec3 hand =
      multibody::velocity(system.tree, index_of(scenario.model.nodes, "end-effector"), terms.tree).normalized();
  for (int axis = 0; axis < 3; ++axis) result.direction.push_back(hand[axis]);
  return result;
}

}  // namespace taut::reproduce
