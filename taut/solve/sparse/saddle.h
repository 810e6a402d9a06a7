// Sparse direct solution of the saddle-point system of constrained motion,
//
//   | M  Gᵀ | | a |   | f |
//   | G  0  | | μ | = | γ |        M symmetric positive definite, constant;  G changes with the configuration.
//
// LDLᵀ without pivoting in an order that eliminates every constraint after its own unknowns: the pivots of
// unknowns are then positive and those of constraints negative, so the factorisation exists whenever G has
// full rank. A constraint that depends on those before it meets a pivot of zero and is left out (μ = 0):
// redundant but consistent constraints need nothing else. A constraint with constant coefficients and an unknown that
// is in no other constraint (a node that follows others) only determines that unknown: it is eliminated right after it,
// so that any number of followers costs no more than their number. The order (approximate minimum degree) and the
// pattern of L are found once; factorise and solve allocate nothing. No library offers both the pattern reuse
// and the dropped zero pivots, hence our own elimination (sparse_ldl.h).
#pragma once

#include <utility>
#include <vector>

#include "taut/solve/sparse/sparse_ldl.h"

namespace taut {

struct SparseEntry {
  int row = 0, column = 0;
  double value = 0.0;
};

// The numbers of one factorisation; one per thread.
struct SaddleFactor : LdlFactor {
  int left_out = 0;  // redundant constraints met
};

class Saddle {
 public:
  Saddle() = default;
  // mass: entries of M on and above the diagonal (row <= column). jacobian: where G may be nonzero; values count only
  // in the rows that `constant` marks as never changing.
  // A constraint pivot below `rank_tolerance` times its diagonal of G M⁻¹ Gᵀ (with M's diagonal) counts as zero.
  Saddle(int unknowns, int constraints, const std::vector<SparseEntry>& mass, const std::vector<SparseEntry>& jacobian,
         double rank_tolerance = 1e-12, const std::vector<char>& constant = {});

  int unknowns() const { return unknowns_; }
  int constraints() const { return constraints_; }
  long fill() const { return ldl_.fill(); }

  SaddleFactor make_factor() const;

  // jacobian_values in the order of the constructor's entries.
  void factorise(const double* jacobian_values, SaddleFactor& factor) const;
  // In place: rhs = (f, γ) becomes (a, μ). Size unknowns + constraints.
  void solve(const SaddleFactor& factor, double* rhs, double* scratch) const;
  // Whether every unknown met a positive finite pivot, as it does when M is positive definite.
  bool positive(const SaddleFactor& factor) const;
  // The unknown that a constraint alone determines, or -1.
  int follower(int constraint) const { return follower_[constraint]; }
  // Which constraints the factorisation left out.
  bool left_out(const SaddleFactor& factor, int constraint) const {
    return factor.inverse[place_[unknowns_ + constraint]] == 0.0;
  }

 private:
  // An entry of the permuted matrix above the diagonal: a constant from M or an index into the values of G.
  struct Source {
    int row;
    int index;  // >= 0: jacobian value; -1: constant
    double value;
  };

  void carry_followers(const std::vector<SparseEntry>& jacobian);

  int unknowns_ = 0, constraints_ = 0;
  double rank_tolerance_ = 0.0;
  std::vector<int> place_;         // original index -> place in the elimination order
  std::vector<int> source_start_;  // per column of the permuted matrix
  std::vector<Source> sources_;
  SparseLdl ldl_;
  std::vector<int> constraint_of_place_;  // -1 for an unknown
  std::vector<int> follower_;             // per constraint: the unknown that it alone determines, or -1
  std::vector<double> diagonal_mass_;     // inverse diagonal of M by original unknown, with followers
  std::vector<std::vector<std::pair<int, int>>> constraint_entries_;  // per constraint: (unknown, value index)
};

}  // namespace taut
