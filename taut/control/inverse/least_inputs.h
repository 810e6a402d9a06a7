// The smallest inputs within bounds that meet linear equations (Lieskovský 2022, 2.2), by three methods that must
// agree:
//
//   minimise ½ Σ w_j u_j²   subject to   A u = b,   least ≤ C u ≤ most,   lower ≤ u ≤ upper
//
//   qp          as it stands (2.2.4-5) null_space  u = u₀ + N z, u₀ the smallest u that meets the equations, A N = 0,
//   NᵀN = 1;  z:  ½ zᵀNᵀN z + u₀ᵀN z
//               (2.2.6-11, where the print has NᵀN with 2 Nᵀu₀; in the variables √w u)
//   nlp         as f, g and h of an interior point (2.2.1-3)
//
// Equations that follow from others, within 1e-9 of the span of their rows and of their right sides, are dropped; those
// that contradict others are the answer.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taut/model/controller_spec.h"
#include "taut/solve/nlp.h"
#include "taut/solve/qp/qp.h"

namespace taut {

struct LeastInputProblem {
  Eigen::MatrixXd A;
  Eigen::VectorXd b, rounding;  // `rounding`: by how much b is uncertain
  Eigen::MatrixXd C;
  Eigen::VectorXd least, most;
  Eigen::VectorXd lower, upper, weight;  // per input; weights are positive
};

class LeastInputs {
 public:
  // True: u() is the solution. False: conflict() says which equations and bounds exclude each other, u() comes as near
  // to the equations as the bounds allow (sum of squares, the smallest such u); or trouble() says what went wrong.
  bool solve(const LeastInputProblem& problem, InverseMethod method);

  const Eigen::VectorXd& u() const { return u_; }
  int rank() const { return rank_; }  // of A
  // Indices into the rows of A (equality), those of C (row) and the inputs (bound).
  const std::vector<QpConflict>& conflict() const { return conflict_; }
  const std::string& trouble() const { return trouble_; }
  // What is at its bounds in the last solution by qp: the next search begins there.
  QpActiveSet& active() { return solution_.active; }

 private:
  void reduce(const LeastInputProblem& p);
  void fill_qp(const LeastInputProblem& p);
  bool by_qp(const LeastInputProblem& p);
  bool by_null_space(const LeastInputProblem& p);
  bool by_nlp(const LeastInputProblem& p);
  void come_near(const LeastInputProblem& p);

  int rank_ = 0;
  std::vector<int> row_of_, contradicting_;  // rows of A: of the equations in rows_, and how many of those at its end
  Eigen::MatrixXd rows_, Q_, L_;             // equations of norm 1 in the scaled inputs; L Q = scaled rows
  Eigen::VectorXd right_, column_, row_, part_, again_, size_;
  Qp qp_, reduced_, near_;
  QpWorkspace workspace_;
  QpSolution solution_, other_;
  Eigen::VectorXd u_;
  std::vector<QpConflict> conflict_;
  std::string trouble_;
};

}  // namespace taut
