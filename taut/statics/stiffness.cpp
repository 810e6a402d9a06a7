#include "taut/statics/stiffness.h"

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/solve/dense.h"
#include "taut/solve/spectrum.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Motions of whole parts beyond this number are taken out by projection alone.
constexpr int most_bordered = 300;

// By the distance of each from the span of those before it.
std::vector<char> dependent_rows(int unknowns, int rows, std::vector<SparseEntry> gradient, double tolerance) {
  sum_repeated(gradient);
  std::vector<SparseEntry> identity;
  for (int i = 0; i < unknowns; ++i) identity.push_back({i, i, 1.0});
  std::vector<double> values;
  for (const SparseEntry& e : gradient) values.push_back(e.value);
  const Saddle saddle(unknowns, rows, identity, gradient, tolerance * tolerance);
  SaddleFactor factor = saddle.make_factor();
  saddle.factorise(values.data(), factor);
  std::vector<char> dependent(rows, 0);
  for (int k = 0; k < rows; ++k) dependent[k] = saddle.left_out(factor, k);
  return dependent;
}

}  // namespace

WholeMotions neutral_motions(const StaticRows& rows, const WholeMotions& rigid, const VectorXd& forces) {
  if (rigid.count == 0 || rigid.count > most_bordered) return rigid;
  WholeMotions neutral = rigid;
  neutral.count = 0;
  const MatrixXd R = rigid.dense(rows.unknowns());
  MatrixXd KR = MatrixXd::Zero(R.rows(), R.cols());
  // By the members' own: forces that cancel each other leave a sum of rounding.
  double scale = 0.0;
  for (std::size_t k = 0; k < rows.rows.size(); ++k)
    each_piece(rows.rows[k].path, rows.start, [&](int, int, const Vec3&, double l) {
      scale = std::max(scale, std::abs(forces[static_cast<long>(k)]) / l);
    });
  for (const SparseEntry& e : geometric_stiffness(rows, forces)) {
    KR.row(e.row) += e.value * R.row(e.column);
    if (e.row != e.column) KR.row(e.column) += e.value * R.row(e.row);
  }
  const MatrixXd all = R.transpose() * KR;
  long first = 0;
  for (WholeMotions::Part& part : neutral.parts) {
    const long size = part.fields.cols();
    if (size == 0) continue;
    const bool supported = size < 6;
    const SymmetricEigen own = symmetric_eigen(all.block(first, first, size, size));
    std::vector<long> free;
    for (long k = 0; k < size; ++k)
      if (!supported || !(std::abs(own.values[k]) > 1e-9 * scale)) free.push_back(k);
    first += size;
    if (static_cast<long>(free.size()) < size) {
      MatrixXd fields(part.fields.rows(), static_cast<long>(free.size()));
      for (std::size_t k = 0; k < free.size(); ++k)
        fields.col(static_cast<long>(k)) = part.fields * own.vectors.col(free[k]);
      part.fields = fields;
    }
    neutral.count += static_cast<int>(part.fields.cols());
  }
  return neutral;
}

// (K + σ)⁻¹ along G_r d = 0 and across the rigid motions R: with Y = (K + σ)⁻¹R, what (K + σ)⁻¹ gives, less its part
// along Y.
struct StaticStiffness::Factor {
  Saddle saddle;
  SaddleFactor numbers;
  MatrixXd R, Y;
  Lu border;
  mutable std::vector<double> rhs, scratch;

  VectorXd plain(const VectorXd& f) const {
    std::fill(rhs.begin(), rhs.end(), 0.0);
    std::copy(f.begin(), f.end(), rhs.begin());
    saddle.solve(numbers, rhs.data(), scratch.data());
    return Eigen::Map<const VectorXd>(rhs.data(), f.size());
  }
  VectorXd solve(const VectorXd& f) const {
    VectorXd d = plain(f);
    if (R.cols() > 0) d -= Y * border.solve(VectorXd(R.transpose() * d));
    return d;
  }
};

StaticStiffness::~StaticStiffness() = default;

StaticStiffness::StaticStiffness(const StaticRows& rows, const WholeMotions& rigid, TangentParts parts,
                                 double tolerance)
    : rigid_(rigid), parts_(std::move(parts)), unknowns_(rows.unknowns()) {
  matrix_ = parts_.material;
  matrix_.insert(matrix_.end(), parts_.geometric.begin(), parts_.geometric.end());
  sum_repeated(matrix_);
  VectorXd sums = VectorXd::Zero(unknowns_);
  for (const SparseEntry& e : matrix_) {
    sums[e.row] += std::abs(e.value);
    if (e.row != e.column) sums[e.column] += std::abs(e.value);
  }
  scale_ = unknowns_ > 0 ? sums.maxCoeff() : 0.0;
  // Rows that keep their value: rigid bars and all that is inner.
  const int members = static_cast<int>(rows.members.size());
  std::vector<SparseEntry> gradient = free_gradients(rows, rows.start);
  std::erase_if(gradient, [&](const SparseEntry& e) { return e.row < members && !rows.members[e.row].rigid; });
  const std::vector<char> dependent =
      dependent_rows(unknowns_, static_cast<int>(rows.rows.size()), gradient, tolerance);
  std::erase_if(gradient, [&](const SparseEntry& e) { return dependent[e.row]; });
  const double stiff = scale_ > 0.0 ? scale_ : 1.0;
  for (std::size_t first = 0, last = 0; first < gradient.size(); first = last) {
    const int row = gradient[first].row;
    while (last < gradient.size() && gradient[last].row == row) ++last;
    double square = 0.0;
    for (std::size_t i = first; i < last; ++i) square += gradient[i].value * gradient[i].value;
    if (!(square > 1e-20)) continue;
    for (std::size_t i = first; i < last; ++i) {
      kept_.push_back({kept_rows_, gradient[i].column, gradient[i].value});
      for (std::size_t j = first; j < last; ++j)
        if (gradient[i].column <= gradient[j].column)
          penalty_.push_back(
              {gradient[i].column, gradient[j].column, 2.0 * stiff / square * gradient[i].value * gradient[j].value});
    }
    ++kept_rows_;
  }
  sum_repeated(kept_);
}

std::unique_ptr<StaticStiffness::Factor> StaticStiffness::factorise(double shift) const {
  std::vector<SparseEntry> matrix = matrix_;
  matrix.insert(matrix.end(), penalty_.begin(), penalty_.end());
  for (int i = 0; i < unknowns_; ++i) matrix.push_back({i, i, shift});
  sum_repeated(matrix);
  std::vector<double> values;
  for (const SparseEntry& e : kept_) values.push_back(e.value);
  auto factor = std::make_unique<Factor>();
  factor->saddle = Saddle(unknowns_, kept_rows_, matrix, kept_, dependent_constraint);
  factor->numbers = factor->saddle.make_factor();
  factor->saddle.factorise(values.data(), factor->numbers);
  if (!factor->saddle.positive(factor->numbers)) return nullptr;
  factor->rhs.assign(unknowns_ + kept_rows_, 0.0);
  factor->scratch = factor->rhs;
  if (rigid_.count > 0 && rigid_.count <= most_bordered) {
    factor->R = rigid_.dense(unknowns_);
    factor->Y.resize(unknowns_, rigid_.count);
    for (int k = 0; k < rigid_.count; ++k) factor->Y.col(k) = factor->plain(factor->R.col(k));
    factor->border.compute(factor->R.transpose() * factor->Y);
    if (!factor->Y.allFinite()) return nullptr;
  }
  return factor;
}

VectorXd StaticStiffness::times(const VectorXd& d) const {
  VectorXd f = VectorXd::Zero(d.size());
  for (const SparseEntry& e : matrix_) {
    f[e.row] += e.value * d[e.column];
    if (e.row != e.column) f[e.column] += e.value * d[e.row];
  }
  return f;
}

std::optional<SoftestMotion> StaticStiffness::softest() const {
  if (unknowns_ == 0) return std::nullopt;
  const double scale = scale_ > 0.0 ? scale_ : 1.0;
  EigenOperators of{unknowns_, 0, faint_stiffness * scale, {}, {}, {}};
  std::unique_ptr<Factor> factor = factorise(of.shift);
  while (!factor && of.shift < 1e2 * scale) factor = factorise(of.shift *= 10.0);
  if (!factor) return std::nullopt;
  of.freedoms = unknowns_ - kept_rows_ + factor->numbers.left_out - rigid_.count;
  of.solve = [&](MatrixXd& X) {
    for (long j = 0; j < X.cols(); ++j) {
      VectorXd v = X.col(j);
      rigid_.remove(v);
      v = factor->solve(v);
      rigid_.remove(v);
      X.col(j) = v;
    }
  };
  of.stiffness = [&](const MatrixXd& X) {
    MatrixXd product(X.rows(), X.cols());
    for (long j = 0; j < X.cols(); ++j) product.col(j) = times(X.col(j));
    return product;
  };
  const Eigenpairs lowest = lowest_eigenpairs(of, 1);
  if (lowest.values.size() == 0) return std::nullopt;
  return SoftestMotion{lowest.values[0], lowest.vectors.col(0), lowest.converged};
}

bool StaticStiffness::positive() const { return factorise(faint_stiffness * (scale_ > 0.0 ? scale_ : 1.0)) != nullptr; }

std::optional<VectorXd> StaticStiffness::displacement(const VectorXd& f) const {
  // What is left of the shift goes with repetition.
  std::unique_ptr<Factor> factor = factorise(faint_stiffness * (scale_ > 0.0 ? scale_ : 1.0));
  if (!factor) return std::nullopt;
  VectorXd d = VectorXd::Zero(unknowns_), force = f;
  rigid_.remove(force);
  for (int pass = 0; pass < 100; ++pass) {
    VectorXd rest = force - times(d);
    rigid_.remove(rest);
    VectorXd step = factor->solve(rest);
    rigid_.remove(step);
    d += step;
    if (!d.allFinite()) return std::nullopt;
    if (step.norm() <= 1e-12 * d.norm()) return d;
  }
  return std::nullopt;
}

}  // namespace taut
