#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "taut/solve/dense.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd solve_symmetric(const MatrixXd& A, const MatrixXd& b) { return A.ldlt().solve(b); }

MatrixXd solve_full_pivot(const MatrixXd& A, const MatrixXd& b) { return A.fullPivLu().solve(b); }

MatrixXd kernel(const MatrixXd& A, double tolerance) {
  Eigen::FullPivLU<MatrixXd> lu(A);
  lu.setThreshold(tolerance);
  if (lu.rank() == A.cols()) return MatrixXd(A.cols(), 0);
  return lu.kernel();
}

using PartialLu = Eigen::PartialPivLU<MatrixXd>;
Lu::Lu() : lu_(std::make_unique<PartialLu>()) {}
Lu::Lu(const MatrixXd& A) : lu_(std::make_unique<PartialLu>(A)) {}
Lu::~Lu() = default;
Lu::Lu(const Lu& other) : lu_(std::make_unique<PartialLu>(*other.lu_)) {}
Lu::Lu(Lu&&) noexcept = default;
Lu& Lu::operator=(Lu&&) noexcept = default;
void Lu::compute(const MatrixXd& A) { lu_->compute(A); }
MatrixXd Lu::solve(const MatrixXd& b) const { return lu_->solve(b); }
VectorXd Lu::solve(const VectorXd& b) const { return lu_->solve(b); }
VectorXd Lu::pivots() const { return lu_->matrixLU().diagonal(); }

Cholesky::Cholesky(const MatrixXd& A) : llt_(std::make_unique<Eigen::LLT<MatrixXd>>(A)) {}
Cholesky::~Cholesky() = default;
bool Cholesky::positive() const { return llt_->info() == Eigen::Success; }
MatrixXd Cholesky::solve(const MatrixXd& b) const { return llt_->solve(b); }
MatrixXd Cholesky::solve_lower(const MatrixXd& b) const { return llt_->matrixL().solve(b); }
MatrixXd Cholesky::solve_upper(const MatrixXd& b) const { return llt_->matrixU().solve(b); }

}  // namespace taut
