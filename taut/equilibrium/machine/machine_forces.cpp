#include "taut/equilibrium/machine/machine_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/null_space.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/formulation/matrices.h"
#include "taut/model/joint_spec.h"
#include "taut/solve/dense.h"

namespace taut {

using namespace multibody;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double least_way = 1e-12;  // of the typical length: a joint that has no lever at all

}  // namespace

MachineForces::MachineForces(const Model& model, std::optional<MachinePlace> at)
    : at_rest_(at_rest(model)), place_(std::move(at)), time_(place_ ? place_->time : 0.0) {
  require_soft_ground(model);
  dynamics_ = std::make_unique<Dynamics>(at_rest_, natural_formulation(at_rest_), ConstraintMethod::projection);
  terms_ = dynamics_->make_terms();
  slopes_ = std::make_unique<SlopeFinder>(system(), at_rest_, dynamics_->cables());
  rest_.setZero(system().tree.nv);
  for (int c = 0; c < system().tree.nv; ++c)
    if (!system().tree.imposed[c]) unknowns_.push_back(c);
  if (place_ && place_->q.size() != system().tree.nq)
    throw InputError(
        fmt::format("the position has {} coordinates, and the machine {}", place_->q.size(), system().tree.nq));
}

VectorXd MachineForces::start() const {
  if (place_) return place_->q;
  const State state = dynamics_->start();
  return VectorXd::Map(state.q(), state.nq);
}

bool MachineForces::project(VectorXd& q) {
  terms_.time = time_;
  VectorXd v = rest_;
  return formulation().project(q.data(), v.data(), terms_) >= 0.0 && q.allFinite();
}

MatrixXd MachineForces::constraint_rows() const {
  const MatrixXd K = formulation().matrices(q_.data(), nullptr, {.G = true}).G;
  MatrixXd rows(system().loops.rows, static_cast<long>(unknowns_.size()));
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    rows.col(static_cast<long>(k)) = K.col(unknowns_[k]).head(rows.rows()) / way_[unknowns_[k]];
  return rows;
}

// N: what pulls most on one body.
double MachineForces::weight_scale() const {
  double largest = 0.0;
  for (const Link& link : system().tree.links)
    largest = std::max(largest, link.inertia.mass * system().tree.gravity.norm());
  for (const Load& load : at_rest_.loads) largest = std::max(largest, load.force.norm());
  return largest;
}

MachineNet MachineForces::net_force(const VectorXd& q) {
  const System& s = system();
  q_ = q;
  dynamics_->forces(time_, q_.data(), rest_.data(), terms_);
  SystemTerms& t = formulation().joints()->load(terms_);
  machine_ = &t;
  std::fill(t.imposed_rate.begin(), t.imposed_rate.end(), 0.0);  // they stand still
  equations(s, q_.data(), rest_.data(), {}, t);
  force_ = VectorXd::Map(t.bias.data(), s.tree.nv);
  way_.resize(s.tree.nv);
  for (int c = 0; c < s.tree.nv; ++c)
    way_[c] = std::max(angular(t.tree.S[c]).norm() * s.length + linear(t.tree.S[c]).norm(), least_way * s.length);

  // Ways that the loops allow, and the multipliers of what they do not.
  MatrixXd rows = constraint_rows();
  const MatrixXd Z = null_space(rows);
  VectorXd sizes(rows.rows()), on_ways(static_cast<long>(unknowns_.size()));
  for (long r = 0; r < rows.rows(); ++r) {
    sizes[r] = rows.row(r).norm();
    if (sizes[r] > 0.0) rows.row(r) /= sizes[r];
  }
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    on_ways[static_cast<long>(k)] = force_[unknowns_[k]] / way_[unknowns_[k]];
  const VectorXd r = Z.transpose() * on_ways, net = Z * r;
  lambda_.setZero(rows.rows());
  if (rows.rows() > 0) {
    LeastSquares solver(dependent_direction);
    solver.compute(rows.transpose());
    lambda_ = solver.solve(-on_ways);
    for (long k = 0; k < lambda_.size(); ++k) lambda_[k] = sizes[k] > 0.0 ? lambda_[k] / sizes[k] : 0.0;
  }
  allowed_.setZero(s.tree.nv, Z.cols());
  MachineNet result;
  result.net.setZero(s.tree.nv);
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    const int c = unknowns_[k];
    allowed_.row(c) = Z.row(static_cast<long>(k)) / way_[c];
    result.net[c] = net[static_cast<long>(k)];
    if (std::abs(result.net[c]) > result.largest) result.largest = std::abs(result.net[c]), result.worst = c;
  }
  result.multiplier = lambda_;

  // As if accelerate() had found that nothing moves: then all outputs are those of rest.
  std::copy(lambda_.begin(), lambda_.end(), t.lambda.begin());
  std::fill(t.v_rate.begin(), t.v_rate.end(), 0.0);
  inverse(s, rest_.data(), lambda_.data(), t, t.torque.data());
  for (int c = 0; c < s.tree.nv; ++c)
    if (s.tree.imposed[c]) t.torque[c] -= t.internal[c];
  const MachineTensions members = tensions();
  double sum = 0.0;
  for (const auto* list : {&members.bars, &members.cables, &members.pulleys})
    for (double force : *list) sum += std::abs(force);
  const std::size_t count = members.bars.size() + members.cables.size() + members.pulleys.size();
  result.mean = count > 0 ? sum / static_cast<double>(count) : 0.0;
  const double scale = std::max(result.mean, 1e-3 * weight_scale());
  result.residual = result.largest > 0.0 ? (scale > 0.0 ? result.largest / scale : 1.0) : 0.0;
  if (!force_.allFinite() || !std::isfinite(result.largest)) result.residual = INFINITY;
  return result;
}

MatrixXd MachineForces::stiffness() {
  const MachineSlopes slopes = slopes_->find(q_.data(), rest_.data(), rest_.data(), lambda_.data(), terms_, *machine_);
  return -(allowed_.transpose() * slopes.force_by_q * allowed_);
}

MachineTensions MachineForces::tensions() {
  MachineTensions found;
  found.bars.resize(at_rest_.bars.size());
  formulation().bar_forces(terms_, found.bars.data());
  for (int i = 0; i < static_cast<int>(at_rest_.bars.size()); ++i)
    if (const int slot = dynamics_->cables().slot_of_bar(i); slot >= 0) found.bars[i] = terms_.cables.tension[slot];
  for (int i = 0; i < static_cast<int>(at_rest_.cables.size()); ++i)
    found.cables.push_back(terms_.cables.tension[dynamics_->cables().slot_of_cable(i)]);
  const std::vector<std::string> columns = joint_columns(at_rest_);
  std::vector<double> values(columns.size());
  formulation().joints()->joint_values(q_.data(), rest_.data(), terms_, values.data());
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].ends_with(".tension")) found.pulleys.push_back(values[i]);
  return found;
}

std::vector<double> MachineForces::bar_forces(const std::vector<Vec3>& on_nodes, const VectorXd& multipliers) {
  Terms terms = terms_;
  for (std::size_t i = 0; i < on_nodes.size(); ++i) std::copy_n(on_nodes[i].data(), 3, terms.force.data() + 4 * i);
  SystemTerms& t = formulation().joints()->load(terms);
  std::copy(multipliers.begin(), multipliers.end(), t.lambda.begin());
  std::fill(t.v_rate.begin(), t.v_rate.end(), 0.0);
  std::vector<double> bars(at_rest_.bars.size());
  formulation().bar_forces(terms, bars.data());
  return bars;
}

MachineMotions MachineForces::free_motions() const {
  const System& s = system();
  const long n = static_cast<long>(unknowns_.size()), links = static_cast<long>(s.tree.links.size());
  // Velocities of the bodies that count, in the world's axes at their origins, as ways; of the nodes; of the loops. The
  // last six columns: the same for rigid motions of the whole, backwards.
  const MatrixXd X = formulation().matrices(q_.data(), nullptr, {.X = true}).X, K = constraint_rows();
  MatrixXd A = MatrixXd::Zero(6 * links + X.rows() + K.rows(), n + 6);
  TreeTerms t = make_terms(s.tree);
  for (long k = 0; k < n; ++k) {
    const VectorXd v = VectorXd::Unit(s.tree.nv, unknowns_[k]) / way_[unknowns_[k]];
    place(s.tree, q_.data(), v.data(), t);
    for (long i = 0; i < links; ++i) {
      if (s.machine.bodies[s.tree.links[i].body].idle_turns > 0) continue;
      const Mat3 back = t.links[i].world.E.transpose();
      A.block(6 * i, k, 3, 1) = s.length * back * angular(t.links[i].velocity);
      A.block(6 * i + 3, k, 3, 1) = back * linear(t.links[i].velocity);
    }
    A.block(6 * links, k, X.rows(), 1) = X.col(unknowns_[k]) / way_[unknowns_[k]];
  }
  A.block(6 * links + X.rows(), 0, K.rows(), n) = K;
  const auto field = [&](long row, const Vec3& at) {
    for (int axis = 0; axis < 3; ++axis) {
      A.block(row, n + axis, 3, 1) = -Vec3::Unit(axis);
      A.block(row, n + 3 + axis, 3, 1) = -Vec3::Unit(axis).cross(at) / s.length;
    }
  };
  for (long i = 0; i < links; ++i) {
    if (s.machine.bodies[s.tree.links[i].body].idle_turns > 0) continue;
    field(6 * i + 3, t.links[i].world.r);
    A.block(6 * i, n + 3, 3, 3) = -Mat3::Identity();
  }
  for (long i = 0; i < X.rows() / 3; ++i) field(6 * links + 3 * i, position(s.tree, static_cast<int>(i), t));
  const MatrixXd idle = kernel(A.leftCols(n), dependent_direction), all = kernel(A, dependent_direction);
  const auto spread = [&](const MatrixXd& ways) {
    MatrixXd v = MatrixXd::Zero(s.tree.nv, ways.cols());
    for (long k = 0; k < n; ++k) v.row(unknowns_[k]) = ways.row(k) / way_[unknowns_[k]];
    return v;
  };
  const MatrixXd base = idle.cols() > 0 ? orthonormal_columns(idle) : MatrixXd(n, 0);
  if (all.cols() <= idle.cols()) return {spread(base), MatrixXd(s.tree.nv, 0)};
  // What of the second kernel is across the first.
  MatrixXd whole = all.topRows(n);
  whole -= base * (base.transpose() * whole);
  return {spread(base), spread(PivotedQr(whole).basis(all.cols() - idle.cols()))};
}

std::string MachineForces::ended_cable() const {
  std::vector<JointCable> cables(at_rest_.pulleys.size());
  if (cables.empty()) return "";
  formulation().joints()->joint_cables(q_.data(), rest_.data(), cables.data());
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const std::string name = fmt::format("pulley \"{}\"", at_rest_.pulleys[i].name);
    if (cables[i].wound_up) return name + " winds all of its cable up";
    if (cables[i].off_pulley) return name + " unwinds all of its cable";
  }
  return "";
}

VectorXd step_between(const System& s, const VectorXd& a, const VectorXd& b) {
  VectorXd step(s.tree.nv);
  for (std::size_t i = 0; i < s.tree.links.size(); ++i) {
    const Link& link = s.tree.links[i];
    difference(s.tree.joints[i], a.data() + link.q, b.data() + link.q, step.data() + link.v);
  }
  return step;
}

std::string velocity_title(const System& s, int velocity) {
  return fmt::format("joint \"{}\"", s.machine.joints[s.tree.links[s.tree.link_of_velocity[velocity]].joint].name);
}

}  // namespace taut
