// Velocity filtering and configuration correction (Arsenault and Gosselin 2005, eqs 29 to 37) against the equations
// written out with dense matrices, and in motion: loops stay closed to rounding, where Baumgarte's terms and nothing at
// all let them drift.
#include <gtest/gtest.h>

#include "taut/solve/dense.h"
#include "tests/formulation/multibody/machines.h"
#include "tests/support/dense.h"

namespace taut::testing {
namespace {

using namespace multibody;

Machine random_machine(unsigned seed) {
  Random random(seed);
  return random_loops(4, 2, random);
}

// Γ† = M⁻¹Γᵀ (Γ M⁻¹ Γᵀ)⁻¹ of the free velocities, eqs (32) and (36).
MatrixXd weighted_inverse(const MatrixXd& M, const MatrixXd& K) {
  const MatrixXd R = solve_symmetric(M, K.transpose());
  LeastSquares inner;
  inner.compute(K * R);
  return R * inner.pseudo_inverse();
}

// A machine off its loops: velocities at random, and positions a step of this size away.
struct Disturbed {
  Moving m;
  VectorXd q, v;

  Disturbed(unsigned seed, double size) : m(random_machine(seed)), v(m.v.size()) {
    Random random(seed + 50);
    VectorXd step(m.v.size());
    for (double& x : v) x = random.between(-1.0, 1.0);
    for (double& x : step) x = size * random.between(-1.0, 1.0);
    q = m.along(m.q, step);
  }
  bool has_plain_loops() const { return m.system.loops.rows > 0 && m.system.redundant == 0; }
};

TEST(MultibodyStabilise, FilterAndCorrectionAreTheMassWeightedInverse) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Disturbed disturbed(seed, 1e-3);
    if (!disturbed.has_plain_loops()) continue;
    auto& [m, q, v] = disturbed;
    m.place(q, v);
    const MatrixXd M = m.mass(), K = m.jacobian(), inverse = weighted_inverse(M, K);
    const VectorXd g = m.loop_values();
    const double growth = M.norm() * dense_inverse(M).norm();
    // (31).
    VectorXd filtered = v;
    filter_velocities(m.system, q.data(), filtered.data(), m.terms);
    EXPECT_LT((filtered - (v - inverse * (K * v))).norm(), 1e-13 * growth * (1.0 + v.norm()));
    // (33), with ⊕ for +.
    VectorXd corrected = q;
    const double before = correct_configuration(m.system, 1, corrected.data(), v.data(), m.terms);
    EXPECT_GT(before, 0.0);
    EXPECT_LT((corrected - m.along(q, -inverse * g)).norm(), 1e-13 * growth);
    // Ten corrections end at rounding, and each squares the error on the way.
    m.place(corrected, v);
    const double once = loop_error(m.system, m.terms);
    correct_configuration(m.system, 1, corrected.data(), v.data(), m.terms);
    m.place(corrected, v);
    EXPECT_LT(loop_error(m.system, m.terms), 0.1 * once + 1e-13);
    correct_configuration(m.system, 8, corrected.data(), v.data(), m.terms);
    m.place(corrected, v);
    EXPECT_LT(loop_error(m.system, m.terms), 1e-14 * std::max(1.0, m.system.length) * growth);
  }
}

// K v̇ = k - k_s g - k_d K v: what the gains add to the rows' accelerations, wherever the loops are.
TEST(MultibodyStabilise, BaumgartesTermsPullBack) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Disturbed disturbed(seed, 1e-2);
    if (!disturbed.has_plain_loops()) continue;
    auto& [m, q, v] = disturbed;
    const VectorXd without = m.accelerate(q, v, 0.0), with = m.accelerate(q, v, 0.0, {30.0, 7.0});
    const MatrixXd K = m.jacobian();
    const VectorXd added = -30.0 * m.loop_values() - 7.0 * (K * v);
    EXPECT_LT((K * (with - without) - added).norm(), 1e-10 * (1.0 + with.norm() + without.norm()) * K.norm());
    EXPECT_GT(added.norm(), 0.1);
  }
}

// Imposed joints keep their positions and velocities; the others take up all of the correction, eqs (34) to (37).
TEST(MultibodyStabilise, ImposedJointsStayWhereTheyBelong) {
  const FourBar bars;
  Machine machine = bars.build(0.4);
  machine.joints[0].start.reset();
  machine.joints[0].motion = [](double t, double* q, double* v, double* a) {
    q[0] = 0.4 + 2.0 * t, v[0] = 2.0, a[0] = 0.0;
  };
  Moving m(machine);
  VectorXd q = m.q, v = m.v;
  q[0] += 1e-3, q[1] -= 2e-3, v[0] += 0.1, v[2] += 0.2;
  drive(m.system, 0.0, m.terms);
  ASSERT_GT(project(m.system, q.data(), v.data(), m.terms), 0.0);
  EXPECT_EQ(q[0], 0.4);
  EXPECT_EQ(v[0], 2.0);
  EXPECT_LT((q - m.q).norm(), 1e-13);
  EXPECT_LT((v - m.v).norm(), 1e-12);
}

// A fall of one second in large steps: projected, filtered and corrected ten times, with Baumgarte's terms, and free.
TEST(MultibodyStabilise, LoopsStayClosedInMotion) {
  const auto drift = [](int corrections, const DriftGains& gains, bool projected) {
    Moving m(FourBar{}.build(1.0));
    constexpr double h = 2e-3;
    double worst = 0.0;
    for (int i = 0; i < 500; ++i) {
      // Semi-implicit steps as in Arsenault and Gosselin (2005), 4.1: velocities, filter, positions, filter,
      // corrections.
      const VectorXd a = m.accelerate(gains);
      m.v += h * a;
      if (corrections > 0) filter_velocities(m.system, m.q.data(), m.v.data(), m.terms);
      m.q += h * m.rates(m.q, m.v);
      m.t += h;
      if (corrections > 0) {
        filter_velocities(m.system, m.q.data(), m.v.data(), m.terms);
        correct_configuration(m.system, corrections, m.q.data(), m.v.data(), m.terms);
      }
      if (projected) project(m.system, m.q.data(), m.v.data(), m.terms);
      m.place();
      worst = std::max(worst, loop_error(m.system, m.terms));
    }
    return worst;
  };
  const double free = drift(0, {}, false), gains = drift(0, {400.0, 40.0}, false);
  EXPECT_GT(free, 1e-3);
  EXPECT_LT(gains, 0.2 * free);
  EXPECT_LT(drift(1, {}, false), 1e-6);
  EXPECT_LT(drift(10, {}, false), 1e-15);
  EXPECT_LT(drift(0, {}, true), 1e-15);
}

// Without mass H has no inverse, but the correction has: along with the loops nothing else moves.
TEST(MultibodyStabilise, WorksWithBodiesWithoutMass) {
  Moving m(Manipulator{}.build());
  Random random(5);
  VectorXd step(m.v.size()), v(m.v.size());
  for (double& x : step) x = 1e-4 * random.between(-1.0, 1.0);
  for (double& x : v) x = random.between(-1.0, 1.0);
  VectorXd q = m.along(m.q, step);
  ASSERT_GT(project(m.system, q.data(), v.data(), m.terms), 0.0);
  m.place(q, v);
  EXPECT_LT(loop_error(m.system, m.terms), 1e-15);
  EXPECT_LT((m.jacobian() * v).norm(), 1e-12);
}

}  // namespace
}  // namespace taut::testing
