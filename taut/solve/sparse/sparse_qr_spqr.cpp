#include <Eigen/SparseCore>
#include <cmath>
#include <suitesparse/SuiteSparseQR.hpp>

#include "taut/base/error.h"
#include "taut/solve/sparse/sparse_qr.h"

namespace taut {

struct SparseQr::Content {
  using Index = SuiteSparse_long;
  Eigen::SparseMatrix<double, Eigen::ColMajor, Index> matrix;
  cholmod_common common{};
  SuiteSparseQR_factorization<double>* factor = nullptr;
  std::vector<int> dependent;  // columns, ascending

  Content() {
    cholmod_l_start(&common);
    common.print = 0;  // what it has to say is said by us
  }
  ~Content() {
    if (factor != nullptr) SuiteSparseQR_free<double>(&factor, &common);
    cholmod_l_finish(&common);
  }

  // A matrix of ours as theirs, without a copy.
  static cholmod_dense view(const Eigen::MatrixXd& m) {
    cholmod_dense d{};
    d.nrow = d.d = static_cast<std::size_t>(m.rows());
    d.ncol = static_cast<std::size_t>(m.cols());
    d.nzmax = d.nrow * d.ncol;
    d.x = const_cast<double*>(m.data());
    d.xtype = CHOLMOD_REAL;
    d.dtype = CHOLMOD_DOUBLE;
    return d;
  }
  Eigen::MatrixXd take(cholmod_dense* d) {
    if (d == nullptr) throw RunError(0.0, "out of memory in a sparse factorisation");
    const Eigen::MatrixXd m = Eigen::Map<const Eigen::MatrixXd>(static_cast<const double*>(d->x),
                                                                static_cast<long>(d->nrow), static_cast<long>(d->ncol));
    cholmod_l_free_dense(&d, &common);
    return m;
  }
  Eigen::MatrixXd times_q(int method, const Eigen::MatrixXd& m) {
    cholmod_dense d = view(m);
    return take(SuiteSparseQR_qmult<double>(method, factor, &d, &common));
  }
};

SparseQr::SparseQr(int rows, int columns, const std::vector<SparseEntry>& entries, double tolerance)
    : content_(std::make_unique<Content>()) {
  Content& c = *content_;
  std::vector<Eigen::Triplet<double>> triplets;
  for (const SparseEntry& e : entries) triplets.emplace_back(e.row, e.column, e.value);
  c.matrix.resize(rows, columns);
  c.matrix.setFromTriplets(triplets.begin(), triplets.end());
  if (rows == 0 || columns == 0 || c.matrix.nonZeros() == 0) {
    for (int k = 0; k < columns; ++k) c.dependent.push_back(k);
    return;
  }
  double longest = 0.0;
  for (int k = 0; k < columns; ++k) longest = std::max(longest, c.matrix.col(k).norm());
  cholmod_sparse s{};
  s.nrow = static_cast<std::size_t>(rows);
  s.ncol = static_cast<std::size_t>(columns);
  s.nzmax = static_cast<std::size_t>(c.matrix.nonZeros());
  s.p = c.matrix.outerIndexPtr();
  s.i = c.matrix.innerIndexPtr();
  s.x = c.matrix.valuePtr();
  s.itype = CHOLMOD_LONG;
  s.xtype = CHOLMOD_REAL;
  s.dtype = CHOLMOD_DOUBLE;
  s.sorted = s.packed = 1;
  const double zero = longest > 0.0 ? tolerance * longest : 1.0;
  c.factor = SuiteSparseQR_factorize<double>(SPQR_ORDERING_DEFAULT, zero, &s, &c.common);
  if (c.factor == nullptr) throw RunError(0.0, "out of memory in a sparse factorisation");
  // Dependent columns are exactly 0 in every solution; the others, for right sides at random, are not.
  Eigen::MatrixXd any(rows, 3);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < rows; ++i) any(i, j) = std::sin(1.0 + 7.3 * i + 2.1 * (j + 1) * (i % 97 + 1));
  const Eigen::MatrixXd x = solve_all(any);
  for (int k = 0; k < columns; ++k)
    if (x.row(k).isZero(0.0)) c.dependent.push_back(k);
  if (static_cast<int>(c.dependent.size()) != columns - rank())
    throw RunError(0.0, "rounding hides the rank of the equilibrium matrix");
}

SparseQr::~SparseQr() = default;

int SparseQr::rank() const { return content_->factor == nullptr ? 0 : static_cast<int>(content_->factor->rank); }

Eigen::MatrixXd SparseQr::solve_all(const Eigen::MatrixXd& b) const {
  Content& c = *content_;
  if (c.factor == nullptr) return Eigen::MatrixXd::Zero(c.matrix.cols(), b.cols());
  const Eigen::MatrixXd y = c.times_q(SPQR_QTX, b);
  cholmod_dense d = Content::view(y);
  return c.take(SuiteSparseQR_solve<double>(SPQR_RETX_EQUALS_B, c.factor, &d, &c.common));
}

Eigen::VectorXd SparseQr::solve(const Eigen::VectorXd& b) const {
  Eigen::VectorXd x = solve_all(b);
  x += solve_all(b - content_->matrix * x).col(0);
  return x;
}

Eigen::MatrixXd SparseQr::null_space() const {
  const Content& c = *content_;
  const long count = static_cast<long>(c.dependent.size());
  if (count == 0) return Eigen::MatrixXd::Zero(c.matrix.cols(), 0);
  Eigen::MatrixXd columns(c.matrix.rows(), count);
  for (long j = 0; j < count; ++j) columns.col(j) = c.matrix.col(c.dependent[j]);
  Eigen::MatrixXd z = -solve_all(columns);
  for (long j = 0; j < count; ++j) z(c.dependent[j], j) = 1.0;
  // Once more with what is left.
  z -= solve_all(c.matrix * z);
  return z;
}

Eigen::MatrixXd SparseQr::left_null_space() const {
  const Content& c = *content_;
  const long rows = c.matrix.rows(), count = rows - rank();
  Eigen::MatrixXd last = Eigen::MatrixXd::Zero(rows, count);
  for (long j = 0; j < count; ++j) last(rank() + j, j) = 1.0;
  return count == 0 || c.factor == nullptr ? last : content_->times_q(SPQR_QX, last);
}

Eigen::VectorXd SparseQr::out_of_reach(const Eigen::VectorXd& b) const {
  Content& c = *content_;
  if (c.factor == nullptr || b.size() == 0) return b;
  Eigen::MatrixXd y = c.times_q(SPQR_QTX, b);
  y.topRows(rank()).setZero();
  return c.times_q(SPQR_QX, y);
}

}  // namespace taut
