// Dense decompositions of plain matrices, each compiled once, in dense*.cpp: Eigen's templates for them cost seconds in
// every file that names them. Eigenvalues ascend. Tolerances are relative to the largest pivot; the standard one is
// rounding.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <vector>

namespace taut {

// A = V diag(values) Vᵀ of a symmetric A, of which the lower triangle is read.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  bool converged = true;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);
// A V = B V diag(values), Vᵀ B V = 1, with B positive definite.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

// The same in space: principal moments and axes of inertia, spreads of points.
struct PrincipalAxes {
  Eigen::Vector3d values;
  Eigen::Matrix3d axes;  // columns
};
PrincipalAxes principal_axes(const Eigen::Matrix3d& A);
Eigen::Vector3d principal_values(const Eigen::Matrix3d& A);

// The smallest turn that takes the direction of `from` into that of `to`.
Eigen::Quaterniond turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

// Of a square matrix of any kind.
struct GeneralEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
GeneralEigen general_eigen(const Eigen::MatrixXd& A);
Eigen::VectorXcd general_eigenvalues(const Eigen::MatrixXd& A);

// A = U diag(values) Vᵀ with square U and V; values descend.
struct Svd {
  Eigen::VectorXd values;
  Eigen::MatrixXd U, V;
  long rank = 0;
};
Svd full_svd(const Eigen::MatrixXd& A);

// A x = b with a symmetric A, positive or negative semi-definite: LDLᵀ with pivoting.
Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);
// A x = b with a square A, rows and columns pivoted: for systems that may be nearly singular.
Eigen::MatrixXd solve_full_pivot(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);
// Columns that span what A maps to zero; none where A has full rank.
Eigen::MatrixXd kernel(const Eigen::MatrixXd& A, double tolerance);

// A = Q R without pivoting. Q is square.
Eigen::MatrixXd householder_q(const Eigen::MatrixXd& A);
Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& A);           // the columns of Q that A has
void times_householder_q(const Eigen::MatrixXd& A, Eigen::MatrixXd& X);  // X becomes X Q

// The least x with the least |A x - b|, for any shape and rank of A.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);

// A = P⁻¹ L U with rows pivoted. A stays; `compute` again replaces it.
class Lu {
 public:
  Lu();
  explicit Lu(const Eigen::MatrixXd& A);
  ~Lu();
  Lu(const Lu& other);
  Lu(Lu&&) noexcept;
  Lu& operator=(Lu&&) noexcept;

  void compute(const Eigen::MatrixXd& A);
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::VectorXd pivots() const;

 private:
  std::unique_ptr<Eigen::PartialPivLU<Eigen::MatrixXd>> lu_;
};

// A = L Lᵀ.
class Cholesky {
 public:
  explicit Cholesky(const Eigen::MatrixXd& A);
  ~Cholesky();

  bool positive() const;  // otherwise nothing else holds
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& b) const;  // L⁻¹ b
  Eigen::MatrixXd solve_upper(const Eigen::MatrixXd& b) const;  // L⁻ᵀ b

 private:
  std::unique_ptr<Eigen::LLT<Eigen::MatrixXd>> llt_;
};

// A P = Q R with columns pivoted by their size: ranks, bases of ranges and of what is across them.
class PivotedQr {
 public:
  explicit PivotedQr(const Eigen::MatrixXd& A);
  ~PivotedQr();
  PivotedQr(PivotedQr&&) noexcept;

  void set_tolerance(double tolerance);
  long rank() const;
  double largest_pivot() const;
  Eigen::MatrixXd R() const;                   // upper triangle, as many rows as A or as many as its columns
  Eigen::VectorXd pivots() const;              // |diagonal of R|, descending
  std::vector<int> order() const;              // which column of A each column of R is
  Eigen::MatrixXd basis(long columns) const;   // the first columns of Q
  Eigen::MatrixXd across(long columns) const;  // the last columns of Q
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;

 private:
  std::unique_ptr<Eigen::ColPivHouseholderQR<Eigen::MatrixXd>> qr_;
};

// The decomposition behind least_squares(), for a tolerance of one's own, many right sides, or more than the solution.
class LeastSquares {
 public:
  LeastSquares();
  explicit LeastSquares(double tolerance);
  ~LeastSquares();

  void compute(const Eigen::MatrixXd& A);
  long rank() const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  Eigen::MatrixXd pseudo_inverse() const;
  Eigen::MatrixXd free() const;  // orthonormal columns: what A maps to zero

 private:
  std::unique_ptr<Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>> decomposition_;
};

}  // namespace taut
