#include <Eigen/QR>
#include <Eigen/SVD>

#include "taut/solve/dense.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Svd full_svd(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV(), svd.rank()};
}

MatrixXd householder_q(const MatrixXd& A) { return Eigen::HouseholderQR<MatrixXd>(A).householderQ(); }

MatrixXd orthonormal_columns(const MatrixXd& A) {
  return Eigen::HouseholderQR<MatrixXd>(A).householderQ() * MatrixXd::Identity(A.rows(), A.cols());
}

void times_householder_q(const MatrixXd& A, MatrixXd& X) {
  const Eigen::HouseholderQR<MatrixXd> qr(A);
  X.applyOnTheRight(qr.householderQ());
}

MatrixXd least_squares(const MatrixXd& A, const MatrixXd& b) {
  if (A.size() == 0) return MatrixXd::Zero(A.cols(), b.cols());  // Eigen reads its first entry
  return A.completeOrthogonalDecomposition().solve(b);
}

PivotedQr::PivotedQr(const MatrixXd& A) : qr_(std::make_unique<Eigen::ColPivHouseholderQR<MatrixXd>>(A)) {}
PivotedQr::~PivotedQr() = default;
PivotedQr::PivotedQr(PivotedQr&&) noexcept = default;
void PivotedQr::set_tolerance(double tolerance) { qr_->setThreshold(tolerance); }
long PivotedQr::rank() const { return qr_->rank(); }
double PivotedQr::largest_pivot() const { return qr_->maxPivot(); }
MatrixXd PivotedQr::R() const { return qr_->matrixR().triangularView<Eigen::Upper>(); }
VectorXd PivotedQr::pivots() const { return qr_->matrixR().diagonal().cwiseAbs(); }
std::vector<int> PivotedQr::order() const {
  const auto& indices = qr_->colsPermutation().indices();
  return {indices.begin(), indices.end()};
}
MatrixXd PivotedQr::basis(long columns) const { return qr_->householderQ() * MatrixXd::Identity(qr_->rows(), columns); }
MatrixXd PivotedQr::across(long columns) const {
  MatrixXd result = MatrixXd::Zero(qr_->rows(), columns);
  result.bottomRows(columns).setIdentity();
  result.applyOnTheLeft(qr_->householderQ().setLength(std::min(qr_->rows(), qr_->cols())));
  return result;
}
MatrixXd PivotedQr::solve(const MatrixXd& b) const { return qr_->solve(b); }

using Decomposition = Eigen::CompleteOrthogonalDecomposition<MatrixXd>;
LeastSquares::LeastSquares() : decomposition_(std::make_unique<Decomposition>()) {}
LeastSquares::LeastSquares(double tolerance) : LeastSquares() { decomposition_->setThreshold(tolerance); }
LeastSquares::~LeastSquares() = default;
void LeastSquares::compute(const MatrixXd& A) { decomposition_->compute(A); }
long LeastSquares::rank() const { return decomposition_->rank(); }
MatrixXd LeastSquares::solve(const MatrixXd& b) const { return decomposition_->solve(b); }
MatrixXd LeastSquares::pseudo_inverse() const { return decomposition_->pseudoInverse(); }
MatrixXd LeastSquares::free() const {
  const MatrixXd rows = decomposition_->matrixZ().bottomRows(decomposition_->cols() - rank());
  return decomposition_->colsPermutation() * rows.transpose();
}

Eigen::Quaterniond turn_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  return Eigen::Quaterniond::FromTwoVectors(from, to);
}

}  // namespace taut
