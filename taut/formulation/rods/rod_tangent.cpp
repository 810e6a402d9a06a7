// The linearised motion of rods: per rod a block of (δq, δv, μ = c δλ), coupled to other rods by the blocks of the node
// forces.
//
//   δq - c (∂q̇/∂q δq + N δv)                                                    = r_q
//   M δv - c (F(K δx + D δẋ) + ∂R/∂q δq + ∂R/∂w δw) - H μ                        = M r_v
//   G δv + c s (∂ü/∂q δq + ∂ü/∂w δw)                                             = G r_v      (held ends)
//
// Of rods whose length is driven u̇ and ü are those of the ends, u̇ + r u and ü + 2r u̇ + k u (rods.h).
#include <Eigen/LU>

#include "taut/formulation/force_tangent.h"
#include "taut/formulation/node_arrays.h"
#include "taut/formulation/rods/polar_chart.h"
#include "taut/formulation/rods/quaternion_chart.h"
#include "taut/formulation/rods/rod_formulation.h"
#include "taut/solve/semidefinite.h"
#include "taut/solve/sparse/sparse_lu.h"

namespace taut {

namespace {

template <class Chart>
class RodTangent final : public Tangent {
 public:
  RodTangent(const RodFormulation<Chart>& formulation, const Model& model, const Cables& cables)
      : formulation_(formulation),
        rods_(formulation.rods()),
        forces_(model, cables),
        linear_(rods_.rods.size()),
        rod_of_node_(model.nodes.size(), -1) {
    for (std::size_t r = 0; r < rods_.rods.size(); ++r)
      rod_of_node_[rods_.rods[r].a] = rod_of_node_[rods_.rods[r].b] = static_cast<int>(r);
    kept_.assign(rods_.supports.size(), 1);
    grown_.resize(rods_.driven.size());
  }

  void evaluate(const double* q, const double* v, const double* v_rate, const Terms& terms) override {
    forces_.evaluate(terms);
    if (!rods_.driven.empty()) rods_ = formulation_.rods(terms);
    for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
      const Rod& rod = rods_.rods[r];
      const Vec3 g = rod.to_b * at3(terms.force.data(), rod.b) - rod.to_a * at3(terms.force.data(), rod.a);
      Vec3 held = Vec3::Zero();
      for (int k = rod.first_support; k < rod.first_support + rod.supports; ++k)
        held[rods_.supports[k].axis] += rods_.supports[k].side * terms.lambda[k];
      Chart::linearise(rod, q + r * rod_nq + 3, v + r * rod_nv + 3, v_rate + r * rod_nv + 3, g, held, linear_[r]);
      if (rod.driven) Chart::linearise_growth(rod, q + r * rod_nq + 3, v + r * rod_nv + 3, linear_[r]);
      keep_independent(rod, linear_[r]);
    }
    for (std::size_t k = 0; k < grown_.size(); ++k) {
      const std::size_t r = rods_.driven[k].first;
      note_growth(q + r * rod_nq + 3, v + r * rod_nv + 3, v_rate + r * rod_nv + 3, terms, rods_.rods[r], linear_[r],
                  grown_[k]);
    }
    if (pattern_blocks_ != forces_.blocks().size()) build_pattern();
  }

  bool factorise(double c) override {
    c_ = c;
    std::fill(lu_->values().begin(), lu_->values().end(), 0.0);
    next_ = 0;
    fill([&](int, int, double value) { lu_->values()[lu_->place(next_++)] += value; });
    return lu_->factorise();
  }

  void solve(double* r_q, double* r_v) override {
    for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
      const Rod& rod = rods_.rods[r];
      const double* const rv = r_v + r * rod_nv;
      double* const b = rhs_.data() + offset_[r];
      std::copy_n(r_q + r * rod_nq, rod_nq, b);
      for (int i = 0; i < 3; ++i) b[rod_nq + i] = rod.mass * rv[i];
      const Velocity turned = Velocity::Map(rv + 3);
      Velocity::Map(b + rod_nq + 3) = linear_[r].inertia * turned;
      const Vec3 axis = linear_[r].turn * turned;
      for (int k = 0; k < rod.supports; ++k) {
        const Support& s = rods_.supports[rod.first_support + k];
        b[rod_nq + rod_nv + k] = kept_[rod.first_support + k] ? rv[s.axis] + s.side * axis[s.axis] : 0.0;
      }
    }
    lu_->solve(rhs_.data());
    for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
      std::copy_n(rhs_.data() + offset_[r], rod_nq, r_q + r * rod_nq);
      std::copy_n(rhs_.data() + offset_[r] + rod_nq, rod_nv, r_v + r * rod_nv);
    }
  }

  void multiply(const Change& change, double* d_q_rate, double* d_v_rate) override {
    const std::size_t count = rods_.rods.size();
    const std::vector<double> no_q(change.q ? 0 : rod_nq * count, 0.0), no_v(change.v ? 0 : rod_nv * count, 0.0);
    const double* const d_q = change.q ? change.q : no_q.data();
    const double* const d_v = change.v ? change.v : no_v.data();
    // Forces on nodes from the moves of nodes.
    std::vector<Vec3> move(rod_of_node_.size(), Vec3::Zero()), speed = move, force = move;
    for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
      const Rod& rod = rods_.rods[r];
      const Coordinates dq = Coordinates::Map(d_q + r * rod_nq + 3);
      const Velocity dw = Velocity::Map(d_v + r * rod_nv + 3);
      const Vec3 u = linear_[r].u_q * dq, u_rate = linear_[r].u_rate_q * dq + linear_[r].turn * dw;
      for (const auto& [node, side] : {std::pair{rod.a, -rod.to_a}, std::pair{rod.b, rod.to_b}}) {
        move[node] = Vec3::Map(d_q + r * rod_nq) + side * u;
        speed[node] = Vec3::Map(d_v + r * rod_nv) + side * u_rate;
      }
    }
    for (std::size_t k = 0; k < grown_.size(); ++k) {
      const Rod& rod = rods_.rods[rods_.driven[k].first];
      const LengthChange by = length_change(change, rod);
      for (const auto& [node, side] : {std::pair{rod.a, -rod.to_a}, std::pair{rod.b, rod.to_b}}) {
        move[node] += side * by.length * grown_[k].u;
        speed[node] += side * (by.length * grown_[k].u_rate + by.rate * grown_[k].u);
      }
    }
    for (std::size_t k = 0; k < forces_.blocks().size(); ++k) {
      const auto [i, j] = forces_.blocks()[k];
      force[i] += Block::Map(forces_.by_position().data() + 9 * k) * move[j] +
                  Block::Map(forces_.by_velocity().data() + 9 * k) * speed[j];
    }
    for (std::size_t i = 0; change.force && i < force.size(); ++i) force[i] += Vec3::Map(change.force + 3 * i);
    std::size_t driven = 0;
    for (std::size_t r = 0; r < rods_.rods.size(); ++r) {
      const Growth* const grown = rods_.rods[r].driven ? &grown_[driven++] : nullptr;
      accelerate(static_cast<int>(r), force, change, grown, d_q + r * rod_nq, d_v + r * rod_nv, d_q_rate + r * rod_nq,
                 d_v_rate + r * rod_nv);
    }
  }

 private:
  static constexpr int nq = Chart::nq, nv = Chart::nv, rod_nq = 3 + nq, rod_nv = 3 + nv;
  using Coordinates = Eigen::Matrix<double, nq, 1>;
  using Velocity = Eigen::Matrix<double, nv, 1>;
  using Block = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

  static Eigen::Matrix<double, nv, 3> turned_by(const typename Chart::Local& local) {
    return local.inertia.inverse() * local.hold_map;
  }

  // Of a driven rod: the axis, u̇ and ü without what growth adds, W⁻¹(F g + H g_s), what turns the axis, and what the
  // spin changes by with the length.
  struct Growth {
    Vec3 u, u_rate, u_second;
    Velocity pulled, turning, spun;
  };
  // δL/L, δL̇/L, δL̈/L.
  struct LengthChange {
    double length, rate, second;
  };
  static LengthChange length_change(const Change& change, const Rod& rod) {
    const auto of = [&](const double* list) { return list ? list[rod.bar] / rod.length : 0.0; };
    return {of(change.length), of(change.length_rate), of(change.length_second)};
  }

  // Notes the growth, and makes u̇ and ü in `local` those of the ends.
  void note_growth(const double* q, const double* w, const double* w_rate, const Terms& terms, const Rod& rod,
                   typename Chart::Local& local, Growth& grown) const {
    Chart::motion(q, w, grown.u, grown.u_rate);
    grown.u_second = local.turn * Velocity::Map(w_rate) + Chart::turn_bias(q, w);
    const Vec3 g = rod.to_b * at3(terms.force.data(), rod.b) - rod.to_a * at3(terms.force.data(), rod.a);
    Vec3 held = Vec3::Zero();
    for (int k = rod.first_support; k < rod.first_support + rod.supports; ++k)
      held[rods_.supports[k].axis] += rods_.supports[k].side * terms.lambda[k];
    grown.pulled = local.inertia.inverse() * (local.force_map * g + local.hold_map * held);
    grown.turning = Chart::turning(q, w);
    grown.spun = Chart::spin_by_length(rod, q, w);
    local.u_second_q += 2.0 * rod.growth * local.u_rate_q + rod.growth_rate * local.u_q;
    local.u_second_w += 2.0 * rod.growth * local.turn;
    local.u_rate_q += rod.growth * local.u_q;
  }

  // Which supports of a rod count.
  void keep_independent(const Rod& rod, const typename Chart::Local& local) {
    if (rod.supports == 0) return;
    double matrix[36], rhs[6] = {};
    bool kept[6];
    solve_semidefinite(matrix, rhs, support_matrix<nv>(rods_, rod, local.turn, turned_by(local), matrix), kept);
    std::copy_n(kept, rod.supports, kept_.begin() + rod.first_support);
  }

  void accelerate(int r, const std::vector<Vec3>& force, const Change& change, const Growth* grown, const double* d_q,
                  const double* d_v, double* d_q_rate, double* d_v_rate) const {
    const Rod& rod = rods_.rods[r];
    const auto& local = linear_[r];
    const Coordinates dq = Coordinates::Map(d_q + 3);
    const Velocity dw = Velocity::Map(d_v + 3);
    std::copy_n(d_v, 3, d_q_rate);
    Coordinates::Map(d_q_rate + 3) = local.rate_q * dq + local.rate_w * dw;
    Vec3::Map(d_v_rate) = (force[rod.a] + force[rod.b]) / rod.mass;
    const Vec3 g = rod.to_b * force[rod.b] - rod.to_a * force[rod.a];
    auto turned = Velocity::Map(d_v_rate + 3);
    turned = local.inertia.inverse() * (local.force_map * g + local.force_q * dq + local.force_w * dw);
    const LengthChange by = grown ? length_change(change, rod) : LengthChange{};
    if (grown)
      turned += by.length * (grown->spun - grown->pulled) - 2.0 * (by.rate - rod.growth * by.length) * grown->turning;
    if (rod.supports == 0) return;
    double matrix[36], rhs[6];
    const Eigen::Matrix<double, nv, 3> by_supports = turned_by(local);
    support_matrix<nv>(rods_, rod, local.turn, by_supports, matrix);
    Vec3 second = local.turn * turned + local.u_second_q * dq + local.u_second_w * dw;
    const Support* const s = rods_.supports.data() + rod.first_support;
    Vec3 u = local.u_q * dq, u_rate = local.u_rate_q * dq + local.turn * dw;
    if (grown) {
      second += by.length * grown->u_second + 2.0 * by.rate * grown->u_rate + by.second * grown->u;
      u_rate += by.length * grown->u_rate + by.rate * grown->u;
      u += by.length * grown->u;
    }
    const DriftGains& gains = change.gains;
    for (int k = 0; k < rod.supports; ++k) {
      const int axis = s[k].axis;
      rhs[k] = -(d_v_rate[axis] + s[k].side * second[axis]) - gains.position * (d_q[axis] + s[k].side * u[axis]) -
               gains.velocity * (d_v[axis] + s[k].side * u_rate[axis]);
    }
    solve_semidefinite(matrix, rhs, rod.supports);
    for (int k = 0; k < rod.supports; ++k) {
      d_v_rate[s[k].axis] += rhs[k] / rod.mass;
      turned += s[k].side * rhs[k] * by_supports.col(s[k].axis);
    }
  }

  // Every entry of the matrix, always in the same order.
  template <class Add>
  void fill(Add add) const {
    for (std::size_t r = 0; r < rods_.rods.size(); ++r) fill_rod(static_cast<int>(r), add);
    // F(K δx + D δẋ), node by node.
    for (std::size_t k = 0; k < forces_.blocks().size(); ++k) {
      const auto [i, j] = forces_.blocks()[k];
      if (rod_of_node_[i] < 0 || rod_of_node_[j] < 0) continue;
      const Rod &row = rods_.rods[rod_of_node_[i]], &column = rods_.rods[rod_of_node_[j]];
      const auto &left = linear_[rod_of_node_[i]], &right = linear_[rod_of_node_[j]];
      const double side_i = i == row.a ? -row.to_a : row.to_b, side_j = j == column.a ? -column.to_a : column.to_b;
      const Block K = Block::Map(forces_.by_position().data() + 9 * k),
                  D = Block::Map(forces_.by_velocity().data() + 9 * k);
      Eigen::Matrix<double, 3, rod_nq> by_q;
      by_q << K, side_j * (K * right.u_q + D * right.u_rate_q);
      Eigen::Matrix<double, 3, rod_nv> by_v;
      by_v << D, side_j * D * right.turn;
      Eigen::Matrix<double, rod_nv, 3> X;
      X << Eigen::Matrix3d::Identity(), side_i * left.force_map;
      const Eigen::Matrix<double, rod_nv, rod_nq> A = -c_ * X * by_q;
      const Eigen::Matrix<double, rod_nv, rod_nv> B = -c_ * X * by_v;
      const int first_row = offset_[rod_of_node_[i]] + rod_nq, first = offset_[rod_of_node_[j]];
      for (int a = 0; a < rod_nv; ++a) {
        for (int b = 0; b < rod_nq; ++b) add(first_row + a, first + b, A(a, b));
        for (int b = 0; b < rod_nv; ++b) add(first_row + a, first + rod_nq + b, B(a, b));
      }
    }
  }

  template <class Add>
  void fill_rod(int r, Add& add) const {
    const Rod& rod = rods_.rods[r];
    const auto& local = linear_[r];
    const int q = offset_[r], v = q + rod_nq, m = v + rod_nv;
    for (int i = 0; i < 3; ++i) {
      add(q + i, q + i, 1.0);
      add(q + i, v + i, -c_);
      add(v + i, v + i, rod.mass);
    }
    for (int i = 0; i < nq; ++i) {
      for (int j = 0; j < nq; ++j) add(q + 3 + i, q + 3 + j, (i == j ? 1.0 : 0.0) - c_ * local.rate_q(i, j));
      for (int j = 0; j < nv; ++j) add(q + 3 + i, v + 3 + j, -c_ * local.rate_w(i, j));
    }
    for (int i = 0; i < nv; ++i) {
      for (int j = 0; j < nq; ++j) add(v + 3 + i, q + 3 + j, -c_ * local.force_q(i, j));
      for (int j = 0; j < nv; ++j) add(v + 3 + i, v + 3 + j, local.inertia(i, j) - c_ * local.force_w(i, j));
    }
    for (int k = 0; k < rod.supports; ++k) {
      const Support& s = rods_.supports[rod.first_support + k];
      const double on = kept_[rod.first_support + k] ? 1.0 : 0.0;
      add(m + k, m + k, 1.0 - on);
      add(v + s.axis, m + k, -on);
      add(m + k, v + s.axis, on);
      for (int j = 0; j < nv; ++j) {
        add(v + 3 + j, m + k, -on * s.side * local.hold_map(j, s.axis));
        add(m + k, v + 3 + j, on * s.side * (local.turn(s.axis, j) + c_ * local.u_second_w(s.axis, j)));
      }
      for (int j = 0; j < nq; ++j) add(m + k, q + 3 + j, on * c_ * s.side * local.u_second_q(s.axis, j));
    }
  }

  void build_pattern() {
    offset_.clear();
    int size = 0;
    for (const Rod& rod : rods_.rods) {
      offset_.push_back(size);
      size += rod_nq + rod_nv + rod.supports;
    }
    std::vector<std::pair<int, int>> pattern;
    fill([&](int row, int column, double) { pattern.emplace_back(row, column); });
    lu_ = std::make_unique<SparseLu>(size, pattern);
    rhs_.assign(size, 0.0);
    pattern_blocks_ = forces_.blocks().size();
  }

  const RodFormulation<Chart>& formulation_;
  Rods rods_;  // at the last evaluate()
  ForceTangent forces_;
  std::vector<typename Chart::Local> linear_;
  std::vector<int> rod_of_node_;
  std::vector<Growth> grown_;  // per driven rod
  std::vector<char> kept_;     // supports that do not depend on others of their rod
  std::vector<int> offset_;    // first unknown of each rod
  std::size_t pattern_blocks_ = static_cast<std::size_t>(-1);
  std::unique_ptr<SparseLu> lu_;
  std::vector<double> rhs_;
  double c_ = 0.0;
  int next_ = 0;
};

}  // namespace

template <class Chart>
std::unique_ptr<Tangent> RodFormulation<Chart>::make_tangent(const Cables& cables) const {
  return std::make_unique<RodTangent<Chart>>(*this, *model_, cables);
}

template class RodFormulation<PolarChart<false>>;
template class RodFormulation<PolarChart<true>>;
template class RodFormulation<QuaternionChart>;

}  // namespace taut
