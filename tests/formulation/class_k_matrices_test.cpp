// Fadeyev et al. (2019) by its own matrices. Equations (1) to (10), with the corrections that its misprints need, are
// built literally (N, C_b, C_r, C_s, M, G, Y, P, Ω, λ, K_d) for the two-stage manipulator, with virtual nodes for every
// bar end that is shared, and give the accelerations, bar forces and ground reactions that the nodal formulation gives
// without any of these matrices.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

#include "taut/dynamics/dynamics.h"
#include "taut/file/read/read_toml.h"
#include "taut/solve/dense.h"
#include "tests/support/dense.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int physical = 24, columns = 36, bars = 18, composites = 14, simples = 36, conditions = 18, inputs = 6;

// Table 4: bars 1 to 12 between physical nodes, 13 to 18 between virtual ones n'1 ... n'12.
MatrixXd bar_connectivity() {
  const int first_stage[6][2] = {{1, 4}, {2, 5}, {3, 6}, {7, 10}, {8, 11}, {9, 12}};
  MatrixXd C = MatrixXd::Zero(bars, columns);
  for (int k = 0; k < 6; ++k)
    for (int stage = 0; stage < 2; ++stage) {
      C(6 * stage + k, first_stage[k][0] - 1 + 12 * stage) = 1.0;
      C(6 * stage + k, first_stage[k][1] - 1 + 12 * stage) = -1.0;
    }
  for (int k = 0; k < 6; ++k) {
    C(12 + k, physical + 2 * k) = 1.0;
    C(12 + k, physical + 2 * k + 1) = -1.0;
  }
  return C;
}

// Physical node of each virtual one (Table 6, rows 4 to 15).
constexpr int origin[12] = {10, 11, 11, 12, 12, 10, 22, 23, 23, 24, 24, 22};

// N P = Λ: the ground, the coincidences, the midpoints.
MatrixXd condition_matrix() {
  MatrixXd P = MatrixXd::Zero(columns, conditions);
  for (int k = 0; k < 3; ++k) P(k, k) = 1.0;
  for (int k = 0; k < 12; ++k) {
    P(origin[k] - 1, 3 + k) = 1.0;
    P(physical + k, 3 + k) = -1.0;
  }
  const int middle[3][3] = {{11, 12, 13}, {10, 12, 14}, {10, 11, 15}};
  for (int k = 0; k < 3; ++k) {
    P(middle[k][0] - 1, 15 + k) = P(middle[k][1] - 1, 15 + k) = 1.0;
    P(middle[k][2] - 1, 15 + k) = -2.0;
  }
  return P;
}

struct Literal {
  MatrixXd C_b = bar_connectivity(), C_r = C_b.cwiseAbs(), P = condition_matrix();
  MatrixXd C_s = MatrixXd::Zero(simples, columns), G = MatrixXd::Zero(simples, composites);
  MatrixXd Y = MatrixXd::Zero(composites, inputs);
  VectorXd mass = VectorXd::Zero(bars), EA = VectorXd::Zero(composites), zeta = EA, rest = EA;
  MatrixXd M, M_inverse;

  explicit Literal(const Model& model) {
    int simple = 0;
    for (int c = 0; c < composites; ++c) {
      const Cable& cable = model.cables[c];
      EA[c] = cable.law.stiffness;
      zeta[c] = cable.law.damping;
      rest[c] = cable.rest_length;
      for (std::size_t k = 0; k + 1 < cable.path.size(); ++k, ++simple) {
        C_s(simple, cable.path[k]) = 1.0;
        C_s(simple, cable.path[k + 1]) = -1.0;
        G(simple, c) = 1.0;
      }
    }
    EXPECT_EQ(simple, simples);
    for (int a = 0; a < inputs; ++a) Y(model.actuators[a].cable, a) = 1.0;
    // The model has its bars stage by stage with the plate's: tubes 0-5, plate 6-8, tubes 9-14, plate 15-17.
    for (int k = 0; k < 6; ++k) mass[k] = model.bars[k].mass, mass[6 + k] = model.bars[9 + k].mass;
    for (int k = 0; k < 3; ++k) mass[12 + k] = model.bars[6 + k].mass, mass[15 + k] = model.bars[15 + k].mass;
    M = (C_b.transpose() * mass.asDiagonal() * C_b + 3.0 * C_r.transpose() * mass.asDiagonal() * C_r) / 12.0;  // (1)
    M_inverse = testing::dense_inverse(M);
  }

  MatrixXd weight(double g) const {
    MatrixXd W = MatrixXd::Zero(3, columns);
    W.row(2) = -0.5 * g * mass.transpose() * C_r;
    return W;
  }
};

struct Answer {
  MatrixXd acceleration, omega;  // N̈, Ω
  VectorXd lambda;
};

// Equations (3), (6) to (10) at positions N, velocities V, inputs u and their rates.
Answer solve(const Literal& m, const MatrixXd& N, const MatrixXd& V, const VectorXd& u, const VectorXd& u_rate) {
  const MatrixXd S = N * m.C_s.transpose(), S_rate = V * m.C_s.transpose();
  const MatrixXd B = N * m.C_b.transpose(), B_rate = V * m.C_b.transpose();
  VectorXd length(simples), length_rate(simples);
  for (int i = 0; i < simples; ++i) {
    length[i] = S.col(i).norm();
    length_rate[i] = S_rate.col(i).dot(S.col(i)) / length[i];
  }
  const VectorXd rest = m.rest + m.Y * u, rest_rate = m.Y * u_rate;
  const VectorXd stiffness = m.G * m.EA.cwiseQuotient(rest), damping = m.G * m.zeta;
  const VectorXd stretch = m.G * (m.G.transpose() * length - rest);
  const VectorXd stretch_rate = m.G * (m.G.transpose() * length_rate - rest_rate);
  VectorXd gamma = VectorXd::Zero(simples), eta = gamma;
  for (int i = 0; i < simples; ++i) {
    if (!(stretch[i] > 0.0)) continue;
    gamma[i] = stiffness[i] * stretch[i] / length[i];   // (6)
    eta[i] = damping[i] * stretch_rate[i] / length[i];  // (7), while elongated
  }
  const MatrixXd T = S * gamma.asDiagonal(), D = S * eta.asDiagonal();
  const MatrixXd W = m.weight(9.81);
  const MatrixXd K_s = m.C_s.transpose() * (gamma + eta).asDiagonal() * m.C_s;
  // (8) with the present lengths, and (9).
  const auto lambda = [&](const MatrixXd& F_c) {
    VectorXd density(bars);
    const MatrixXd pull = B.transpose() * ((T + D) * m.C_s - W - F_c) * m.C_b.transpose();
    for (int i = 0; i < bars; ++i) {
      const double square = B.col(i).squaredNorm();
      density[i] = 0.5 * (pull(i, i) / square - m.mass[i] / 6.0 * B_rate.col(i).squaredNorm() / square);
    }
    return density;
  };
  const auto acceleration = [&](const MatrixXd& F_c) -> MatrixXd {
    const MatrixXd K_d = K_s - m.C_b.transpose() * lambda(F_c).asDiagonal() * m.C_b;
    return (W + F_c - N * K_d) * m.M_inverse;  // (10)
  };
  // (3): linear in Ω, since λ is.
  const auto conditions_of = [&](const MatrixXd& Omega) -> VectorXd {
    const MatrixXd left = acceleration(Omega * m.P.transpose()) * m.P;
    return Eigen::Map<const VectorXd>(left.data(), left.size());
  };
  const MatrixXd none = MatrixXd::Zero(3, conditions);
  const VectorXd base = conditions_of(none);
  MatrixXd system(3 * conditions, 3 * conditions);
  for (int k = 0; k < 3 * conditions; ++k) {
    MatrixXd unit = none;
    unit.data()[k] = 1.0;
    system.col(k) = conditions_of(unit) - base;
  }
  const VectorXd solution = solve_full_pivot(system, -base);
  Answer answer;
  answer.omega = Eigen::Map<const MatrixXd>(solution.data(), 3, conditions);
  const MatrixXd F_c = answer.omega * m.P.transpose();
  answer.acceleration = acceleration(F_c);
  answer.lambda = lambda(F_c);
  return answer;
}

// All 36 columns of what the physical nodes do.
MatrixXd with_virtual(const double* nodes) {
  MatrixXd N(3, columns);
  for (int i = 0; i < physical; ++i) N.col(i) = Eigen::Map<const Vec3>(nodes + 3 * i);
  for (int k = 0; k < 12; ++k) N.col(physical + k) = N.col(origin[k] - 1);
  return N;
}

TEST(CompositeStringMatrices, LiteralMatricesGiveTheSameMotionForcesAndReactions) {
  const std::string file = std::string(TAUT_SOURCE_DIR) + "/models/stacked.toml";
  const Scenario scenario = read_scenario(file, {"cables.*.clip=false", "cables.*.damping=20"});
  const Model& model = scenario.model;
  const Literal matrices(model);
  const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
  EXPECT_EQ(dynamics.formulation().facts().degrees_of_freedom, 36);
  Terms terms = dynamics.make_terms();
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 5; ++trial) {
    // A state off the equilibrium that satisfies the constraints, in motion, with the actuators at work.
    State state = dynamics.start();
    state.t = 1.3 + trial;
    for (int i = 0; i < state.nq; ++i) {
      if (model.nodes[i / 3].fixed[i % 3]) continue;
      state.q()[i] += 0.005 * normal(random);
      state.v()[i] = 0.3 * normal(random);
    }
    ASSERT_GE(dynamics.formulation().project(state.q(), state.v(), terms), 0.0);
    VectorXd rate = VectorXd::Zero(dynamics.size());
    dynamics.rhs(state.t, state.y.data(), rate.data(), terms);

    VectorXd u(inputs), u_rate(inputs);
    for (int a = 0; a < inputs; ++a) {
      const Actuator& actuator = model.actuators[a];
      u[a] = value(actuator.rest_length, state.t) - model.cables[actuator.cable].rest_length;
      u_rate[a] = taut::rate(actuator.rest_length, state.t);
    }
    const Answer answer = solve(matrices, with_virtual(state.q()), with_virtual(state.v()), u, u_rate);

    // Accelerations to the rounding of forces of 1e3 N on 0.1 kg.
    double largest = 0.0;
    for (int i = 0; i < physical; ++i)
      for (int axis = 0; axis < 3; ++axis) largest = std::max(largest, std::abs(rate[state.nq + 3 * i + axis]));
    for (int i = 0; i < physical; ++i)
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(answer.acceleration(axis, i), rate[state.nq + 3 * i + axis], 1e-10 * largest) << "node " << i + 1;
    EXPECT_GT(largest, 10.0);

    // Bars: λ is a compression over the length.
    std::vector<double> force(model.bars.size());
    dynamics.formulation().bar_forces(terms, force.data());
    for (int k = 0; k < bars; ++k) {
      const int bar = k < 6 ? k : k < 12 ? k + 3 : k < 15 ? k - 6 : k;
      const Bar& b = model.bars[bar];
      const double length =
          (Eigen::Map<const Vec3>(state.q() + 3 * b.b) - Eigen::Map<const Vec3>(state.q() + 3 * b.a)).norm();
      EXPECT_NEAR(force[bar], -answer.lambda[k] * length, 1e-9 * (1.0 + std::abs(force[bar]))) << b.name;
    }

    // The first three columns of Ω are the forces of the ground.
    std::vector<double> support(9);
    dynamics.formulation().support_forces(terms, rate.data() + state.nq, support.data());
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(support[k], answer.omega(k % 3, k / 3), 1e-8);
  }
}

// The same robot written as the paper writes it: every plate bar on virtual nodes of its own, held together by the
// coincidences of Table 6. It moves as the robot whose bars share their nodes, and the coincidences hold.
TEST(CompositeStringMatrices, VirtualNodesMoveAsSharedOnes) {
  const std::string file = std::string(TAUT_SOURCE_DIR) + "/models/stacked.toml";
  Scenario shared = read_scenario(file, {"cables.*.damping=20", "simulation.duration=0.5",
                                         "simulation.output_step=0.05", "simulation.tolerance=1e-10"});
  for (Actuator& actuator : shared.model.actuators) actuator.rest_length.ramp = 0.2;
  Scenario apart = shared;
  const int plate_bars[6] = {6, 7, 8, 15, 16, 17};
  for (int k = 0; k < 12; ++k) {
    Node copy = shared.model.nodes[origin[k] - 1];
    copy.name = "v" + std::to_string(k + 1);
    apart.model.nodes.push_back(copy);
    Bar& bar = apart.model.bars[plate_bars[k / 2]];
    ASSERT_EQ(k % 2 == 0 ? bar.a : bar.b, origin[k] - 1);
    (k % 2 == 0 ? bar.a : bar.b) = physical + k;
    Constraint coincidence;
    coincidence.terms = {{origin[k] - 1, 1.0}, {physical + k, -1.0}};
    apart.model.constraints.push_back(coincidence);
  }
  EXPECT_EQ(make_formulation("nodal", apart.model)->facts().degrees_of_freedom, 36);
  const testing::Motion one = testing::run(shared), other = testing::run(apart);
  ASSERT_EQ(one.summary.status, RunStatus::done);
  ASSERT_EQ(other.summary.status, RunStatus::done) << other.summary.reason;
  ASSERT_EQ(one.rows.size(), other.rows.size());
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    for (std::size_t i = 0; i < 3 * physical; ++i) EXPECT_NEAR(one.rows[row].nodes[i], other.rows[row].nodes[i], 1e-9);
    for (int k = 0; k < 12; ++k)
      EXPECT_LT(
          (testing::position(other.rows[row], physical + k) - testing::position(other.rows[row], origin[k] - 1)).norm(),
          1e-12);
  }
}

}  // namespace
}  // namespace taut
