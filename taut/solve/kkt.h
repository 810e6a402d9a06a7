// Sparse solution of constrained motion whose mass matrix changes with the position too,
//
//   | H + KᵀWK   Kᵀ | |  a |   | f |
//   | K          -μ | | -λ | = | k |
//
// by LDLᵀ without pivoting in an order that eliminates every row of K after its own unknowns, as in saddle.h. W
// is diagonal and zero but for rows that bind unknowns without inertia: there H is only semidefinite and H + KᵀWK makes
// up for it, which changes nothing in a where K a = k (with f + KᵀW k for f; solve() adds it). μ = 0 but for damped
// Newton steps. A row that depends on those before it meets a pivot of about zero and is left out (λ = 0). Order and
// pattern are found once; factorise and solve allocate nothing.
#pragma once

#include <utility>
#include <vector>

#include "taut/solve/sparse/sparse_ldl.h"

namespace taut {

struct KktFactor : LdlFactor {
  AlignedDoubles scratch;
  int left_out = 0;   // rows
  int singular = -1;  // an unknown that met no positive pivot, or none
};

class Kkt {
 public:
  using Pattern = std::vector<std::pair<int, int>>;

  Kkt() = default;
  // mass: entries on or below the diagonal; jacobian: (row, unknown). Unknown numbers below 0 are left aside, so that
  // both may hold more than the unknowns. weight: W per row. follower: per row an unknown that it alone determines, or
  // -1 (saddle.h); empty: none.
  Kkt(int unknowns, int rows, const Pattern& mass, const Pattern& jacobian, const std::vector<double>& weight,
      const std::vector<int>& follower = {});

  int unknowns() const { return unknowns_; }
  int rows() const { return rows_; }
  double operations() const { return ldl_.operations(); }  // multiplications of a factorisation, about

  KktFactor make_factor() const;
  // Values in the order of the patterns. A row's pivot below 1e-12 of `size` (what the row's diagonal of K H⁻¹ Kᵀ might
  // have been) counts as zero.
  void factorise(const double* mass, const double* jacobian, const double* size, double mu, KktFactor& factor) const;
  // In place: x = (f, k) becomes (a, -λ). jacobian as in factorise().
  void solve(KktFactor& factor, const double* jacobian, double* x) const;
  bool left_out(const KktFactor& factor, int row) const { return factor.inverse[place_[unknowns_ + row]] == 0.0; }

 private:
  // A part of an entry above the diagonal of the permuted matrix.
  struct Source {
    int row;
    int first, second;  // a mass value (second = mass_value) or K's (second < 0), or a product of two K's
    double weight;
  };
  static constexpr int mass_value = -1, jacobian_value = -2;

  int unknowns_ = 0, rows_ = 0;
  std::vector<int> place_, row_of_place_;
  std::vector<int> source_start_;
  std::vector<Source> sources_;
  SparseLdl ldl_;
  std::vector<double> weight_;
  Pattern jacobian_;  // (row, unknown) with unknown >= 0
  std::vector<int> jacobian_index_;
};

}  // namespace taut
