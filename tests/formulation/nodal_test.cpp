// The nodal formulation against equations derived by hand in angles: chains of rods, a pendulum with an end mass,
// guided bars, forces in bars.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>

#include "taut/base/error.h"
#include "taut/dynamics/dynamics.h"
#include "taut/solve/dense.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Accelerations of all nodes (3 per node) at the model's start.
VectorXd accelerations(const Model& model, Terms* terms_out = nullptr) {
  const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
  const State state = dynamics.start();
  Terms terms = dynamics.make_terms();
  VectorXd rate = VectorXd::Zero(dynamics.size());
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  if (terms_out) *terms_out = terms;
  return rate.segment(state.nq, state.nv);
}

// n equal uniform rods (mass m, length l) in a chain from a fixed node, planar, angles φ from straight down. Lagrange:
//   Σ_j c_ij cos(φ_i - φ_j) φ̈_j + Σ_j c_ij sin(φ_i - φ_j) φ̇_j² + (g/l)(n - i - 1/2) sin φ_i = 0,   i = 0 ... n-1,
//   c_ii = n - i - 2/3,  c_ij = n - max(i, j) - 1/2   (in units of m l²).
struct Chain {
  double m, l, g;
  VectorXd angle, rate;

  VectorXd angular_accelerations() const {
    const int n = static_cast<int>(angle.size());
    MatrixXd inertia(n, n);
    VectorXd moment(n);
    for (int i = 0; i < n; ++i) {
      moment[i] = -g / l * (n - i - 0.5) * std::sin(angle[i]);
      for (int j = 0; j < n; ++j) {
        const double c = i == j ? n - i - 2.0 / 3.0 : n - std::max(i, j) - 0.5;
        inertia(i, j) = c * std::cos(angle[i] - angle[j]);
        moment[i] -= c * std::sin(angle[i] - angle[j]) * rate[j] * rate[j];
      }
    }
    return Lu(inertia).solve(moment);
  }

  Model model() const {
    Model model;
    model.gravity = {0, -g, 0};
    Vec3 x = Vec3::Zero(), v = Vec3::Zero();
    add_node(model, x, 0.0, all_fixed);
    for (int i = 0; i < static_cast<int>(angle.size()); ++i) {
      x += l * Vec3(std::sin(angle[i]), -std::cos(angle[i]), 0.0);
      v += l * rate[i] * Vec3(std::cos(angle[i]), std::sin(angle[i]), 0.0);
      add_node(model, x, 0.0, planar, v);
      add_bar(model, i, i + 1, m);
    }
    return model;
  }
};

TEST(Nodal, ChainsOfOneToFiveRodsMatchLagrange) {
  Random random(5);
  for (int n = 1; n <= 5; ++n)
    for (int trial = 0; trial < 20; ++trial) {
      Chain chain{random.between(0.5, 2.0), random.between(0.5, 2.0), 9.81, VectorXd(n), VectorXd(n)};
      for (int i = 0; i < n; ++i) chain.angle[i] = random.between(-3.0, 3.0), chain.rate[i] = random.between(-4.0, 4.0);
      const VectorXd turn = chain.angular_accelerations(), found = accelerations(chain.model());
      Vec3 a = Vec3::Zero();
      for (int i = 0; i < n; ++i) {
        const Vec3 across(std::cos(chain.angle[i]), std::sin(chain.angle[i]), 0.0),
            down(std::sin(chain.angle[i]), -std::cos(chain.angle[i]), 0.0);
        a += chain.l * (turn[i] * across - chain.rate[i] * chain.rate[i] * down);
        EXPECT_LT((found.segment<3>(3 * (i + 1)) - a).norm(), 1e-11 * (1.0 + a.norm())) << "rods " << n;
      }
    }
}

// The same chain not held in its plane: nothing leaves it.
TEST(Nodal, AChainInSpaceStaysInItsPlane) {
  Chain chain{1.0, 1.0, 9.81, VectorXd(3), VectorXd(3)};
  chain.angle << 0.3, 1.0, -0.5;
  chain.rate << 1.0, -2.0, 0.5;
  Model model = chain.model();
  const VectorXd held = accelerations(model);
  for (int i = 1; i <= 3; ++i) model.nodes[i].fixed = {};
  EXPECT_LT((accelerations(model) - held).norm(), 1e-12);
}

// Rod of mass m and length l, mass M at its free end: φ̈ = -(m/2 + M) g sin φ / ((m/3 + M) l).
TEST(Nodal, PendulumWithAnEndMass) {
  const double m = 1.3, M = 0.7, l = 1.7, g = 9.81, angle = 0.8;
  Chain chain{m, l, g, VectorXd::Constant(1, angle), VectorXd::Zero(1)};
  Model model = chain.model();
  model.nodes[1].mass = M;
  const double turn = -(0.5 * m + M) * g * std::sin(angle) / ((m / 3.0 + M) * l);
  EXPECT_NEAR(accelerations(model)[3], l * turn * std::cos(angle), 1e-13);
  EXPECT_NEAR(accelerations(model)[4], l * turn * std::sin(angle), 1e-13);
}

// A bar with its mass off centre and any inertia J: φ̈ = -m g σ l sin φ / (J + m σ² l²).
TEST(Nodal, PendulumWithItsMassOffCentre) {
  const double m = 2.0, l = 1.2, g = 9.81, angle = 1.1, com = 0.3, J = 0.4;
  Chain chain{m, l, g, VectorXd::Constant(1, angle), VectorXd::Zero(1)};
  Model model = chain.model();
  model.bars[0].com = com;
  model.bars[0].inertia = J;
  const double turn = -m * g * com * l * std::sin(angle) / (J + m * com * com * l * l);
  EXPECT_NEAR(accelerations(model)[3], l * turn * std::cos(angle), 1e-12);
}

// A ladder: a uniform rod whose ends slide along x and y. φ̈ = -(3g/2l) sin φ with φ from the vertical... the foot is
// guided along x, the head along y: x = l sin φ, y = l cos φ, kinetic energy m l² φ̇²/6.
TEST(Nodal, LadderBetweenTwoGuides) {
  const double m = 3.0, l = 2.0, g = 9.81, angle = 0.6, rate = 0.9;
  Model model;
  model.gravity = {0, -g, 0};
  add_node(model, {l * std::sin(angle), 0, 0}, 0.0, {false, true, true}, {l * std::cos(angle) * rate, 0, 0});
  add_node(model, {0, l * std::cos(angle), 0}, 0.0, {true, false, true}, {0, -l * std::sin(angle) * rate, 0});
  add_bar(model, 0, 1, m);
  const double turn = 1.5 * g / l * std::sin(angle);
  const VectorXd a = accelerations(model);
  EXPECT_NEAR(a[0], l * (std::cos(angle) * turn - std::sin(angle) * rate * rate), 1e-12);
  EXPECT_NEAR(a[4], -l * (std::sin(angle) * turn + std::cos(angle) * rate * rate), 1e-12);
  EXPECT_EQ(a[1], 0.0);
}

// Two masses m on a light rod of length l that spins at ω: the rod pulls with m ω² l/2. A bar with inertia m l²/4 is
// the same thing; a bar laid twice shares the pull.
TEST(Nodal, SpinningDumbbellPullsOnItsBar) {
  const double m = 0.8, l = 1.5, w = 3.0;
  Model model;
  model.gravity.setZero();
  add_node(model, {-l / 2, 0, 0}, 0.0, {}, {0, -w * l / 2, 0});
  add_node(model, {l / 2, 0, 0}, 0.0, {}, {0, w * l / 2, 0});
  add_bar(model, 0, 1, 2.0 * m);
  model.bars[0].inertia = 2.0 * m * l * l / 4.0;
  const auto bar_forces = [&] {
    Terms terms;
    accelerations(model, &terms);
    std::vector<double> forces(model.bars.size());
    Dynamics(model, "nodal", ConstraintMethod::projection).formulation().bar_forces(terms, forces.data());
    return forces;
  };
  EXPECT_NEAR(bar_forces()[0], m * w * w * l / 2.0, 1e-12);
  add_bar(model, 0, 1, 0.0);
  const std::vector<double> both = bar_forces();
  EXPECT_NEAR(both[0] + both[1], m * w * w * l / 2.0, 1e-12);
}

// Bars in a chain hanging still: each carries what hangs below it.
TEST(Nodal, HangingChainCarriesItsWeight) {
  Chain chain{1.5, 0.7, 9.81, VectorXd::Zero(4), VectorXd::Zero(4)};
  const Model model = chain.model();
  Terms terms;
  EXPECT_LT(accelerations(model, &terms).norm(), 1e-12);
  std::vector<double> forces(4);
  Dynamics(model, "nodal", ConstraintMethod::projection).formulation().bar_forces(terms, forces.data());
  // The bar's own weight is shared by its ends: the constraint carries the lower half.
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(forces[i], (4 - i - 0.5) * 1.5 * 9.81, 1e-11) << i;
}

// A heavy cable or elastic bar between a bar's free end and another node couples the two, also when the bar's other end
// is fixed: seen from the accelerations, M a = f must hold for the whole.
TEST(Nodal, ConsistentMassCouplesAPinnedBarToANode) {
  Model model;
  model.gravity.setZero();
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {1, 0, 0});
  add_node(model, {1, 1, 0}, 0.5);
  add_bar(model, 0, 1, 3.0);
  add_cable(model, {1, 2}, linear_law(1.0), 10.0);
  model.cables[0].mass = 0.6;
  add_load(model, 2, {0, 2.0, 0});
  // Along y both move freely at first: [m/3 + μ/3, μ/6; μ/6, M + μ/3] a = (0, F).
  Eigen::Matrix2d mass;
  mass << 1.0 + 0.2, 0.1, 0.1, 0.5 + 0.2;
  const Eigen::Vector2d a = mass.inverse() * Eigen::Vector2d(0.0, 2.0);
  EXPECT_NEAR(accelerations(model)[4], a[0], 1e-13);
  EXPECT_NEAR(accelerations(model)[7], a[1], 1e-13);
}

// A midpoint held by a linear constraint carries a load for the two ends of a lever.
TEST(Nodal, LinearConstraintHoldsAMidpoint) {
  Model model;
  model.gravity.setZero();
  add_node(model, {-1, 0, 0}, 1.0);
  add_node(model, {1, 0, 0}, 3.0);
  add_node(model, {0, 0, 0}, 0.5);
  model.constraints.push_back({"middle", {{0, 1.0}, {1, 1.0}, {2, -2.0}}, Vec3::Zero(), {true, true, true}});
  add_load(model, 2, {0, 0, 4.0});
  // Lagrange with z0, z1 free, z2 their mean.
  Eigen::Matrix2d mass;
  mass << 1.0 + 0.125, 0.125, 0.125, 3.0 + 0.125;
  const Eigen::Vector2d z = mass.inverse() * Eigen::Vector2d(2.0, 2.0);
  const VectorXd a = accelerations(model);
  EXPECT_NEAR(a[2], z[0], 1e-13);
  EXPECT_NEAR(a[5], z[1], 1e-13);
  EXPECT_NEAR(a[8], 0.5 * (z[0] + z[1]), 1e-13);
}

// A bar without transverse inertia (all mass in its centre) cannot say how it turns, unless its nodes have mass.
TEST(Nodal, RefusesABarWhoseRotationIsUndetermined) {
  Model model;
  add_node(model, {0, 0, 0});
  add_node(model, {1, 0, 0});
  add_bar(model, 0, 1, 1.0);
  model.bars[0].inertia = 0.0;
  EXPECT_THROW(Dynamics(model, "nodal", ConstraintMethod::projection), InputError);
  model.nodes[0].mass = model.nodes[1].mass = 0.1;
  EXPECT_NO_THROW(Dynamics(model, "nodal", ConstraintMethod::projection));
  // The same where bars share a node.
  model.nodes[0].mass = model.nodes[1].mass = 0.0;
  add_node(model, {2, 1, 0});
  add_bar(model, 1, 2, 1.0);
  model.bars[1].inertia = 0.0;
  EXPECT_THROW(Dynamics(model, "nodal", ConstraintMethod::projection), InputError);
}

TEST(Nodal, UnknownFormulationIsRefusedByName) {
  EXPECT_THROW(Dynamics(generated("prism").model, "nodel", ConstraintMethod::projection), InputError);
}

}  // namespace
}  // namespace taut::testing
