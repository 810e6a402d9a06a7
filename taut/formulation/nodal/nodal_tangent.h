// Implicit steps of the nodal formulation. With δq = r_q + c δv the system (I - cJ) δ = r becomes, per free coordinate
// and constraint,
//
//   | M - cD - c²K'   -Gᵀ | | δv  |   | M r_v + c K' r_q          |
//   | G + 2cĠ + c²Ä    0  | | cδλ | = | G r_v - c Ä r_q           |
//
// K' = ∂f/∂x + ∂(Gᵀλ)/∂x, D = ∂f/∂ẋ; rows of Ġ and Ä hold ḃ and the relative acceleration of a bar's ends where G holds
// b.
//
// The matrix A is symmetric but for 2cĠ + c²Ä and, in K', the turning of damped cables, T_r g (Hẋ)ᵀ (cable_tangent.h),
// which stands beside c T_r g gᵀ in D. Both are of the order of the angle by which a bar or cable turns within c. S is
// A without them (the right side has all): LDLᵀ takes half the room and time of an LU, which counts most where the
// factor no longer fits into the cache. Newton's iteration with S leaves a share of the error, the size of S⁻¹(S - A),
// that missed_share() estimates; while it is at most `error_share`, S serves. H = M - cD - c²K' need not be positive
// where bars are compressed, but
//   H + Gᵀ W G,   with Gᵀ W (right side of the constraints) added to the right side,
// has the same solution and is positive whenever the structure is stable. Where a pivot has the wrong sign
// nevertheless, and with contact or sliding friction, A is factorised.
#pragma once

#include <array>
#include <memory>

#include "taut/formulation/force_tangent.h"
#include "taut/formulation/nodal/nodal.h"
#include "taut/formulation/tangent.h"
#include "taut/solve/kkt.h"
#include "taut/solve/sparse/sparse_lu.h"

namespace taut {

class NodalTangent final : public Tangent {
 public:
  NodalTangent(const Nodal& nodal, const Cables& cables);

  void evaluate(const double* q, const double* v, const double* v_rate, const Terms& terms) override;
  bool factorise(double c) override;
  void solve(double* r_q, double* r_v) override;
  void multiply(const Change& change, double* d_q_rate, double* d_v_rate) override;

 private:
  struct Entry {
    int row, column;  // unknowns
    double value;     // constant, or coefficient
    int source;       // index of the value, -1: constant
    int place;        // in pattern_
  };
  struct BarRow {
    int a, b;
    int constraint;  // row of G
    int row;         // of the matrix
    int left_out;    // constraint number in the coupled group, -1 for a lone bar
  };

  void number_unknowns();
  void collect_entries();
  template <class F>
  void each_stiffener(const F& f) const;
  std::vector<std::pair<int, int>> lower_entries() const;
  std::vector<int> followers(int rows) const;
  void make_symmetric();
  void stiffen_bars(std::vector<double>& values);
  void make_full();
  // The matrix into `values`, the k-th entry of the pattern at place[k].
  void assemble(const std::vector<int>& place, bool full, std::vector<double>& values) const;
  bool factorise_symmetric();
  bool factorise_full();
  void solve_symmetric();
  double missed_share();
  double by_length(const Nodal::RigidBar& bar, const Change& change) const;
  bool turns() const { return c_ != 0.0 && moving_; }
  void add_product(const std::vector<double>& blocks, double factor, const double* r, double* out) const;
  // A change with nothing along fixed axes.
  const double* free_part(const double* change) {
    free_.assign(change, change + nodal_.facts_.nv);
    for (int i : nodal_.still_) free_[i] = 0.0;
    return free_.data();
  }

  const Nodal& nodal_;
  ForceTangent forces_;
  std::vector<int> unknown_of_, coordinate_of_;
  std::vector<BarRow> bars_;
  int first_linear_ = 0, size_ = 0;
  std::vector<std::pair<int, int>> pattern_;      // of the full matrix, with repeats
  std::vector<Entry> mass_, bar_force_;           // upper left block
  std::vector<std::array<int, 9>> force_places_;  // of every block of forces; -1: fixed
  std::vector<Entry> bar_row_, linear_row_;       // constraint rows
  std::vector<int> bar_column_place_, linear_column_place_, diagonal_place_;
  std::vector<double> lambda_;
  std::vector<double> b_, b_rate_, b_acceleration_;  // 3 per bar row
  std::vector<char> off_;                            // constraint rows that are left out
  int off_count_ = 0;
  bool moving_ = false;
  std::size_t blocks_placed_ = 0;  // of the forces, in the matrix

  // The symmetric matrix: values of H on and below its diagonal, then those of G, then what lies elsewhere.
  std::unique_ptr<Kkt> ldl_;
  KktFactor ldl_factor_;
  std::vector<int> symmetric_place_, h_diagonal_;
  std::vector<std::array<int, 36>> stiffener_place_;  // of b bᵀ on both ends of a bar
  std::vector<double> symmetric_values_, row_size_, stiffener_;
  int first_g_ = 0;
  std::vector<double> probe_, everything_;  // of missed_share(), of length 1
  bool symmetric_ = false;                  // which of the two is factorised
  int wait_ = 0;                            // factorisations until the next attempt

  std::unique_ptr<SparseLu> lu_;  // once it is needed
  std::vector<int> full_place_;
  std::vector<double> rhs_, free_;
  double c_ = 0.0, time_ = 0.0;
};

}  // namespace taut
