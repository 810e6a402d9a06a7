// The linearised motion of the multibody formulation, dense. With the residuals
//
//   r = H v̇ + C - Kᵀλ - Xᵀf - Lᵀτ_l          (v̇, λ, forces f on nodes, torques τ_l of loop joints held)
//   c = K v̇ - k
//
//   H δv̇ - Kᵀδλ = -r_q δ - r_v δv + Xᵀ (f_x X δ + f_ẋ δẋ) + (slopes of the joints' torques)
//   K δv̇        = -c_q δ - c_v δv,         δẋ = X δv + (X v)_q δ
//
// Derivatives of node forces and of the joints' torques, which may be stiff, are analytic. Those of r and c, X v and
// L v, which are smooth, are differences: by v with any step, since r and c are of second degree in v and the others of
// first, so that nothing is lost but rounding; by q of fourth order along q ⊕ δ, with an error of about 1e-12.
#include <Eigen/LU>

#include "taut/formulation/force_tangent.h"
#include "taut/formulation/multibody/multibody.h"
#include "taut/formulation/tangent.h"

namespace taut {

using namespace multibody;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class MultibodyTangent final : public Tangent {
 public:
  MultibodyTangent(const Multibody& multibody, const Cables& cables)
      : multibody_(multibody),
        s_(multibody.system_),
        forces_(*multibody.model_, cables),
        nq_(s_.tree.nq),
        nv_(s_.tree.nv),
        rows_(s_.loops.rows),
        nodes_(3 * static_cast<int>(multibody.model_->nodes.size())),
        t_(make_terms(s_)) {
    for (const LoopJoint& loop : s_.loops.joints) loop_velocities_ += velocities(loop.joint);
    J_.setZero(nq_ + nv_, nq_ + nv_);
    from_q_.setZero(nv_, nq_);
  }

  void evaluate(const double* q, const double* v, const double* v_rate, const Terms& terms) override;
  bool factorise(double c) override;
  void solve(double* r_q, double* r_v) override;
  void multiply(const Change& change, double* d_q_rate, double* d_v_rate) override;

 private:
  // r, c, K v, node velocities and loop joints' velocities, one after the other.
  int size() const { return nv_ + 2 * rows_ + nodes_ + loop_velocities_; }
  VectorXd residual(const VectorXd& q, const VectorXd& v, const Terms& terms);
  void add_node_forces(const MatrixXd& X, const MatrixXd& velocity_by_q, MatrixXd& by_q, MatrixXd& by_v);
  void add_joint_slopes(const double* q, const double* v, const MatrixXd& L, const MatrixXd& L_by_q, MatrixXd& by_q,
                        MatrixXd& by_v);
  void accelerate(VectorXd& x, VectorXd& rows) { multibody::solve(s_, t_, x.data(), rows.data()); }

  const Multibody& multibody_;
  const System& s_;
  ForceTangent forces_;
  int nq_, nv_, rows_, nodes_, loop_velocities_ = 0;
  SystemTerms t_;
  VectorXd v_rate_, lambda_;
  std::vector<JointTorque> loop_torque_;
  MatrixXd J_;       // ∂(q̇, v̇)/∂(q, v)
  MatrixXd from_q_;  // N⁺: δ from a change of q
  MatrixXd X_, K_, rate_by_q_;
  Eigen::PartialPivLU<MatrixXd> lu_;
};

VectorXd MultibodyTangent::residual(const VectorXd& q, const VectorXd& v, const Terms& terms) {
  place(s_, q.data(), v.data(), t_);
  set_weight(s_.tree, t_.tree);
  for (int i = 0; i < nodes_ / 3; ++i)
    add_force(s_.tree, i, Vec3(terms.force.data() + 4 * static_cast<std::size_t>(i)), t_.tree);
  for (int i = 0; i < static_cast<int>(s_.loops.joints.size()); ++i)
    if (s_.loops.joints[i].has_torque) add_loop_torque(s_.loops, i, t_.loops, loop_torque_[i].torque.data(), t_.tree);
  VectorXd out(size());
  inverse(s_, v_rate_.data(), lambda_.data(), t_, out.data());
  if (rows_ > 0) loop_bias(s_.loops, s_.tree, t_.tree, t_.loops);  // with v̇ in the accelerations: k - K v̇
  out.segment(nv_, rows_) = -VectorXd::Map(t_.loops.k.data(), rows_);
  out.segment(nv_ + rows_, rows_) = VectorXd::Map(t_.loops.rate.data(), rows_);
  int next = nv_ + 2 * rows_;
  for (int i = 0; i < nodes_ / 3; ++i, next += 3) out.segment<3>(next) = velocity(s_.tree, i, t_.tree);
  for (std::size_t i = 0; i < s_.loops.joints.size(); ++i)
    for (int k = 0; k < velocities(s_.loops.joints[i].joint); ++k) out[next++] = t_.loops.joints[i].v[k];
  return out;
}

void MultibodyTangent::add_node_forces(const MatrixXd& X, const MatrixXd& velocity_by_q, MatrixXd& by_q,
                                       MatrixXd& by_v) {
  MatrixXd force_by_q = MatrixXd::Zero(nodes_, nv_), force_by_v = force_by_q;
  using Block = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const auto& blocks = forces_.blocks();
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto& [i, j] = blocks[k];
    const Block by_x = Block::Map(forces_.by_position().data() + 9 * k),
                by_rate = Block::Map(forces_.by_velocity().data() + 9 * k);
    force_by_q.middleRows<3>(3 * i) += by_x * X.middleRows<3>(3 * j) + by_rate * velocity_by_q.middleRows<3>(3 * j);
    force_by_v.middleRows<3>(3 * i) += by_rate * X.middleRows<3>(3 * j);
  }
  by_q += X.transpose() * force_by_q;
  by_v += X.transpose() * force_by_v;
}

void MultibodyTangent::add_joint_slopes(const double* q, const double* v, const MatrixXd& L, const MatrixXd& L_by_q,
                                        MatrixXd& by_q, MatrixXd& by_v) {
  JointTorqueSlopes slopes;
  for (std::size_t i = 0; i < s_.tree.links.size(); ++i) {
    const Link& link = s_.tree.links[i];
    if (!link.has_torque) continue;
    internal_torque_slopes(s_.tree.joints[i], q + link.q, v + link.v, slopes);
    by_q.block(link.v, link.v, link.nv, link.nv) += slopes.by_q.topLeftCorner(link.nv, link.nv);
    by_v.block(link.v, link.v, link.nv, link.nv) += slopes.by_v.topLeftCorner(link.nv, link.nv);
  }
  int next = 0;
  for (std::size_t i = 0; i < s_.loops.joints.size(); ++i) {
    const LoopJoint& loop = s_.loops.joints[i];
    const int n = velocities(loop.joint);
    if (loop.has_torque) {
      const LoopJointTerms& at = t_.loops.joints[i];
      internal_torque_slopes(loop.joint, at.q.data(), at.v.data(), slopes);
      const MatrixXd map = L.middleRows(next, n), along_q = slopes.by_q.topLeftCorner(n, n),
                     along_v = slopes.by_v.topLeftCorner(n, n);
      by_q += map.transpose() * (along_q * map + along_v * L_by_q.middleRows(next, n));
      by_v += map.transpose() * along_v * map;
    }
    next += n;
  }
}

void MultibodyTangent::evaluate(const double* q_at, const double* v_at, const double* v_rate, const Terms& terms) {
  forces_.evaluate(terms);
  t_ = *terms.multibody;
  v_rate_ = VectorXd::Map(v_rate, nv_);
  lambda_ = VectorXd::Map(t_.lambda.data(), rows_);
  loop_torque_ = t_.loop_torque;
  const VectorXd q = VectorXd::Map(q_at, nq_), v = VectorXd::Map(v_at, nv_);

  // Differences. Steps by q turn or move by 1e-3 of a typical length.
  MatrixXd by_q(size(), nv_), by_v(size(), nv_);
  const std::vector<Vec6> S = t_.tree.S;
  const double speed = 1.0 + v.cwiseAbs().maxCoeff();
  for (int c = 0; c < nv_; ++c) {
    const double h = 1e-3 / (angular(S[c]).norm() + linear(S[c]).norm() / s_.length);
    const auto moved = [&](double step) {
      VectorXd there = q, along = VectorXd::Zero(nv_);
      along[c] = step;
      retract(s_.tree, there.data(), along.data());
      return residual(there, v, terms);
    };
    by_q.col(c) = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
    VectorXd faster = v, slower = v;
    faster[c] += speed, slower[c] -= speed;
    by_v.col(c) = (residual(q, faster, terms) - residual(q, slower, terms)) / (2.0 * speed);
  }
  residual(q, v, terms);  // back to where it was
  const int nodes_at = nv_ + 2 * rows_, loops_at = nodes_at + nodes_;
  X_ = by_v.middleRows(nodes_at, nodes_);
  K_ = by_v.middleRows(nv_ + rows_, rows_);
  rate_by_q_ = by_q.middleRows(nv_ + rows_, rows_);

  // Right sides, column by column, and their solutions.
  MatrixXd force_by_q = -by_q.topRows(nv_), force_by_v = -by_v.topRows(nv_);
  add_node_forces(X_, by_q.middleRows(nodes_at, nodes_), force_by_q, force_by_v);
  add_joint_slopes(q_at, v_at, by_v.bottomRows(loop_velocities_), by_q.middleRows(loops_at, loop_velocities_),
                   force_by_q, force_by_v);
  multibody::factorise(s_, t_);
  for (int c = 0; c < nv_; ++c)
    for (MatrixXd* side : {&force_by_q, &force_by_v}) {
      VectorXd x = side->col(c), rows = -(side == &force_by_q ? by_q : by_v).col(c).segment(nv_, rows_);
      accelerate(x, rows);
      side->col(c) = x;
    }

  // From δ to q.
  J_.setZero();
  from_q_.setZero();
  Mat7 N, back, by;
  for (std::size_t i = 0; i < s_.tree.links.size(); ++i) {
    const Link& link = s_.tree.links[i];
    const Joint& joint = s_.tree.joints[i];
    rate_map(joint, q_at + link.q, N);
    rate_map_inverse(joint, q_at + link.q, back);
    rates_by_q(joint, q_at + link.q, v_at + link.v, by);
    J_.block(link.q, link.q, link.nq, link.nq) = by.topLeftCorner(link.nq, link.nq);
    J_.block(link.q, nq_ + link.v, link.nq, link.nv) = N.topLeftCorner(link.nq, link.nv);
    from_q_.block(link.v, link.q, link.nv, link.nq) = back.topLeftCorner(link.nv, link.nq);
  }
  J_.bottomLeftCorner(nv_, nq_) = force_by_q * from_q_;
  J_.bottomRightCorner(nv_, nv_) = force_by_v;
}

bool MultibodyTangent::factorise(double c) {
  lu_.compute(MatrixXd::Identity(nq_ + nv_, nq_ + nv_) - c * J_);
  const auto pivots = lu_.matrixLU().diagonal();
  return pivots.allFinite() && (pivots.size() == 0 || pivots.cwiseAbs().minCoeff() > 0.0);
}

void MultibodyTangent::solve(double* r_q, double* r_v) {
  VectorXd r(nq_ + nv_);
  r << VectorXd::Map(r_q, nq_), VectorXd::Map(r_v, nv_);
  r = lu_.solve(r);
  VectorXd::Map(r_q, nq_) = r.head(nq_);
  VectorXd::Map(r_v, nv_) = r.tail(nv_);
}

void MultibodyTangent::multiply(const Change& change, double* d_q_rate, double* d_v_rate) {
  VectorXd d = VectorXd::Zero(nq_ + nv_);
  if (change.q) d.head(nq_) = VectorXd::Map(change.q, nq_);
  if (change.v) d.tail(nv_) = VectorXd::Map(change.v, nv_);
  VectorXd rate = J_ * d;
  // Forces on nodes, torques on joints, and -k_s δg - k_d δġ.
  VectorXd x = VectorXd::Zero(nv_), rows = VectorXd::Zero(rows_);
  if (change.force) x = X_.transpose() * VectorXd::Map(change.force, nodes_);
  if (change.torque) x += VectorXd::Map(change.torque, nv_);
  if (change.gains.any()) {
    const VectorXd step = from_q_ * d.head(nq_);
    rows = -change.gains.position * (K_ * step) - change.gains.velocity * (K_ * d.tail(nv_) + rate_by_q_ * step);
  }
  accelerate(x, rows);
  rate.tail(nv_) += x;
  VectorXd::Map(d_q_rate, nq_) = rate.head(nq_);
  VectorXd::Map(d_v_rate, nv_) = rate.tail(nv_);
}

std::unique_ptr<Tangent> Multibody::make_tangent(const Cables& cables) const {
  return std::make_unique<MultibodyTangent>(*this, cables);
}

}  // namespace taut
