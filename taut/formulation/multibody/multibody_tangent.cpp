// The linearised motion of the multibody formulation, dense: with the slopes of slopes.h
//
//   H δv̇ - Kᵀδλ = (forces that act) by q δ + by v δv
//   K δv̇        = -c_q δ - c_v δv

#include "taut/formulation/multibody/multibody.h"
#include "taut/formulation/multibody/slopes.h"
#include "taut/formulation/tangent.h"
#include "taut/solve/dense.h"

namespace taut {

using namespace multibody;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class MultibodyTangent final : public Tangent {
 public:
  MultibodyTangent(const Multibody& multibody, const Cables& cables)
      : s_(multibody.system_),
        finder_(multibody.system_, *multibody.model_, cables),
        nq_(s_.tree.nq),
        nv_(s_.tree.nv),
        rows_(s_.loops.rows),
        nodes_(3 * static_cast<int>(multibody.model_->nodes.size())) {
    J_.setZero(nq_ + nv_, nq_ + nv_);
    from_q_.setZero(nv_, nq_);
  }

  void evaluate(const double* q, const double* v, const double* v_rate, const Terms& terms) override;
  bool factorise(double c) override;
  void solve(double* r_q, double* r_v) override;
  void multiply(const Change& change, double* d_q_rate, double* d_v_rate) override;

 private:
  const System& s_;
  SlopeFinder finder_;
  int nq_, nv_, rows_, nodes_;
  MachineSlopes slopes_;
  MatrixXd J_;       // ∂(q̇, v̇)/∂(q, v)
  MatrixXd from_q_;  // N⁺: δ from a change of q
  Lu lu_;
};

void MultibodyTangent::evaluate(const double* q_at, const double* v_at, const double* v_rate, const Terms& terms) {
  const SystemTerms& own = Multibody::own(terms);
  slopes_ = finder_.find(q_at, v_at, v_rate, own.lambda.data(), terms, own);
  MatrixXd force_by_q = slopes_.force_by_q, force_by_v = slopes_.force_by_v;
  SystemTerms& t = finder_.placed();
  multibody::factorise(s_, t);
  for (int c = 0; c < nv_; ++c)
    for (MatrixXd* side : {&force_by_q, &force_by_v}) {
      VectorXd x = side->col(c), rows = -(side == &force_by_q ? slopes_.c_by_q : slopes_.c_by_v).col(c);
      multibody::solve(s_, t, x.data(), rows.data());
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
  const VectorXd pivots = lu_.pivots();
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
  if (change.force) x = slopes_.X.transpose() * VectorXd::Map(change.force, nodes_);
  if (change.torque) x += VectorXd::Map(change.torque, nv_);
  if (change.gains.any()) {
    const VectorXd step = from_q_ * d.head(nq_);
    rows = -change.gains.position * (slopes_.K * step) -
           change.gains.velocity * (slopes_.K * d.tail(nv_) + slopes_.rate_by_q * step);
  }
  multibody::solve(s_, finder_.placed(), x.data(), rows.data());
  rate.tail(nv_) += x;
  VectorXd::Map(d_q_rate, nq_) = rate.head(nq_);
  VectorXd::Map(d_v_rate, nv_) = rate.tail(nv_);
}

std::unique_ptr<Tangent> Multibody::make_tangent(const Cables& cables) const {
  return std::make_unique<MultibodyTangent>(*this, cables);
}

}  // namespace taut
