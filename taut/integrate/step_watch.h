// What a method of adaptive steps tells of each step that it takes: the motion over it, as the polynomial that its rows
// come from, and which cables were held taut. For whoever follows derivatives along a motion (gradient/).
#pragma once

#include <Eigen/Core>
#include <array>

#include "taut/forces/cables.h"

namespace taut {

struct Terms;

// y(t) = Σ c_k θ^k, θ = (t - origin)/scale, on [from, to].
struct StepPath {
  static constexpr int most = 13;  // degree of cvode's formulas: 12, and one more

  double from = 0.0, to = 0.0, origin = 0.0, scale = 1.0;
  int degree = 0;
  std::array<Eigen::VectorXd, most> c;

  void at(double t, Eigen::VectorXd& y) const {
    const double theta = (t - origin) / scale;
    y = c[degree];
    for (int k = degree - 1; k >= 0; --k) y = c[k] + theta * y;
  }
};

class StepWatch {
 public:
  virtual ~StepWatch() = default;
  // Before the rows inside the step are handed out and before what switches at its end has switched: mode and flags of
  // the cables are those that held over it.
  virtual void step(const StepPath& path, const CableTerms& cables) = 0;
  // Further functions of which dopri5 ends a step where one changes its sign, as where forces have a kink that the run
  // itself need not know. With the nodes placed in these terms.
  virtual int functions() const { return 0; }
  virtual void values(const Terms& /*terms*/, double* /*g*/) const {}
};

}  // namespace taut
