// Inside of the interior-point method: the iterate, what the problem says there, and the parts that the files nlp*.cpp
// share. Objective and constraints are scaled so that no gradient at the start exceeds `steepest`.
#pragma once

#include "taut/solve/dense.h"
#include "taut/solve/nlp.h"

namespace taut {

struct NlpPoint {
  Eigen::VectorXd x, s, y, z;
  double f = 0.0;
  Eigen::VectorXd gradient, g, h;
  Eigen::MatrixXd Jg, Jh;

  double violation() const { return g.lpNorm<1>() + (h - s).lpNorm<1>(); }
};

struct NlpStep {
  Eigen::VectorXd x, s, y, z;
  double curvature = 0.0;  // dxᵀ (H + Jhᵀ S⁻¹ Z Jh) dx, with what was added to H
};

class NlpSearch {
 public:
  static constexpr double steepest = 100.0;

  NlpSearch(const Nlp& problem, const Eigen::VectorXd& start);

  // f, g, h, and their derivatives, scaled. False where something is not finite.
  bool values(NlpPoint& at) const;
  bool slopes(NlpPoint& at) const;

  // Newton's step at μ from the point with its slopes, or false: no step, whatever curvature is added.
  bool newton(const NlpPoint& at, double mu, NlpStep& step);
  // With the factors of the last newton() and other residuals of the constraints.
  void correct(const NlpPoint& at, double mu, const Eigen::VectorXd& g, const Eigen::VectorXd& h_less_s,
               NlpStep& step) const;

  // Minimises |g|² + |min(0, h)|² from at.x. True: nothing of it is left within the tolerance.
  bool restore(NlpPoint& at, double tolerance);

  double objective_scale() const { return objective_scale_; }
  const Eigen::VectorXd& g_scale() const { return g_scale_; }
  const Eigen::VectorXd& h_scale() const { return h_scale_; }

 private:
  bool factorise(const NlpPoint& at, double added, double softened);
  void violation_part(const NlpPoint& at, Eigen::VectorXd& r, Eigen::MatrixXd& J) const;

  const Nlp* problem_;
  int n_, m_, p_;
  double objective_scale_ = 1.0;
  Eigen::VectorXd g_scale_, h_scale_;
  Eigen::MatrixXd H_, K_;
  Eigen::VectorXd row_;  // scales of the last p rows of K
  Lu lu_;
  double last_added_ = 0.0;
};

}  // namespace taut
