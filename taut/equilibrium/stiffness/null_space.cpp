#include "taut/equilibrium/stiffness/null_space.h"

#include "taut/equilibrium/tolerances.h"
#include "taut/solve/dense.h"

namespace taut {

Eigen::MatrixXd null_space(const Eigen::MatrixXd& G) {
  const long n = G.cols();
  if (G.rows() == 0 || n == 0) return Eigen::MatrixXd::Identity(n, n);
  // Rows of length 1, so that none is dropped for being small.
  Eigen::MatrixXd rows = G;
  for (long i = 0; i < rows.rows(); ++i)
    if (const double size = rows.row(i).norm(); size > 0.0) rows.row(i) /= size;
  // The rank as the sparse elimination judges it: sines of 1e-6 count as zero.
  PivotedQr qr(rows.transpose());
  qr.set_tolerance(dependent_direction);
  return qr.across(n - qr.rank());
}

}  // namespace taut
