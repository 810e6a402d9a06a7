// The equilibria of a structure under one parameter p, and one linearisation of them:
//
//   r(x, p) = f(x, p) - Gᵀμ = 0,   g(x) = 0;        p scales loads or weight, or moves rest lengths,
//
//   | K   Gᵀ  -f_p | | δx |   | r |
//   | G   0    0   | | δμ | = | 0 |        (t_x, t_p) the tangent of the path, or (0, 1) for steps at a fixed p.
//   | t_xᵀ 0   t_p | | δp |   | s |
//
// By sparse LU, which is regular at limit points, too. Faint terms keep rigid motions and constraints that depend on
// others from making it singular; they change the steps by 1e-9 and the equilibria not at all. Along the path,
// ds² = |dx|²/ℓ² + dp²/P², where ℓ and P are what dx and dp are measured by at the point: as far as they weigh alike, a
// step that is short by s is short in both, and a turn of the path is seen whichever of them it is in.
#pragma once

#include <utility>
#include <vector>

#include "taut/equilibrium/static_forces.h"

namespace taut {

enum class PathKind { loads, weight, rest_lengths };

struct PathPoint {
  Eigen::VectorXd x;  // 3 per node
  double p = 0.0;
  double arc = 0.0;  // of chords from the beginning, in mean member lengths and ends of the path
  double residual = 0.0;
  // Of the path there.
  Eigen::VectorXd tangent;  // dx/ds on the unknowns, m
  double slope = 0.0;       // dp/ds
  // The motion of least stiffness, rigid ones apart: K φ = λ φ, G φ = 0, λ nearest to 0.
  double stiffness = 0.0;   // λ, N/m
  Eigen::VectorXd motion;   // φ, 3 per node, its largest entry 1
  double push = 0.0;        // of what p moves along φ: the cosine between them, 0 where p pushes across it
  int unstable = 0;         // directions in which the energy falls; 1 where it falls in none, but rises not in all
  std::vector<char> slack;  // per cable
  double tension = 0.0;     // N, the largest of all cables
};

class PathSystem {
 public:
  // rest_lengths: cable and its rest length at p = 1, for that kind; end: the size of p at the end of the path. Throws
  // as StaticForces does.
  PathSystem(const Model& model, PathKind kind, std::vector<std::pair<int, double>> rest_lengths, double end);

  StaticForces& statics() { return statics_; }
  double length() const { return length_; }  // the harmonic mean of the members that can move
  double end() const { return end_; }
  double reach() const { return reach_; }  // ℓ
  double scale() const { return scale_; }  // P
  // Other ℓ and P from this point on.
  void measure_by(double reach, double scale, PathPoint& point);
  void set(double p);
  // Of two directions (dx, dp), dx on the unknowns.
  double product(const Eigen::VectorXd& x, double p, const Eigen::VectorXd& y, double q) const;
  Eigen::VectorXd pick(const Eigen::VectorXd& all) const;  // the unknowns

  // From `from` by s along its tangent to an equilibrium in the plane across it; false if Newton's method does not
  // get there. Describes the point.
  bool advance(const PathPoint& from, double s, PathPoint& to);
  // From a guess to an equilibrium at this p. `direction` of the path is kept.
  bool at_parameter(double p, const Eigen::VectorXd& guess, const PathPoint* direction, PathPoint& to);
  // The tangent that the path would have at this point with these cables on the other side of their switch, in one of
  // its two senses; false if there is none.
  bool tangent_beyond(const PathPoint& at, const std::vector<int>& switched, PathPoint& to);
  // Per cable, how fast its length grows beyond its rest length along the path, m.
  std::vector<double> stretching(const PathPoint& at);
  int newton_steps() const { return steps_; }

  // The model with p times its loads or weight, or with its rest lengths there.
  Model model_at(const Model& model, const PathPoint& point) const;

 private:
  bool correct(const PathPoint* from, double s, PathPoint& to);
  bool solve(const PathPoint* from, double most, const Eigen::VectorXd& net, double along, Eigen::VectorXd& step,
             double& step_p);
  void describe(const PathPoint* from, PathPoint& to);
  Eigen::VectorXd by_parameter() const;
  int count_unstable(double most);
  double chord(const PathPoint& a, const PathPoint& b) const;
  void remove_rigid(const Eigen::VectorXd& x, Eigen::VectorXd& on_unknowns) const;
  Eigen::VectorXd spread(const Eigen::VectorXd& on_unknowns) const;

  PathKind kind_;
  std::vector<std::pair<int, double>> rest_lengths_;
  std::vector<double> first_rest_;
  StaticForces statics_;
  Parts parts_;
  double end_, scale_, length_ = 1.0, reach_ = 1.0, p_ = 0.0;
  std::vector<Vec3> constant_, growing_;
  std::vector<SparseEntry> stiffness_;
  int steps_ = 0;
};

}  // namespace taut
