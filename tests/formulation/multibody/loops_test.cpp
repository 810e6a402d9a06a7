// Loops: the rows of K and k against differences; sparse elimination, range method, independent coordinates and a dense
// solution agree; rows that depend on others are counted and harm nothing.
#include <gtest/gtest.h>

#include "taut/solve/dense.h"
#include "tests/formulation/multibody/linkages.h"
#include "tests/support/differences.h"

namespace taut::testing {
namespace {

using namespace multibody;

constexpr unsigned machines = 80;

Machine random_machine(unsigned seed) {
  Random random(seed);
  const int bodies = 3 + static_cast<int>(seed % 5);
  return random_loops(bodies, 1 + static_cast<int>(seed % 3), random);
}

// What is left of x that the rows of A do not reach.
struct Dense {
  VectorXd a, lambda;
  double condition;
};
Dense solve_dense(const MatrixXd& H, const MatrixXd& K, const VectorXd& x, const VectorXd& k) {
  const long n = H.rows(), m = K.rows();
  MatrixXd A = MatrixXd::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = H;
  A.topRightCorner(n, m) = -K.transpose();
  A.bottomLeftCorner(m, n) = K;
  VectorXd b(n + m);
  b << x, k;
  const VectorXd all = least_squares(A, b);
  const Svd svd = full_svd(K);
  const double range = svd.rank > 0 ? svd.values[0] / svd.values[svd.rank - 1] : 1.0;
  const VectorXd eigen = symmetric_eigenvalues(H);
  return {all.head(n), all.tail(m), range * range * eigen.maxCoeff() / eigen.minCoeff()};
}

TEST(MultibodyLoops, RowsAreTheDerivativesOfWhatTheyKeep) {
  int joints = 0, distances = 0, sums = 0;
  for (unsigned seed = 0; seed < machines; ++seed) {
    SCOPED_TRACE(seed);
    Moving m(random_machine(seed));
    joints += static_cast<int>(m.system.loops.joints.size());
    distances += static_cast<int>(m.system.loops.distances.size());
    sums += static_cast<int>(m.system.loops.sums.size());
    Random random(seed + 1000);
    VectorXd any(m.v.size());
    for (double& x : any) x = random.between(-1.0, 1.0);
    m.place();
    EXPECT_LT(m.loop_values().cwiseAbs().maxCoeff(), 1e-13);
    const MatrixXd K = m.jacobian();
    const VectorXd g_rate = derivative([&](double s) {
      m.place(m.along(m.q, s * any), m.v);
      return m.loop_values();
    });
    EXPECT_LT((g_rate - K * any).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + (K * any).cwiseAbs().maxCoeff()));
    // K̇ v = -k along a motion that keeps the loops closed.
    EXPECT_LT((K * m.v).cwiseAbs().maxCoeff(), 1e-11 * (1.0 + m.v.cwiseAbs().maxCoeff()) * K.cwiseAbs().maxCoeff());
    const VectorXd bend = derivative([&](double s) {
      m.place(m.along(m.q, s * m.v), m.v);
      return VectorXd(m.jacobian() * m.v);
    });
    m.place();
    accelerations(m.system.tree, nullptr, m.terms.tree);
    loop_bias(m.system.loops, m.system.tree, m.terms.tree, m.terms.loops);
    const VectorXd k = VectorXd::Map(m.terms.loops.k.data(), m.system.loops.rows);
    EXPECT_LT((bend + k).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + k.cwiseAbs().maxCoeff() + m.v.squaredNorm()));
  }
  EXPECT_GT(joints, 50);
  EXPECT_GT(distances, 15);
  EXPECT_GT(sums, 15);
}

TEST(MultibodyLoops, FourWaysToTheAccelerationsAgree) {
  for (unsigned seed = 0; seed < machines; ++seed) {
    SCOPED_TRACE(seed);
    const Machine machine = random_machine(seed);
    Random random(seed + 2000);
    Moving sparse(machine, Method::sparse), range(machine, Method::range);
    ASSERT_EQ(sparse.system.method, Method::sparse);
    ASSERT_EQ(range.system.method, Method::range);
    for (Vec3& f : sparse.forces) f = random.vector(10.0);
    range.forces = sparse.forces;
    const DriftGains gains{100.0, 20.0};
    const VectorXd a = sparse.accelerate(gains), b = range.accelerate(gains);
    const VectorXd lambda = VectorXd::Map(sparse.terms.lambda.data(), sparse.system.loops.rows);
    // The equations as they stand, by a dense decomposition.
    equations((sparse.place(), sparse.system), sparse.q.data(), sparse.v.data(), gains, sparse.terms);
    const MatrixXd H = sparse.mass(), K = sparse.jacobian();
    const Dense dense = solve_dense(H, K, VectorXd::Map(sparse.terms.bias.data(), a.size()),
                                    VectorXd::Map(sparse.terms.lambda.data(), sparse.system.loops.rows));
    // Rounding, some ten operations deep, grows with the condition of K H⁻¹ Kᵀ at most.
    const double tolerance = 1e-14 * std::max(1e2, dense.condition) * (1.0 + dense.a.cwiseAbs().maxCoeff());
    EXPECT_LT((a - dense.a).cwiseAbs().maxCoeff(), tolerance) << dense.condition;
    EXPECT_LT((b - dense.a).cwiseAbs().maxCoeff(), tolerance) << dense.condition;
    Independent reduced(sparse.system);
    const VectorXd c = sparse.accelerate(reduced, gains);
    EXPECT_LT((c - dense.a).cwiseAbs().maxCoeff(), tolerance) << dense.condition;
    EXPECT_LE(reduced.largest_entry(), Independent::worst);
    EXPECT_EQ(sparse.redundant(reduced), sparse.system.redundant);
    EXPECT_EQ(static_cast<int>(reduced.independent().size()), sparse.system.degrees_of_freedom);
    EXPECT_LT((K * reduced.G()).norm(), 1e-12 * (1.0 + K.norm()) * (1.0 + reduced.G().norm()));
    // Inverse dynamics gives back the torques.
    VectorXd torque(a.size());
    sparse.accelerate(gains);
    inverse(sparse.system, a.data(), lambda.data(), sparse.terms, torque.data());
    const double effort =
        1.0 + (H.cwiseAbs() * a.cwiseAbs()).maxCoeff() + (K.cwiseAbs().transpose() * lambda.cwiseAbs()).maxCoeff();
    for (int i = 0; i < a.size(); ++i)
      EXPECT_NEAR(torque[i], sparse.terms.applied[i] + sparse.terms.internal[i], 1e-12 * effort);
  }
}

TEST(MultibodyLoops, EnergyStaysWhereNothingDissipates) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Machine machine = random_loops(4, 2, random);
    for (Connection& c : machine.joints) {
      c.joint.passive.damping.fill(0.0);
      c.joint.passive.friction.fill(0.0);
      if (auto* cable = std::get_if<Involute>(&c.joint.kind)) cable->material = {120.0, 0.0, true, true};
      if (auto* cable = std::get_if<TwoPulley>(&c.joint.kind)) cable->material = {120.0, 0.0, true, true};
      c.velocity.fill(0.1);
    }
    Moving m(machine);
    const double energy = m.energy();
    m.advance(2e-4, 500);
    m.place();
    EXPECT_LT(m.loop_values().cwiseAbs().maxCoeff(), 1e-13 * m.system.length);
    EXPECT_NEAR(m.energy(), energy, 1e-8 * (1.0 + std::abs(energy) + kinetic_energy(m.system.tree, m.terms.tree)));
  }
}

// A planar four-bar linkage, wherever its plane lies: closed by a spatial revolute joint it has three rows too many.
TEST(MultibodyLoops, RedundantRowsAreCountedAndChangeNothing) {
  const FourBar bars;
  for (unsigned seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Transform frame = seed == 0 ? Transform{} : random_frame(random);
    const double angle = random.between(-3.0, 3.0);
    struct Case {
      JointKind closing;
      int redundant;
    };
    VectorXd first;
    for (const Case& c : {Case{Revolute{2}, 3}, Case{Spherical{}, 1}}) {
      for (const Method method : {Method::sparse, Method::range}) {
        Moving m(bars.build(angle, c.closing, frame), method);
        EXPECT_EQ(m.system.redundant, c.redundant) << seed;
        EXPECT_EQ(m.system.degrees_of_freedom, 1) << seed;
        const VectorXd a = m.accelerate();
        if (first.size() == 0) first = a;
        EXPECT_LT((a - first).cwiseAbs().maxCoeff(), 1e-11 * (1.0 + first.cwiseAbs().maxCoeff())) << seed;
        Independent reduced(m.system);
        reduced.choose(m.terms);
        EXPECT_EQ(m.redundant(reduced), c.redundant);
        // Through a whole turn.
        m.v *= 0.0;
        m.advance(1e-3, 300);
        m.place();
        EXPECT_LT(m.loop_values().cwiseAbs().maxCoeff(), 1e-14);
        EXPECT_EQ(m.terms.left_out, c.redundant);
      }
    }
  }
}

// At its dead centres a slider does not move while the crank turns, half way between it does most: one choice of the
// independent coordinate does not last for a turn. It changes and the motion does not notice.
TEST(MultibodyLoops, TheChoiceOfIndependentCoordinatesChangesDuringTheMotion) {
  Machine machine = CrankSlider{}.build(0.5 * M_PI);
  machine.bodies[2].mass = 100.0;  // the heaviest is the least dependent
  machine.joints[0].torque = [](double, double* t) { t[0] = 100.0; };
  Moving m(machine);
  Independent reduced(m.system);
  int choices = 0;
  while (m.q[0] < 0.5 * M_PI + 2.0 * M_PI) {
    const VectorXd a = m.accelerate();
    m.place();
    choices += reduced.choose(m.terms);
    const VectorXd b = m.accelerate(reduced);
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-11 * (1.0 + a.cwiseAbs().maxCoeff()));
    EXPECT_LE(reduced.largest_entry(), Independent::worst);
    m.advance(2e-4, 1);
    ASSERT_LT(m.t, 10.0);
  }
  EXPECT_GE(choices, 2);
}

}  // namespace
}  // namespace taut::testing
