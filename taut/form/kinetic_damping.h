// Dynamic relaxation with kinetic damping (Berkeley chapter, 3.6.3): the structure is let go, and whenever its kinetic
// energy passes a peak, which is where the potential energy is near a least one, all velocities are set to zero.
//
// Only the place where it ends matters, so the masses are fictitious: a node that no cable holds stiffly gets little
// mass,
//   m_i = ¼ · safety · S_i h²,   h = 1, S_i the stiffness bound of static_forces.h,
// by which a leapfrog with bar lengths kept exactly is stable and all modes are about equally quick. Damping of cables
// and friction need velocities and do not act. The peak lies between steps: with K at the last three half steps its
// time follows from a parabola, and the nodes go back to where they were then.
#pragma once

#include <memory>

#include "taut/equilibrium/static_forces.h"

namespace taut {

class KineticDamping {
 public:
  KineticDamping(StaticForces& statics, const Eigen::VectorXd& x);

  // Steps until a peak of kinetic energy (true). False, and at rest where it has come to: `most` steps are done, no
  // force acts anywhere, or the nodes are a hundred times the structure's size from where they were at first.
  bool to_peak(long most);
  // The level of rest lengths and loads goes smoothly from 0 to 1 over the next `steps`; peaks on the way are damped
  // too.
  void ramp(long steps);

  // Where the velocities were last set to zero.
  const Eigen::VectorXd& position() const { return x_; }
  void restart(const Eigen::VectorXd& x);  // at rest

  long steps() const { return steps_; }
  long peaks() const { return peaks_; }
  bool forceless() const { return forceless_; }
  bool ran_away() const { return ran_away_; }

 private:
  void weigh();
  bool step();  // true: a peak was passed, and x_ is there
  void back_to_peak(double before, double at, double after);

  StaticForces& statics_;
  Model weighed_;
  std::unique_ptr<Formulation> motion_;
  Terms terms_;
  std::vector<double> mass_;
  double safety_ = 1.5;
  Eigen::VectorXd x_, first_;
  double far_ = 0.0;
  AlignedDoubles last_velocity_, last_position_;
  double energy_ = 0.0, last_energy_ = 0.0;  // at the last half steps
  long steps_ = 0, peaks_ = 0, since_ = 0;   // since_: steps since the last rest
  int hasty_ = 0;                            // peaks in a row that came at once: the masses are too small
  bool forceless_ = false, ran_away_ = false;
};

}  // namespace taut
