// Eigenpairs of K x = λ M x along constraints, by block Lanczos on (K + σM)⁻¹M, which the caller gives as operators.
//
// Ours and not Spectra's: its Lanczos is single-vector, and misses copies of the multiple eigenvalues that symmetric
// structures have. A block of b vectors finds up to b copies of each. Every vector is kept and made orthogonal to all
// before it, in M.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <random>

namespace taut {

struct EigenOperators {
  using Matrix = Eigen::MatrixXd;
  long unknowns = 0;
  int freedoms = 0;    // dimension of what solve() gives: unknowns, less constraints, less rigid motions taken out
  double shift = 0.0;  // σ
  std::function<void(Matrix&)> solve;              // X becomes (K + σM)⁻¹X along the constraints
  std::function<Matrix(const Matrix&)> stiffness;  // K X; may be empty for nearest_eigenpair
  std::function<Matrix(const Matrix&)> mass;       // M X; empty: M = 1
};

// A space that grows block by block.
class KrylovSpace {
 public:
  // `start`: the first vectors, random ones fill up the block.
  KrylovSpace(const EigenOperators& operators, int block, const Eigen::MatrixXd& start = {});

  // Goes on from the last block, or from random vectors after restart() and where the space ended.
  void grow();
  void restart() { fresh_.resize(0, 0); }
  bool full() const { return V_.cols() >= of_.freedoms || fruitless_ >= 3; }

  long size() const { return V_.cols(); }
  const Eigen::MatrixXd& vectors() const { return V_; }      // V, VᵀMV = 1
  const Eigen::MatrixXd& mass_times() const { return MV_; }  // M V
  const Eigen::MatrixXd& solved() const { return OV_; }      // (K + σM)⁻¹M V

  // Ritz values θ of (K + σM)⁻¹M, the `count` largest, of the largest size where `by_size`; λ = 1/θ - σ. Returns how many
  // of the first leave less than `good` of θ in their equation. `y`: their coefficients in V.
  int ritz(int count, double good, Eigen::VectorXd& value, Eigen::MatrixXd* y = nullptr, bool by_size = false) const;

 private:
  Eigen::MatrixXd times_mass(const Eigen::MatrixXd& X) const { return of_.mass ? of_.mass(X) : X; }
  Eigen::MatrixXd apply(const Eigen::MatrixXd& X) const;
  void take_out(Eigen::VectorXd& x) const;
  void put_back(Eigen::VectorXd& x) const;
  void join(const Eigen::MatrixXd& X);

  const EigenOperators& of_;
  int block_;
  int fruitless_ = 0;  // blocks in a row that added nothing
  Eigen::MatrixXd V_, MV_, OV_, T_, fresh_, start_;
  std::mt19937_64 random_{1};
};

struct Eigenpairs {
  Eigen::VectorXd values;     // λ, ascending
  Eigen::MatrixXd vectors;    // columns, xᵀM x = 1
  Eigen::VectorXd residuals;  // |x - (λ + σ)(K + σM)⁻¹M x| in M, without its part in the space that was searched
  bool converged = false;     // all residuals are below the tolerance
};

// The `count` algebraically lowest, for a σ that makes K + σM positive definite. The block has at least `count` vectors,
// so that no copy of a multiple eigenvalue is missed. λ is off by about tolerance² of the largest.
Eigenpairs lowest_eigenpairs(const EigenOperators& operators, int count, const Eigen::MatrixXd& start = {},
                             double tolerance = 1e-10);

// A vector with parts along every mode.
Eigen::VectorXd many_directions(long size);

// The one nearest to -σ; K + σM may be indefinite. Of a multiple eigenvalue the vector that is in `start`.
Eigenpairs nearest_eigenpair(const EigenOperators& operators, const Eigen::VectorXd& start, double tolerance = 1e-9);

}  // namespace taut
