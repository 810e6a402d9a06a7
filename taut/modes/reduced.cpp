#include "taut/modes/reduced.h"

#include "taut/base/error.h"
#include "taut/equilibrium/stiffness/null_space.h"
#include "taut/formulation/matrices.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Accelerations of a model that begins at rest under another gravity, in the coordinates of `state`.
VectorXd accelerations(Model model, const Dynamics& like, const Vec3& gravity, const State& state) {
  model.gravity = gravity;
  const Dynamics dynamics(model, like.formulation().facts().name, ConstraintMethod::none);
  Terms terms = dynamics.make_terms();
  VectorXd rate = VectorXd::Zero(dynamics.size());
  dynamics.rhs(state.t, state.y.data(), rate.data(), terms);
  return rate.segment(state.nq, state.nv);
}

}  // namespace

ReducedMotion reduce(const MotionMatrices& m, std::size_t nodes) {
  MatrixXd G = MatrixXd::Zero(m.constraints, m.unknowns());
  for (std::size_t k = 0; k < m.pattern.size(); ++k) G(m.pattern[k].row, m.pattern[k].column) += m.jacobian[k];
  const MatrixXd Z = null_space(G);
  ReducedMotion r;
  r.K = Z.transpose() * (m.K * Z);
  r.C = Z.transpose() * (m.C * Z);
  r.M = Z.transpose() * (m.M * Z);
  r.weight = Z.transpose() * m.weight;
  r.to_nodes = MatrixXd::Zero(3 * static_cast<long>(nodes), Z.cols());
  for (int i = 0; i < m.unknowns(); ++i) r.to_nodes.row(m.coordinates[i]) = Z.row(i);
  return r;
}

ReducedMotion reduce(const Dynamics& dynamics, State state) {
  const Formulation& formulation = dynamics.formulation();
  std::fill_n(state.v(), state.nv, 0.0);
  Terms terms = dynamics.make_terms();
  VectorXd rate = VectorXd::Zero(dynamics.size());
  dynamics.recall(state, terms);
  dynamics.rhs(state.t, state.y.data(), rate.data(), terms);
  const std::unique_ptr<Tangent> tangent = formulation.make_tangent(dynamics.cables());
  tangent->evaluate(state.q(), state.v(), rate.data() + state.nq, terms);

  // What constraints allow, over the velocities that can change.
  const std::vector<std::string>& names = formulation.facts().state_names;
  std::vector<int> kept;
  for (int i = 0; i < state.nv; ++i)
    if (!names[state.nq + i].empty()) kept.push_back(i);
  const SeamMatrices matrices = formulation.matrices(state.q(), nullptr, {.M = true, .G = true, .X = true}, state.t);
  const MatrixXd G = matrices.G;
  MatrixXd kept_columns(G.rows(), static_cast<long>(kept.size()));
  for (std::size_t j = 0; j < kept.size(); ++j) kept_columns.col(static_cast<long>(j)) = G.col(kept[j]);
  const MatrixXd null = null_space(kept_columns);
  MatrixXd Z = MatrixXd::Zero(state.nv, null.cols());
  for (std::size_t i = 0; i < kept.size(); ++i) Z.row(kept[i]) = null.row(static_cast<long>(i));

  const MatrixXd MZ = matrices.M * Z;
  ReducedMotion r;
  const long d = Z.cols();
  r.M = Z.transpose() * MZ;
  r.K.resize(d, d);
  r.C.resize(d, d);
  r.to_coordinates.resize(state.nq, d);
  VectorXd q_rate(state.nq), v_rate(state.nv);
  for (long j = 0; j < d; ++j) {
    const VectorXd z = Z.col(j);
    formulation.coordinate_rates(state.q(), z.data(), q_rate.data());
    r.to_coordinates.col(j) = q_rate;
    const VectorXd along = q_rate;
    tangent->multiply({.q = along.data()}, q_rate.data(), v_rate.data());
    r.K.col(j) = -(MZ.transpose() * v_rate);
    tangent->multiply({.v = z.data()}, q_rate.data(), v_rate.data());
    r.C.col(j) = -(MZ.transpose() * v_rate);
  }
  // Accelerations are linear in gravity.
  const VectorXd without = accelerations(dynamics.model(), dynamics, Vec3::Zero(), state);
  r.weight.resize(d, 3);
  for (int axis = 0; axis < 3; ++axis)
    r.weight.col(axis) =
        MZ.transpose() * (accelerations(dynamics.model(), dynamics, Vec3::Unit(axis), state) - without);
  r.to_nodes = matrices.X * Z;
  for (int i = 0; i < state.nq; ++i) r.coordinates.push_back(names[i]);
  if (!r.K.allFinite() || !r.C.allFinite() || !r.M.allFinite() || !r.weight.allFinite())
    throw RunError(0.0,
                   "the motion near the start shape is not finite: two nodes joined by a member coincide, or a bar "
                   "stands on a pole of its coordinates");
  return r;
}

}  // namespace taut
