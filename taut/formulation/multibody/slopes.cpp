#include "taut/formulation/multibody/slopes.h"

namespace taut {

using namespace multibody;
using Eigen::MatrixXd;
using Eigen::VectorXd;

SlopeFinder::SlopeFinder(const System& system, const Model& model, const Cables& cables)
    : s_(system),
      forces_(model, cables),
      nv_(s_.tree.nv),
      rows_(s_.loops.rows),
      nodes_(3 * static_cast<int>(model.nodes.size())),
      t_(make_terms(s_)) {
  for (const LoopJoint& loop : s_.loops.joints) loop_velocities_ += velocities(loop.joint);
}

VectorXd SlopeFinder::residual(const VectorXd& q, const VectorXd& v, const Terms& terms) {
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

void SlopeFinder::add_node_forces(const MatrixXd& X, const MatrixXd& velocity_by_q, MatrixXd& by_q,
                                  MatrixXd& by_v) const {
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

void SlopeFinder::add_joint_slopes(const double* q, const double* v, const MatrixXd& L, const MatrixXd& L_by_q,
                                   MatrixXd& by_q, MatrixXd& by_v) const {
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

MachineSlopes SlopeFinder::find(const double* q_at, const double* v_at, const double* v_rate, const double* lambda,
                                const Terms& terms, const SystemTerms& own) {
  forces_.evaluate(terms);
  t_ = own;
  v_rate_ = VectorXd::Map(v_rate, nv_);
  lambda_ = VectorXd::Map(lambda, rows_);
  loop_torque_ = t_.loop_torque;
  const VectorXd q = VectorXd::Map(q_at, s_.tree.nq), v = VectorXd::Map(v_at, nv_);

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
  MachineSlopes found;
  found.X = by_v.middleRows(nodes_at, nodes_);
  found.K = by_v.middleRows(nv_ + rows_, rows_);
  found.rate_by_q = by_q.middleRows(nv_ + rows_, rows_);
  found.c_by_q = by_q.middleRows(nv_, rows_);
  found.c_by_v = by_v.middleRows(nv_, rows_);
  found.force_by_q = -by_q.topRows(nv_);
  found.force_by_v = -by_v.topRows(nv_);
  add_node_forces(found.X, by_q.middleRows(nodes_at, nodes_), found.force_by_q, found.force_by_v);
  add_joint_slopes(q_at, v_at, by_v.bottomRows(loop_velocities_), by_q.middleRows(loops_at, loop_velocities_),
                   found.force_by_q, found.force_by_v);
  return found;
}

}  // namespace taut
