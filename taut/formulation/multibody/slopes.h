// Derivatives of the equations of a machine, dense: what its linearised motion and its statics share. With the residuals
//
//   r = H v̇ + C - Kᵀλ - Xᵀf - Lᵀτ_l          (v̇, λ, forces f on nodes, torques τ_l of loop joints held)
//   c = K v̇ - k
//
// the forces that act change, while v̇ and λ stay, by
//
//   -r_q δ - r_v δv + Xᵀ (f_x X δ + f_ẋ δẋ) + (slopes of the joints' torques),     δẋ = X δv + (X v)_q δ.
//
// At rest, v = v̇ = 0, the first part is -K_s δ, K_s the tangent stiffness of the machine with the multipliers λ.
//
// Derivatives of node forces and of the joints' torques, which may be stiff, are analytic. Those of r and c, X v and
// L v, which are smooth, are differences: by v with any step, since r and c are of second degree in v and the others of
// first, so that nothing is lost but rounding; by q of fourth order along q ⊕ δ, with an error of about 1e-12.
#pragma once

#include <Eigen/Core>

#include "taut/formulation/force_tangent.h"
#include "taut/formulation/multibody/system/system.h"

namespace taut {

struct MachineSlopes {
  Eigen::MatrixXd force_by_q, force_by_v;  // nv × nv, along δ and δv
  Eigen::MatrixXd c_by_q, c_by_v;          // rows × nv
  Eigen::MatrixXd K, X;                    // rows and nodes, along v
  Eigen::MatrixXd rate_by_q;               // of K v
};

class SlopeFinder {
 public:
  // All must outlive this.
  SlopeFinder(const multibody::System& system, const Model& model, const Cables& cables);

  // At (q, v), with the node forces of these terms and the machine's scratch at the same place (JointSide::load()).
  MachineSlopes find(const double* q, const double* v, const double* v_rate, const double* lambda, const Terms& terms,
                     const multibody::SystemTerms& own);
  // Placed at the last (q, v).
  multibody::SystemTerms& placed() { return t_; }

 private:
  // r, c, K v, node velocities and loop joints' velocities, one after the other.
  int size() const { return nv_ + 2 * rows_ + nodes_ + loop_velocities_; }
  Eigen::VectorXd residual(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Terms& terms);
  void add_node_forces(const Eigen::MatrixXd& X, const Eigen::MatrixXd& velocity_by_q, Eigen::MatrixXd& by_q,
                       Eigen::MatrixXd& by_v) const;
  void add_joint_slopes(const double* q, const double* v, const Eigen::MatrixXd& L, const Eigen::MatrixXd& L_by_q,
                        Eigen::MatrixXd& by_q, Eigen::MatrixXd& by_v) const;

  const multibody::System& s_;
  ForceTangent forces_;
  int nv_, rows_, nodes_, loop_velocities_ = 0;
  multibody::SystemTerms t_;
  Eigen::VectorXd v_rate_, lambda_;
  std::vector<multibody::JointTorque> loop_torque_;
};

}  // namespace taut
