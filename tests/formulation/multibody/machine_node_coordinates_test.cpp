// The machine of Arsenault and Gosselin (2005) twice: in joint coordinates by taut, and in node coordinates by the
// equations written out here: consistent masses of the rods, springs, and constraints for rods, cables, knees and
// universal joints with multipliers, integrated with the same restarts at t = 1 and 3 s.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "taut/solve/dense.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// Nodes a, b, c of each leg, 27 coordinates.
class NodeMachine {
 public:
  explicit NodeMachine(const Scenario& scenario) : model_(scenario.model) {
    M_ = Matrix::Zero(27, 27);
    for (int leg = 0; leg < 3; ++leg)
      for (int rod = 0; rod < 2; ++rod)
        for (int axis = 0; axis < 3; ++axis) {
          const int i = 9 * leg + 3 * rod + axis, j = i + 3;
          M_(i, i) += m / 3.0;
          M_(j, j) += m / 3.0;
          M_(i, j) += m / 6.0;
          M_(j, i) += m / 6.0;
        }
    Vec3 middle = Vec3::Zero();
    for (int leg = 0; leg < 3; ++leg) middle += model_.nodes[3 * leg].position / 3.0;
    for (int leg = 0; leg < 3; ++leg)
      e3_[leg] = (middle - model_.nodes[3 * leg].position).normalized().cross(Vec3::UnitZ());
  }

  Vector start() const {
    Vector y = Vector::Zero(54);
    for (int i = 0; i < 9; ++i) y.segment<3>(3 * i) = model_.nodes[i].position;
    return y;
  }

  // Distance a-c of a leg with its rates at t, from the imposed knee.
  void reach(int leg, double t, bool left, double& r, double& v, double& a) const {
    const Signal& s = model_.drives[leg].signal;
    const double w = M_PI / (s.end - s.start), x = std::clamp((t - s.start) / (s.end - s.start), 0.0, 1.0) * M_PI;
    const bool moving = left ? t > s.start && t <= s.end : t >= s.start && t < s.end;
    const double by = s.to - s.from, q = s.from + 0.5 * by * (1.0 - std::cos(x));
    const double qd = moving ? 0.5 * by * w * std::sin(x) : 0.0, qdd = moving ? 0.5 * by * w * w * std::cos(x) : 0.0;
    r = 2.0 * Ls * std::cos(0.5 * q);
    v = -Ls * std::sin(0.5 * q) * qd;
    a = -0.5 * Ls * std::cos(0.5 * q) * qd * qd - Ls * std::sin(0.5 * q) * qdd;
  }

  Vector rate(double t, bool left, const Vector& y) const {
    const auto x = [&](int node) { return Vec3(y.segment<3>(3 * node)); };
    const auto v = [&](int node) { return Vec3(y.segment<3>(27 + 3 * node)); };
    Vector f = Vector::Zero(27);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 6; ++j) {
        if (j == i + 3 || j <= i) continue;
        const int p = 3 * i, q = j < 3 ? 3 * j : 3 * (j - 3) + 2;
        const Vec3 b = x(q) - x(p), u = b.normalized(), pull = K * b + C * u.dot(v(q) - v(p)) * u;
        f.segment<3>(3 * p) += pull;
        f.segment<3>(3 * q) -= pull;
      }
    // Rows: G ẍ = γ.
    Matrix G = Matrix::Zero(24, 27);
    Vector gamma = Vector::Zero(24);
    int row = 0;
    const auto keep = [&](int p, int q, double square_second) {  // ½ d²/dt² |b|² = ½ (ρ²)''
      const Vec3 b = x(q) - x(p), bd = v(q) - v(p);
      G.block<1, 3>(row, 3 * q) = b.transpose();
      G.block<1, 3>(row, 3 * p) = -b.transpose();
      gamma[row++] = square_second - bd.squaredNorm();
    };
    for (int leg = 0; leg < 3; ++leg) {
      const int a = 3 * leg;
      keep(a, a + 1, 0.0);
      keep(a + 1, a + 2, 0.0);
      double r, rd, rdd;
      reach(leg, t, left, r, rd, rdd);
      keep(a, a + 2, rd * rd + r * rdd);
      keep(a + 2, 3 * ((leg + 1) % 3) + 2, 0.0);
      // The plane of the leg holds e₃: e₃·(p × q) = 0 with p = b - a, q = c - a.
      const Vec3 p = x(a + 1) - x(a), q = x(a + 2) - x(a), pd = v(a + 1) - v(a), qd = v(a + 2) - v(a);
      const Vec3 by_p = q.cross(e3_[leg]), by_q = e3_[leg].cross(p);
      G.block<1, 3>(row, 3 * a + 3) = by_p.transpose();
      G.block<1, 3>(row, 3 * a + 6) = by_q.transpose();
      G.block<1, 3>(row, 3 * a) = -(by_p + by_q).transpose();
      gamma[row++] = -2.0 * e3_[leg].dot(pd.cross(qd));
    }
    // A1 fixed, A2 on the x axis, A3 in the plane.
    for (int coordinate : {0, 1, 2, 10, 11, 20}) G(row++, coordinate) = 1.0;
    G.conservativeResize(row, 27);
    gamma.conservativeResize(row);
    Matrix S = Matrix::Zero(27 + row, 27 + row);
    S.topLeftCorner(27, 27) = M_;
    S.topRightCorner(27, row) = -G.transpose();
    S.bottomLeftCorner(row, 27) = G;
    Vector rhs(27 + row);
    rhs << f, gamma;
    const Vector solution = Lu(S).solve(rhs);
    Vector out(54);
    out << y.tail(27), solution.head(27);
    return out;
  }

  // Classical Runge-Kutta in steps that end on t = 1 and 3.
  Vector advance(Vector y, double from, double to, int steps) const {
    const double h = (to - from) / steps;
    for (int k = 0; k < steps; ++k) {
      const double t = from + h * k;
      const Vector k1 = rate(t, false, y), k2 = rate(t + 0.5 * h, false, y + 0.5 * h * k1),
                   k3 = rate(t + 0.5 * h, false, y + 0.5 * h * k2), k4 = rate(t + h, k + 1 == steps, y + h * k3);
      y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return y;
  }

 private:
  static constexpr double m = 2.5, K = 1000.0, C = 100.0;
  const double Ls = std::sqrt(2.0);
  const Model& model_;
  Matrix M_;
  std::array<Vec3, 3> e3_;
};

TEST(MachineNodeCoordinates, SeedTwoMovesTheSameTo1e8) {
  Scenario scenario = generated("three_dof_mechanism");
  scenario.simulation.duration = 4.0;
  scenario.simulation.output_step = 0.5;
  const Motion motion = run(scenario, "dopri5", 1e-12);
  ASSERT_EQ(motion.summary.status, RunStatus::done);
  const NodeMachine nodes(scenario);
  Vector y = nodes.start();
  for (std::size_t row = 1; row < motion.rows.size(); ++row) {
    const double from = motion.rows[row - 1].t, to = motion.rows[row].t;
    y = nodes.advance(y, from, to, 500);
    for (int i = 0; i < 9; ++i)
      EXPECT_LT((Vec3(y.segment<3>(3 * i)) - position(motion.rows[row], i)).norm(), 1e-8) << to << " node " << i;
  }
  EXPECT_GT((position(motion.last(), 2) - position(motion.rows.front(), 2)).norm(), 0.3);
}

}  // namespace
}  // namespace taut::testing
