#include "taut/control/near_rigid.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>

namespace taut {

using namespace multibody;
using Eigen::MatrixXd;
using Eigen::VectorXd;

NearRigid::NearRigid(const System& system, NearRigidTask task)
    : system_(&system), task_(std::move(task)), independent_(system) {
  unit_.resize(static_cast<long>(task_.strains.size()));
  for (std::size_t i = 0; i < task_.strains.size(); ++i) {
    const Link& link = system.tree.links[system.tree.link_of_velocity[task_.strains[i]]];
    const auto* cable = std::get_if<Involute>(&system.tree.joints[&link - system.tree.links.data()].kind);
    if (!cable || cable->last != CableCoordinate::epsilon)
      throw InputError(fmt::format("near-rigid control: joint \"{}\" is no cable of the variant epsilon",
                                   system.mechanism.joints[link.joint].name));
    unit_[static_cast<long>(i)] = 1.0 / cable->material.EA;
    strain_coordinate_.push_back(link.q + task_.strains[i] - link.v);
  }
  names_.variables = task_.input_names;
  names_.variables.insert(names_.variables.end(), task_.cable_names.begin(), task_.cable_names.end());
  J_.setZero(static_cast<long>(task_.targets.size()), system.tree.nv);
  j_.setZero(J_.rows());
  P_.setZero(system.tree.nv, unit_.size());
}

VectorXd NearRigid::position(const double* q, const SystemTerms& t) const {
  VectorXd x(J_.rows());
  for (long i = 0; i < x.size(); ++i) {
    const auto& target = task_.targets[static_cast<std::size_t>(i)];
    if (target.velocity >= 0) {
      const Link& link = system_->tree.links[system_->tree.link_of_velocity[target.velocity]];
      x[i] = q[link.q + target.velocity - link.v];
    } else {
      x[i] = multibody::position(system_->tree, target.point, t.tree)[target.axis];
    }
  }
  return x;
}

VectorXd NearRigid::velocity(const double* v, const SystemTerms& t) const {
  VectorXd x(J_.rows());
  for (long i = 0; i < x.size(); ++i) {
    const auto& target = task_.targets[static_cast<std::size_t>(i)];
    x[i] = target.velocity >= 0 ? v[target.velocity]
                                : multibody::velocity(system_->tree, target.point, t.tree)[target.axis];
  }
  return x;
}

// J, and j = J̇ v with what imposed joints add, from the accelerations at v̇ = 0.
void NearRigid::fill_targets(SystemTerms& t) {
  J_.setZero();
  j_.setZero();
  const Tree& tree = system_->tree;
  for (long i = 0; i < J_.rows(); ++i) {
    const auto& target = task_.targets[static_cast<std::size_t>(i)];
    if (target.velocity >= 0) {
      J_(i, target.velocity) = 1.0;
      continue;
    }
    const LinkPoint& p = tree.points[target.point];
    j_[i] = acceleration(tree, target.point, t.tree)[target.axis];
    const Vec3 f = t.tree.links[p.link].world.E.col(target.axis);
    Vec6 force = spatial(p.position.cross(f), f);
    for (int k = p.link; k != ground; k = tree.links[k].parent) {
      const Link& link = tree.links[k];
      for (int c = link.v; c < link.v + link.nv; ++c)
        if (!tree.imposed[c]) J_(i, c) = t.tree.S[c].dot(force);
      force = t.tree.links[k].X.force_back(force);
    }
  }
}

// How the torques of a joint's cable change with its tension; nothing where it is slack.
void NearRigid::fill_stiffness(const double* q) {
  P_.setZero();
  const JointVelocity rest{};
  for (std::size_t i = 0; i < task_.strains.size(); ++i) {
    const int at = system_->tree.link_of_velocity[task_.strains[i]];
    const Link& link = system_->tree.links[at];
    JointTorqueSlopes slopes;
    internal_torque_slopes(system_->tree.joints[at], q + link.q, rest.data(), slopes);
    P_.col(static_cast<long>(i)).segment(link.v, link.nv) =
        unit_[static_cast<long>(i)] * slopes.by_q.col(task_.strains[i] - link.v).head(link.nv);
  }
}

const NearRigidCommand& NearRigid::command(const double* q, const double* v, SystemTerms& t, const VectorXd& wanted) {
  const System& s = *system_;
  const long inputs = static_cast<long>(task_.inputs.size()), cables = unit_.size();
  for (int c : task_.inputs) t.applied[c] = 0.0;
  // The torques of loop joints are added to the forces on links here and again by the evaluation that follows.
  const auto external = t.tree;
  equations(s, q, v, {}, t);
  independent_.choose(t);
  const MatrixXd& G = independent_.G();
  const VectorXd g = independent_.g(t.lambda.data()), right = VectorXd::Map(t.bias.data(), s.tree.nv);
  const MatrixXd H = independent_.mass(t);
  fill_targets(t);
  fill_stiffness(q);

  // Accelerations: targets as wanted, strains at rest, the others free.
  MatrixXd rows(J_.rows() + cables, s.tree.nv);
  rows.topRows(J_.rows()) = J_;
  rows.bottomRows(cables).setZero();
  VectorXd asked(rows.rows());
  asked.head(J_.rows()) = wanted - j_;
  asked.tail(cables).setZero();
  for (long i = 0; i < cables; ++i) rows(J_.rows() + i, task_.strains[static_cast<std::size_t>(i)]) = 1.0;
  asked -= rows * g;
  const Eigen::JacobiSVD<MatrixXd> svd(rows * G, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const VectorXd y0 = svd.solve(asked);
  const long rank = svd.rank();
  command_.problem.clear();
  if ((rows * G * y0 - asked).cwiseAbs().maxCoeff() > 1e-8 * (1.0 + asked.cwiseAbs().maxCoeff()))
    command_.problem = "the accelerations asked for contradict each other in this position";
  const MatrixXd Z = svd.matrixV().rightCols(G.cols() - rank);

  // The quadratic program in u, the changes of tension and z.
  const long n = inputs + cables + Z.cols();
  const MatrixXd inertia = G.transpose() * H * G;
  qp_.P = MatrixXd::Zero(n, n);
  qp_.P.topLeftCorner(inputs, inputs).setIdentity();
  qp_.q = VectorXd::Zero(n);
  qp_.A.resize(G.cols(), n);
  for (long i = 0; i < inputs; ++i) qp_.A.col(i) = G.row(task_.inputs[static_cast<std::size_t>(i)]).transpose();
  qp_.A.middleCols(inputs, cables) = G.transpose() * P_;
  qp_.A.rightCols(Z.cols()) = -inertia * Z;
  qp_.b = inertia * y0 + G.transpose() * (H * g - right);
  qp_.lower = VectorXd::Constant(n, -INFINITY);
  qp_.upper = VectorXd::Constant(n, INFINITY);
  qp_.lower.head(inputs) = task_.least_input;
  qp_.upper.head(inputs) = task_.most_input;
  for (long i = 0; i < cables; ++i) {
    const double strain = q[strain_coordinate_[static_cast<std::size_t>(i)]];
    qp_.lower[inputs + i] = (task_.least_strain[i] - strain) / unit_[i];
    qp_.upper[inputs + i] = (task_.most_strain[i] - strain) / unit_[i];
  }
  t.tree = external;
  QpOptions options;
  options.start = &solution_.active;
  solve_qp(qp_, workspace_, solution_, options);
  if (solution_.status == QpStatus::infeasible)
    command_.problem = describe_conflict(qp_, solution_, names_);
  else if (solution_.status != QpStatus::optimal && solution_.status != QpStatus::inaccurate)
    command_.problem = fmt::format("the quadratic programme ends as {}", name(solution_.status));
  command_.input = solution_.x.head(inputs);
  command_.change = unit_.cwiseProduct(solution_.x.segment(inputs, cables));
  return command_;
}

}  // namespace taut
