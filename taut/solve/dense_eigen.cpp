#include <Eigen/Eigenvalues>

#include "taut/solve/dense.h"

namespace taut {

using Eigen::MatrixXd;

namespace {

template <class Solver>
SymmetricEigen taken(const Solver& solver) {
  return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

}  // namespace

SymmetricEigen symmetric_eigen(const MatrixXd& A) { return taken(Eigen::SelfAdjointEigenSolver<MatrixXd>(A)); }

Eigen::VectorXd symmetric_eigenvalues(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen symmetric_eigen(const MatrixXd& A, const MatrixXd& B) {
  return taken(Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(A, B));
}

PrincipalAxes principal_axes(const Eigen::Matrix3d& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::Vector3d principal_values(const Eigen::Matrix3d& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

GeneralEigen general_eigen(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXcd general_eigenvalues(const MatrixXd& A) { return Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues(); }

}  // namespace taut
