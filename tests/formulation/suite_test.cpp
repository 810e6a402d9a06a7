// What every formulation must satisfy, on hundreds of random structures: the mass matrix is that of the members'
// kinetic energy, the node map, the node accelerations and the constraint terms are the derivatives they claim to be,
// accelerations and multipliers solve the constrained equations, power is accounted for, projection lands on the
// constraints, and a copy of the scratch stands by itself.
#include <gtest/gtest.h>

#include "taut/formulation/formulation.h"
#include "taut/formulation/matrices.h"
#include "taut/solve/dense.h"
#include "tests/formulation/random_structure.h"
#include "tests/support/dense.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr unsigned structures = 300;

// Coordinates are node positions, and every structure can be represented.
bool is_nodal(std::string_view name) { return name == "nodal" || name == "point_mass"; }

// One random structure in a formulation, at its start positions with fitting velocities.
struct Subject {
  Model model;
  std::unique_ptr<Formulation> formulation;
  Terms terms;
  VectorXd q, v;
  Random random;

  Subject(const std::string& name, unsigned seed)
      : model(is_nodal(name) ? random_structure(seed) : random_rods(seed)),
        formulation(make_formulation(name, model)),
        terms(formulation->make_terms()),
        random(seed) {
    const VectorXd rates = fitting_velocities(model, positions_of(model), random);
    for (std::size_t i = 0; i < model.nodes.size(); ++i)
      model.nodes[i].velocity = rates.segment<3>(3 * static_cast<long>(i));
    const State state = formulation->start();
    q = VectorXd::Map(state.q(), state.nq);
    v = VectorXd::Map(state.v(), state.nv);
  }

  // Node positions or velocities as they are placed.
  VectorXd nodes(const VectorXd& at, const VectorXd& rates, bool positions) {
    formulation->place_nodes(at.data(), rates.data(), terms);
    const AlignedDoubles& placed = positions ? terms.x : terms.xd;
    VectorXd all(3 * static_cast<long>(model.nodes.size()));
    for (long i = 0; i < all.size(); ++i) all[i] = placed[static_cast<std::size_t>(i + i / 3)];
    return all;
  }

  VectorXd rates(const VectorXd& at, const VectorXd& speed) const {
    VectorXd q_rate = VectorXd::Zero(formulation->facts().nq);
    formulation->coordinate_rates(at.data(), speed.data(), q_rate.data());
    return q_rate;
  }

  VectorXd accelerate(const VectorXd& force, const DriftGains& gains = {}) {
    formulation->place_nodes(q.data(), v.data(), terms);
    for (long i = 0; i < force.size(); ++i) terms.force[static_cast<std::size_t>(i + i / 3)] = force[i];
    VectorXd v_rate = VectorXd::Zero(formulation->facts().nv);
    formulation->accelerate(q.data(), v.data(), gains, terms, v_rate.data());
    return v_rate;
  }

  // Velocities at random; those that a thin rod cannot have (spin) are taken out.
  VectorXd random_speed() {
    VectorXd speed = VectorXd::Zero(v.size());
    for (int i : movable()) speed[i] = random.between(-1.0, 1.0);
    if (formulation->facts().name == "quaternion")
      for (std::size_t r = 0; r < model.bars.size(); ++r) {
        const Bar& bar = model.bars[r];
        const Vec3 u = (model.nodes[bar.b].position - model.nodes[bar.a].position).normalized();
        auto omega = speed.segment<3>(6 * static_cast<long>(r) + 3);
        omega -= u.dot(omega) * u;
      }
    return speed;
  }

  VectorXd random_force() {
    VectorXd force(3 * static_cast<long>(model.nodes.size()));
    for (double& f : force) f = random.between(-10.0, 10.0);
    return force;
  }

  // Velocities that may differ from zero: all, or, where coordinates are those of the nodes, the free ones.
  std::vector<int> movable() const {
    std::vector<int> list;
    for (int i = 0; i < formulation->facts().nv; ++i)
      if (!is_nodal(formulation->facts().name) || !model.nodes[i / 3].fixed[i % 3]) list.push_back(i);
    return list;
  }
};

MatrixXd pick(const MatrixXd& matrix, const std::vector<int>& rows, const std::vector<int>& columns) {
  MatrixXd part(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j)
      part(static_cast<long>(i), static_cast<long>(j)) = matrix(rows[i], columns[j]);
  return part;
}

VectorXd pick(const VectorXd& vector, const std::vector<int>& rows) {
  VectorXd part(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) part[static_cast<long>(i)] = vector[rows[i]];
  return part;
}

class FormulationSuite : public ::testing::TestWithParam<std::string> {};

TEST_P(FormulationSuite, MassMatrixIsSymmetricPositiveAndThatOfTheKineticEnergy) {
  for (unsigned seed = 0; seed < structures; ++seed) {
    SCOPED_TRACE(seed);
    Subject s(GetParam(), seed);
    const MatrixXd M = s.formulation->matrices(s.q.data(), nullptr, {.M = true}).M;
    EXPECT_EQ((M - M.transpose()).cwiseAbs().maxCoeff(), 0.0);
    const std::vector<int> movable = s.movable();
    const MatrixXd inner = pick(M, movable, movable);
    EXPECT_TRUE(Cholesky(inner).positive());
    // Three routes to the energy: the members', the formulation's own and the matrix.
    for (int trial = 0; trial < 3; ++trial) {
      const VectorXd speed = s.random_speed();
      const double members = kinetic_energy_of(s.model, s.nodes(s.q, speed, true), s.nodes(s.q, speed, false));
      EXPECT_NEAR(0.5 * speed.dot(M * speed), members, 1e-13 * members);
      EXPECT_NEAR(s.formulation->kinetic_energy(s.q.data(), speed.data()), members, 1e-13 * members);
    }
  }
}

TEST_P(FormulationSuite, NodeMapIsTheDerivativeOfNodePositions) {
  for (unsigned seed = 0; seed < structures; seed += 5) {
    SCOPED_TRACE(seed);
    Subject s(GetParam(), seed);
    constexpr double epsilon = 1e-6;
    const VectorXd move = epsilon * s.rates(s.q, s.v);
    const VectorXd difference = (s.nodes(s.q + move, s.v, true) - s.nodes(s.q - move, s.v, true)) / (2.0 * epsilon);
    const VectorXd rates = s.nodes(s.q, s.v, false);
    EXPECT_LT((difference - rates).cwiseAbs().maxCoeff(), 1e-9);  // ε² and rounding / ε
    EXPECT_LT((s.formulation->matrices(s.q.data(), nullptr, {.X = true}).X * s.v - rates).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST_P(FormulationSuite, ConstraintTermsAreDerivatives) {
  for (unsigned seed = 0; seed < structures; ++seed) {
    SCOPED_TRACE(seed);
    Subject s(GetParam(), seed);
    const Formulation& f = *s.formulation;
    const auto g = [&](const VectorXd& at) { return f.matrices(at.data(), nullptr, {.g = true}).g; };
    const auto G = [&](const VectorXd& at) { return f.matrices(at.data(), nullptr, {.G = true}).G; };
    EXPECT_EQ(g(s.q).size(), f.facts().constraints);
    if (f.facts().constraints == 0) continue;
    EXPECT_LT(g(s.q).cwiseAbs().maxCoeff(), 1e-14);  // the start fits
    // ġ = G v for any v, and d(G v)/dt - G v̇ = -γ, by central differences at a place off the constraints.
    const VectorXd speed = VectorXd::NullaryExpr(s.v.size(), [&] { return s.random.between(-1.0, 1.0); });
    const VectorXd q = s.q + 0.1 * s.rates(s.q, speed);
    constexpr double epsilon = 1e-6;
    const VectorXd above = q + epsilon * s.rates(q, speed), below = q - epsilon * s.rates(q, speed);
    const VectorXd g_rate = (g(above) - g(below)) / (2.0 * epsilon);
    EXPECT_LT((g_rate - G(q) * speed).cwiseAbs().maxCoeff(), 1e-8);
    const VectorXd bend = (G(above) * speed - G(below) * speed) / (2.0 * epsilon);
    const SeamMatrices here = f.matrices(q.data(), speed.data(), {.G = true, .gamma = true});
    EXPECT_LT((bend + here.gamma).cwiseAbs().maxCoeff(), 1e-8);
    // Rows that never change are the same elsewhere.
    const MatrixXd change = MatrixXd(here.G) - MatrixXd(G(s.q));
    for (std::size_t k = 0; k < here.constant.size(); ++k)
      EXPECT_TRUE(!here.constant[k] || change.row(static_cast<long>(k)).norm() == 0.0) << k;
  }
}

// ẍ against differences of ẋ along the motion.
TEST_P(FormulationSuite, NodeAccelerationsAreTheRatesOfNodeVelocities) {
  for (unsigned seed = 0; seed < structures; seed += 5) {
    SCOPED_TRACE(seed);
    Subject s(GetParam(), seed);
    const VectorXd v_rate = s.accelerate(s.random_force()), q_rate = s.rates(s.q, s.v);
    AlignedDoubles a(4 * s.model.nodes.size(), 0.0);
    s.formulation->node_accelerations(s.q.data(), s.v.data(), v_rate.data(), s.terms, a.data());
    const double epsilon = 1e-5 / (1.0 + v_rate.cwiseAbs().maxCoeff());
    const VectorXd difference = (s.nodes(s.q + epsilon * q_rate, s.v + epsilon * v_rate, false) -
                                 s.nodes(s.q - epsilon * q_rate, s.v - epsilon * v_rate, false)) /
                                (2.0 * epsilon);
    for (long i = 0; i < difference.size(); ++i)
      EXPECT_NEAR(a[static_cast<std::size_t>(i + i / 3)], difference[i], 1e-7 * (1.0 + v_rate.cwiseAbs().maxCoeff()));
  }
}

// An evaluation with a copy neither feels nor disturbs the original.
TEST_P(FormulationSuite, CopiesOfTheScratchStandByThemselves) {
  for (unsigned seed = 0; seed < structures; seed += 25) {
    SCOPED_TRACE(seed);
    Subject s(GetParam(), seed);
    const VectorXd force = s.random_force(), expected = s.accelerate(force);
    Terms copy = s.terms;
    s.accelerate(-2.0 * force);
    std::vector<double> bars(s.model.bars.size()), after = bars;
    s.formulation->bar_forces(s.terms, bars.data());
    VectorXd found = VectorXd::Zero(s.v.size());
    s.formulation->accelerate(s.q.data(), s.v.data(), {}, copy, found.data());
    EXPECT_EQ(found, expected);
    s.formulation->bar_forces(s.terms, after.data());
    EXPECT_EQ(bars, after);
  }
}

// M v̇ - Xᵀf lies in the range of Gᵀ and G v̇ = γ: the dense solution of the formulation's own matrices, which no
// closed form and no sparse elimination has touched.
TEST_P(FormulationSuite, AccelerationsSolveTheConstrainedEquations) {
  for (unsigned seed = 0; seed < structures; ++seed) {
    SCOPED_TRACE(seed);
    Subject s(GetParam(), seed);
    const Formulation& f = *s.formulation;
    const VectorXd force = s.random_force();
    const std::vector<int> movable = s.movable();
    std::vector<int> rows(f.facts().constraints);
    for (int i = 0; i < f.facts().constraints; ++i) rows[i] = i;
    for (const DriftGains& gains : {DriftGains{}, DriftGains{49.0, 14.0}, DriftGains{30.0, 5.0}}) {
      // Off the constraints a little, so that the correction has something to do.
      Subject moved(GetParam(), seed);
      // (Rows that depend on each other agree on the constraints only.)
      const MatrixXd start = pick(MatrixXd(f.matrices(s.q.data(), nullptr, {.G = true}).G), rows, movable);
      const bool independent = dense_rank(start) == start.rows();
      if (gains.any() && independent) {
        const VectorXd move = 1e-3 * s.random_speed();
        moved.q += s.rates(moved.q, move);
        moved.v += 1e-3 * s.random_speed();
      }
      const SeamMatrices m = f.matrices(moved.q.data(), moved.v.data(), all_matrices);
      const MatrixXd M = pick(MatrixXd(m.M), movable, movable), G = m.G;
      const VectorXd gamma = m.gamma - gains.velocity * (G * moved.v) - gains.position * m.g;
      const VectorXd push = pick(VectorXd(m.X.transpose() * force + m.h), movable);
      const DenseSolution expected = solve_dense(M, pick(G, rows, movable), push, gamma);
      const VectorXd found = pick(moved.accelerate(force, gains), movable);
      // The elimination works on G M⁻¹ Gᵀ: rounding grows with the square of the condition of G.
      const double tolerance = 1e-14 * std::max(1e2, expected.condition * expected.condition);
      EXPECT_LT((found - expected.a).cwiseAbs().maxCoeff(), tolerance * (1.0 + expected.a.cwiseAbs().maxCoeff()))
          << "condition " << expected.condition << ", k_s " << gains.position;
      // And the multipliers: M v̇ = Xᵀf + h + Gᵀλ.
      const VectorXd lambda = VectorXd::Map(moved.terms.lambda.data(), f.facts().constraints);
      const VectorXd left = M * found, right = push + pick(G, rows, movable).transpose() * lambda;
      EXPECT_LT((left - right).cwiseAbs().maxCoeff(), tolerance * (1.0 + push.cwiseAbs().maxCoeff() + left.norm()));
    }
  }
}

// d(kinetic)/dt = f·ẋ: constraint forces do no work.
TEST_P(FormulationSuite, PowerOfNodeForcesIsTheRateOfKineticEnergy) {
  for (unsigned seed = 0; seed < structures; ++seed) {
    SCOPED_TRACE(seed);
    Subject s(GetParam(), seed);
    const VectorXd force = s.random_force(), v_rate = s.accelerate(force), q_rate = s.rates(s.q, s.v);
    const double power = force.dot(s.nodes(s.q, s.v, false)), epsilon = 1e-5 / (1.0 + v_rate.cwiseAbs().maxCoeff());
    const VectorXd q1 = s.q + epsilon * q_rate, q0 = s.q - epsilon * q_rate, v1 = s.v + epsilon * v_rate,
                   v0 = s.v - epsilon * v_rate;
    const double gained =
        (s.formulation->kinetic_energy(q1.data(), v1.data()) - s.formulation->kinetic_energy(q0.data(), v0.data())) /
        (2.0 * epsilon);
    EXPECT_NEAR(gained, power, 1e-7 * (1.0 + force.cwiseAbs().sum() + v_rate.cwiseAbs().maxCoeff()));
  }
}

TEST_P(FormulationSuite, CountsDegreesOfFreedomLikeTheRankOfItsMatrices) {
  for (unsigned seed = 0; seed < structures; ++seed) {
    SCOPED_TRACE(seed);
    Subject s(GetParam(), seed);
    const DenseMotion d =
        dense_motion(s.model, positions_of(s.model), VectorXd::Zero(3 * static_cast<long>(s.model.nodes.size())));
    const int rank = solve_dense(d.M, d.G, VectorXd::Zero(d.M.rows()), VectorXd::Zero(d.G.rows())).rank;
    EXPECT_EQ(s.formulation->facts().degrees_of_freedom, static_cast<int>(d.free.size()) - rank);
    if (!is_nodal(GetParam())) {
      const MatrixXd G = s.formulation->matrices(s.q.data(), nullptr, {.G = true}).G;
      EXPECT_EQ(s.formulation->facts().redundant_constraints, G.rows() - dense_rank(G));
      continue;
    }
    // Rows over supports alone hold nothing and do not count.
    int rows = 0;
    for (long k = 0; k < d.G.rows(); ++k) rows += d.G.row(k).cwiseAbs().sum() > 0.0;
    EXPECT_EQ(s.formulation->facts().redundant_constraints, rows - rank);
  }
}

TEST_P(FormulationSuite, ProjectionLandsOnTheConstraintsAndStaysThere) {
  for (unsigned seed = 0; seed < structures; ++seed) {
    SCOPED_TRACE(seed);
    for (double size : {1e-3, 1e-5}) {
      Subject s(GetParam(), seed);
      const Formulation& f = *s.formulation;
      s.accelerate(s.random_force());  // as an integrator does before
      VectorXd q = s.q, v = s.v;
      q += s.rates(q, size * s.random_speed());
      v += size * s.random_speed();
      ASSERT_GE(f.project(q.data(), v.data(), s.terms), 0.0);
      // Rounding of coordinates near 1 m: half a bit in each of six, for bars down to 0.3 m.
      EXPECT_LT(f.constraint_errors(q.data()).length, 1e-14);
      // Two passes with a factorisation that is off by the move, of what was off by as much.
      EXPECT_LT((f.matrices(q.data(), nullptr, {.G = true}).G * v).norm(), 1e-14 + 1e3 * size * size * size);
      for (int i = 0; i < static_cast<int>(s.model.nodes.size()); ++i)
        for (int axis = 0; axis < 3; ++axis)
          if (s.model.nodes[i].fixed[axis]) {
            // Exactly where that is a coordinate, else to rounding.
            EXPECT_NEAR(s.nodes(q, v, true)[3 * i + axis], s.model.nodes[i].position[axis],
                        is_nodal(GetParam()) ? 0.0 : 1e-14);
          }
      // Again: nothing moves beyond rounding.
      VectorXd q2 = q, v2 = v;
      EXPECT_LT(f.project(q2.data(), v2.data(), s.terms), 1e-14);
      EXPECT_LT((q2 - q).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

// The move of a projection is M-orthogonal to every motion that keeps the constraints: the nearest point in the mass
// metric, to first order in how far it had to go.
TEST_P(FormulationSuite, ProjectionGoesTheShortestWayInTheMassMetric) {
  if (!is_nodal(GetParam())) GTEST_SKIP() << "coordinates and velocities are of different kinds";
  for (unsigned seed = 0; seed < structures; seed += 3) {
    SCOPED_TRACE(seed);
    Subject s(GetParam(), seed);
    const Formulation& f = *s.formulation;
    const double size = 1e-6;
    s.accelerate(s.random_force());
    VectorXd q0 = s.q, v0 = s.v;
    for (int i : s.movable()) q0[i] += size * s.random.between(-1.0, 1.0), v0[i] += size * s.random.between(-1.0, 1.0);
    VectorXd q = q0, v = v0;
    ASSERT_GE(f.project(q.data(), v.data(), s.terms), 0.0);
    const MatrixXd M = f.matrices(q.data(), nullptr, {.M = true}).M;
    for (int trial = 0; trial < 3; ++trial) {
      // A unit motion that keeps the constraints.
      VectorXd along = fitting_velocities(s.model, s.nodes(q, v, true), s.random);
      if (!(along.norm() > 1e-9)) break;
      along.normalize();
      const double largest = M.diagonal().maxCoeff() * size;
      EXPECT_LT(std::abs(along.dot(M * (q - q0))), 1e-3 * largest);
      EXPECT_LT(std::abs(along.dot(M * (v - v0))), 1e-3 * largest);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formulations, FormulationSuite, ::testing::Values("nodal", "minimal", "quaternion"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace taut::testing
