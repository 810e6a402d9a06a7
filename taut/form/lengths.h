// Lengths of members as a nonlinear programme; see form/optimise.h.
#pragma once

#include <utility>
#include <vector>

#include "taut/model/model.h"
#include "taut/solve/sparse/saddle.h"

namespace taut {

// Σ coefficient · length + Σ coefficient · coordinate = value.
struct LengthRow {
  std::vector<std::pair<int, double>> terms;  // lengths: of members, then of what is kept besides
  double value = 0.0;
  std::vector<std::pair<int, double>> coordinates = {};  // 3 node + axis
};

class LengthProgramme {
 public:
  // Rows for the members; what bodies, bars with nodes attached and linear constraints keep comes on top, as at the
  // start.
  LengthProgramme(const Model& model, std::vector<double> weight, std::vector<LengthRow> rows);

  int unknowns() const { return static_cast<int>(coordinate_of_.size()); }
  int rows() const { return static_cast<int>(rows_.size()); }
  int coordinate(int unknown) const { return coordinate_of_[unknown]; }

  void lengths(const Eigen::VectorXd& x, Eigen::VectorXd& l) const;  // of members, then of what is kept besides
  double objective(const Eigen::VectorXd& l) const;                  // Σ w l
  Eigen::VectorXd misfit(const Eigen::VectorXd& x) const;            // c per row
  Eigen::VectorXd forces(const Eigen::VectorXd& multiplier) const;   // t per length
  // Σ t ∂l/∂x + Σ y ∂(coordinates)/∂x on the unknowns, t the forces of the multipliers y.
  Eigen::VectorXd gradient(const Eigen::VectorXd& x, const Eigen::VectorXd& multiplier) const;
  // Σ t ∂²l/∂x² on and above the diagonal, entries repeated.
  void curvature(const Eigen::VectorXd& x, const Eigen::VectorXd& t, std::vector<SparseEntry>& entries) const;
  // ∂c/∂x.
  void jacobian(const Eigen::VectorXd& x, std::vector<SparseEntry>& entries) const;

 private:
  std::vector<double> weight_;
  std::vector<LengthRow> rows_;
  std::vector<std::vector<int>> paths_;  // per length
  std::vector<int> unknown_of_, coordinate_of_;
};

}  // namespace taut
