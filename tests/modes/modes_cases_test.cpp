// Natural motions in hard cases: strong dampers, more zeros than modes asked for, members with elasticity and mass in
// every formulation that takes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/modes/linearise.h"
#include "taut/modes/modes.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// Where strong dampers couple modes, what creeps back does so with real eigenvalues of the linear model, each of them
// once: dense, and grown from the lowest modes.
TEST(ModesCases, OverdampedModesEqualTheLinearModel) {
  const auto expect = [](const Model& model, const ModeOptions& options) {
    const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
    const Eigen::VectorXcd values = linearise(dynamics, dynamics.start()).eigenvalues;
    const ModalAnalysis modes = find_modes(model, options);
    std::vector<std::complex<double>> left(values.begin(), values.end());
    int creep = 0;
    for (long k = 0; k < modes.count(); ++k) {
      if (modes.square[k] == 0.0) continue;
      const std::complex<double> value = modes.eigenvalues[k];
      const auto nearest = std::min_element(left.begin(), left.end(), [&](const auto& a, const auto& b) {
        return std::abs(a - value) < std::abs(b - value);
      });
      ASSERT_NE(nearest, left.end());
      EXPECT_LT(std::abs(*nearest - value), 1e-9 * std::abs(value)) << k;
      left.erase(nearest);
      if (!modes.overdamped[k]) continue;
      ++creep;
      EXPECT_EQ(value.imag(), 0.0);
      EXPECT_LT(value.real(), 0.0);
      EXPECT_GE(modes.damping[k], 1.0);
    }
    // All of them: as many as half of the real ones.
    long real = 0;
    for (const auto& value : values) real += std::abs(value.imag()) <= 1e-7 * std::abs(value) && value.real() < -1e-3;
    EXPECT_GT(creep, 0);
    EXPECT_TRUE(modes.count() < modes.freedoms || 2 * creep == real) << creep << " " << real;
  };
  // Two masses in a line, by hand: λ of (λ² + 43 λ + 300)(3λ² + 40.5 λ + 150) - (40 λ + 100)² = 0.
  Model chain = empty_scenario().model;
  const int wall = add_node(chain, {0, 0, 0}, 0.0, all_fixed), end = add_node(chain, {3, 0, 0}, 0.0, all_fixed);
  const int a = add_node(chain, {1, 0, 0}, 1.0, {false, true, true}),
            b = add_node(chain, {2.1, 0, 0}, 3.0, {false, true, true});
  add_cable(chain, {wall, a}, spring_law(200.0, 3.0), 1.0);
  add_cable(chain, {a, b}, spring_law(100.0, 40.0), 1.1);
  add_cable(chain, {b, end}, spring_law(50.0, 0.5), 0.9);
  expect(chain, {});
  const ModalAnalysis two = find_modes(chain);
  for (long k = 0; k < 2; ++k) {
    const std::complex<double> l = two.eigenvalues[k], c = 40.0 * l + 100.0;
    EXPECT_LT(std::abs((l * l + 43.0 * l + 300.0) * (3.0 * l * l + 40.5 * l + 150.0) - c * c), 1e-8 * 45000.0);
  }
  // A robot with strong dampers; a tower of which most creeps.
  Model robot = generated("six_bar", {{"damping", 60.0}}).model;
  robot.cables[3].law.damping = 5.0;
  expect(robot, {});
  expect(robot, {.count = 16, .dense_up_to = 0});
}

// A free sphere, stiff beside its pretension: six zeros among which a vector of the space is lost, and whatever number
// of modes is asked for, as many as there are zeros or fewer too.
TEST(ModesCases, FewModesOfAFreeSphere) {
  for (const double pretension : {30.0, 1000.0}) {
    const Model sphere = generated("geodesic_sphere", {{"pretension", pretension}, {"frequency", 1.0}}).model;
    const ModalAnalysis dense = find_modes(sphere, {.count = 20});
    for (const int count : {1, 3, 5, 6, 7, 10}) {
      const ModalAnalysis sparse = find_modes(sphere, {.count = count, .dense_up_to = 0});
      ASSERT_EQ(sparse.count(), count);
      EXPECT_TRUE(sparse.complete) << count;
      for (int k = 0; k < count; ++k)
        EXPECT_NEAR(sparse.square[k], dense.square[k], 1e-9 * dense.square[19]) << count << " " << k;
    }
  }
}

// Many modes of long structures of rigid bars: the vectors must stay on the constraints, or all frequencies come out
// too low.
TEST(ModesCases, ManyModesStayOnTheConstraints) {
  const std::pair<const char*, Parameters> cases[] = {{"bridge", {{"panels", 60.0}}}, {"d_bar", {{"order", 4.0}}}};
  for (const auto& [kind, parameters] : cases) {
    const Model model = generate(*find_generator(kind), parameters).model;
    const ModalAnalysis dense = find_modes(model, {.count = 10000});
    // Not so many that they would be computed densely.
    const int count =
        std::min(static_cast<int>(dense.count()) * 2 / 5, static_cast<int>(model.nodes.size()) * 3 / 4 - 6);
    const ModalAnalysis sparse = find_modes(model, {.count = count, .dense_up_to = 0});
    EXPECT_TRUE(sparse.complete) << kind;
    for (int k = 0; k < count; ++k)
      EXPECT_NEAR(sparse.square[k], dense.square[k], 1e-8 * dense.square[count - 1]) << kind << " " << k;
    for (const Bar& bar : model.bars) {
      const Vec3 along = (model.nodes[bar.b].position - model.nodes[bar.a].position).normalized();
      for (int k = 0; k < count; k += 7) {
        const auto shape = sparse.shapes.col(k);
        const double stretch = along.dot(shape.segment<3>(3 * bar.b) - shape.segment<3>(3 * bar.a));
        ASSERT_LT(std::abs(stretch), 1e-9 * shape.cwiseAbs().maxCoeff()) << kind << " " << k;
      }
    }
  }
}

// Damping of a long tower, computed on few vectors: as all of them have it.
TEST(ModesCases, DampingOfALongTower) {
  const Model model = generate(*find_generator("tower"), {{"stages", 16.0}, {"damping", 3.0}}).model;
  const ModalAnalysis sparse = find_modes(model, {.count = 20, .dense_up_to = 0}),
                      dense = find_modes(model, {.count = 10000});
  for (int k = 6; k < 20; ++k) EXPECT_NEAR(sparse.damping[k], dense.damping[k], 1e-7 * dense.damping[k]) << k;
}

// Unstable shapes, from slightly to wildly, and a body that floats on its cables: as the dense computation has them.
TEST(ModesCases, UnstableShapesAndBodiesSparse) {
  const auto expect = [](const Model& model, bool stable) {
    const ModalAnalysis dense = find_modes(model, {.count = 40});
    EXPECT_EQ(dense.square[0] >= 0.0, stable);
    for (const int count : {1, 4, 12}) {
      const ModalAnalysis sparse = find_modes(model, {.count = count, .dense_up_to = 0});
      ASSERT_EQ(sparse.count(), count);
      EXPECT_TRUE(sparse.complete) << count;
      const double scale = std::max(std::abs(dense.square[0]), dense.square[19]);
      for (int k = 0; k < count; ++k) EXPECT_NEAR(sparse.square[k], dense.square[k], 1e-9 * scale) << count << " " << k;
    }
  };
  for (const double load : {10.0, 3000.0, 20000.0})
    expect(generated("t_bar", {{"order", 4.0}, {"load", load}}).model, load < 20.0);
  expect(generated("lander", {{"bars", 12.0}}).model, true);
}

// Elastic struts and heavy cables, lumped: every formulation that takes them has the frequencies of node coordinates,
// by its own linear model and by its own modes. Which ones do not is said.
TEST(ModesCases, ElasticAndHeavyMembersInEveryFormulation) {
  const auto swinging = [](Eigen::VectorXd square) {
    std::vector<double> list;
    for (const double s : square)
      if (s > 0.0) list.push_back(std::sqrt(s));
    return list;
  };
  for (const bool elastic : {false, true}) {
    Model model = generated("six_bar", {{"EA", 5000.0}}).model;
    for (Cable& cable : model.cables) cable.mass = 0.05, cable.mass_model = MassModel::lumped;
    const double push = 20.0 * std::sqrt(6.0);
    for (Bar& bar : model.bars)
      if (elastic)
        bar.elastic = true, bar.mass_model = MassModel::lumped, bar.EA = 4e4, bar.rest_length /= 1.0 - push / bar.EA;
    const std::vector<double> nodal = swinging(find_modes(model).square);
    ASSERT_EQ(nodal.size(), elastic ? 30u : 24u);
    int taken = 0;
    for (const char* formulation : {"nodal", "minimal", "quaternion", "point_mass", "multibody"}) {
      SCOPED_TRACE(formulation);
      // Rigid rods have no place for their inertia in masses at their ends.
      if (!elastic && formulation == std::string("point_mass")) continue;
      std::vector<double> own, linear;
      try {
        own = swinging(find_modes(model, {.formulation = formulation}).square);
        const Dynamics dynamics(model, formulation, ConstraintMethod::projection);
        const Eigen::VectorXcd values = linearise(dynamics, dynamics.start()).eigenvalues;
        for (const auto& value : values)
          if (value.imag() > 1e-3) linear.push_back(value.imag());
      } catch (const InputError&) {
        EXPECT_TRUE(elastic && (formulation == std::string("minimal") || formulation == std::string("quaternion")));
        continue;
      }
      ++taken;
      std::sort(linear.begin(), linear.end());
      ASSERT_EQ(own.size(), nodal.size());
      ASSERT_EQ(linear.size(), nodal.size());
      for (std::size_t k = 0; k < nodal.size(); ++k) {
        EXPECT_NEAR(own[k] / nodal[k], 1.0, 1e-9);
        EXPECT_NEAR(linear[k] / nodal[k], 1.0, 1e-9);
      }
    }
    EXPECT_EQ(taken, elastic ? 3 : 4);
  }
}

}  // namespace
}  // namespace taut::testing
