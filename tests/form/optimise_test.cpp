// Shapes from lengths against closed forms: N1, N2, and prisms with given bars.
#include "taut/form/optimise.h"

#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "tests/form/form_structures.h"
#include "tests/formulation/bodies_support.h"

namespace taut::testing {
namespace {

using std::numbers::pi;

TEST(FormOptimise, LongestBarsOfAPrismWithEqualCables) {
  // N1, n = 3, all cables equal: l_bar / l = √(1 + 2/√3). From any twist that is not beyond the crossing of bars.
  Random random(11);
  for (int round = 0; round < 4; ++round) {
    OptimiseOptions options;
    options.length.assign(12, 0.7);
    for (int m = 9; m < 12; ++m) options.length[m] = NAN;
    options.pretension = 25.0;
    const OptimiseResult result = find_by_lengths(twisted_prism(3, random.between(-0.3, 1.2)), options);
    ASSERT_TRUE(result.converged) << result.reason;
    EXPECT_LT(dense_residual(result.model), 1e-12);
    for (int m = 0; m < 9; ++m) EXPECT_NEAR(result.lengths[m], 0.7, 1e-12);
    for (int m = 9; m < 12; ++m) EXPECT_NEAR(result.lengths[m] / 0.7, std::sqrt(1.0 + 2.0 / std::sqrt(3.0)), 1e-10);
    // The multipliers are the forces: q_ring / q_v = 0.57735.
    EXPECT_NEAR(result.tensions[0] / result.tensions[6], 1.0 / std::sqrt(3.0), 1e-9);
    double mean = 0.0;
    for (double tension : result.tensions) mean += tension / 9.0;
    EXPECT_NEAR(mean, 25.0, 1e-9);
    EXPECT_TRUE(result.stable);
  }
}

TEST(FormOptimise, LongestStrutsOfTheSixBar) {
  const Model start = icosahedron(1.0);
  const OptimiseResult result = find_by_lengths(start);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_LT(dense_residual(result.model), 1e-12);
  for (int m = 24; m < 30; ++m)
    EXPECT_NEAR(start_length(start, start.cables[0]) / result.lengths[m], std::sqrt(0.375), 1e-10);  // N2
  for (double force : result.bar_forces) EXPECT_NEAR(force, -1.5 * result.tensions[0] / std::sqrt(0.375), 1e-8);
}

TEST(FormOptimise, ShortestVerticalsOfAPrism) {
  // Rings and bars given, verticals as short as can be: l_bar² = l_v² + 4 R² sin(π/n).
  for (int n : {3, 4, 5, 7}) {
    const Model start = twisted_prism(n, 0.5 * pi - pi / n + 0.4, 0.5, 1.2);
    OptimiseOptions options;
    options.weight.assign(4 * n, 0.0);
    for (int m = 2 * n; m < 3 * n; ++m) options.weight[m] = -1.0;
    // With n > 3 the rings need not stay even: diagonals are free; the shortest verticals keep them so here.
    const OptimiseResult result = find_by_lengths(start, options);
    ASSERT_TRUE(result.converged) << n << ": " << result.reason;
    EXPECT_LT(dense_residual(result.model), 1e-12) << n;
    EXPECT_NEAR(result.lengths[3 * n], start_length(start, start.bars[0]), 1e-12);
    if (n > 3) continue;
    const double l_v = result.lengths[2 * n];
    EXPECT_NEAR(l_v * l_v, std::pow(result.lengths[3 * n], 2) - 4 * 0.25 * std::sin(pi / n), 1e-10);
  }
}

TEST(FormOptimise, EqualLengthsThatNobodyGave) {
  // Bars as long as can be, rings of one length between them, verticals given.
  const Model start = twisted_prism(3, 0.3);
  OptimiseOptions options;
  options.equal = {{9, 10, 11}};
  const OptimiseResult result = find_by_lengths(start, options);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(result.lengths[9], result.lengths[10], 1e-12);
  EXPECT_NEAR(result.lengths[9], result.lengths[11], 1e-12);
}

TEST(FormOptimise, SaysWhatIsImpossible) {
  const Model start = twisted_prism(3, 0.5);
  // A square of cables with one diagonal a bar as long as can be, the other a cable: it would have to push.
  Model square = empty_scenario().model;
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {1.1, 1.0}, {0.0, 1.0}})
    add_node(square, {x, y, 0}, 1.0, planar);
  for (int i = 0; i < 4; ++i) add_cable(square, {i, (i + 1) % 4}, linear_law(1e3), 0.9);
  add_cable(square, {1, 3}, linear_law(1e3), 0.9);
  add_bar(square, 0, 2, 1.0);
  const OptimiseResult pushing = find_by_lengths(square);
  EXPECT_FALSE(pushing.converged);
  EXPECT_NE(pushing.reason.find("a cable would have to push: \"c5\""), std::string::npos) << pushing.reason;
  // A triangle with sides 1, 1, 3.
  OptimiseOptions wrong;
  wrong.length.assign(12, NAN);
  wrong.length[0] = wrong.length[1] = 1.0;
  wrong.length[2] = 3.0;
  const OptimiseResult contradiction = find_by_lengths(start, wrong);
  EXPECT_FALSE(contradiction.converged);
  EXPECT_NE(contradiction.reason.find("contradict"), std::string::npos) << contradiction.reason;
  // Nothing holds the bars back.
  OptimiseOptions loose;
  loose.weight.assign(12, 0.0);
  for (int m = 9; m < 12; ++m) loose.weight[m] = 1.0;
  loose.equal = {{0, 1, 2, 3, 4, 5, 6, 7, 8}};
  const OptimiseResult away = find_by_lengths(start, loose);
  EXPECT_FALSE(away.converged);
  EXPECT_NE(away.reason.find("nothing bounds the lengths"), std::string::npos) << away.reason;
  OptimiseOptions nothing;
  nothing.weight.assign(12, 0.0);
  EXPECT_THROW(find_by_lengths(start, nothing), InputError);
}

TEST(FormOptimise, AFlatAnswerIsSaid) {
  // N1, n = 6: with all cables equal the rings fall into one plane, bars √3 of the cables.
  OptimiseOptions options;
  options.pretension = 50.0;
  options.length.assign(24, NAN);
  std::fill_n(options.length.begin(), 18, 1.0);
  const OptimiseResult flat = find_by_lengths(twisted_prism(6, std::numbers::pi / 3 + 0.3, 0.7, 1.3), options);
  ASSERT_TRUE(flat.converged) << flat.reason;
  EXPECT_NEAR(flat.objective, 6.0 * std::sqrt(3.0), 1e-6);
  ASSERT_FALSE(flat.notes.empty());
  EXPECT_NE(flat.notes.back().find("lies in one plane"), std::string::npos);
  const OptimiseResult round = find_by_lengths(twisted_prism(3, 0.2), {});
  EXPECT_TRUE(round.notes.empty());
}

TEST(FormOptimise, BodiesKeepTheirShape) {
  // N1 with a plate of side 1 instead of the lower ring: the same prism, with bars of √(1 + 2/√3) and equal verticals.
  Model model = twisted_prism(3, 0.2, 1.0 / std::sqrt(3.0), 0.8);
  model.cables.erase(model.cables.begin(), model.cables.begin() + 3);
  add_body(model, "plate", {0, 1, 2}, 1.0, Vec3::Zero(), Vec3(0.1, 0.1, 0.2).asDiagonal());
  OptimiseOptions options;
  options.pretension = 20.0;
  options.length.assign(9, NAN);
  std::fill_n(options.length.begin(), 6, 1.0);
  const OptimiseResult found = find_by_lengths(model, options);
  ASSERT_TRUE(found.converged) << found.reason;
  for (int m = 6; m < 9; ++m) EXPECT_NEAR(found.lengths[m], std::sqrt(1.0 + 2.0 / std::sqrt(3.0)), 1e-10);
  for (int a : {0, 1, 2}) EXPECT_NEAR(length_between(found.model, a, (a + 1) % 3), 1.0, 1e-12);
  EXPECT_LT(found.residual, 1e-12);
  EXPECT_NEAR(found.tensions[3] / found.tensions[0], std::sqrt(3.0), 1e-9);  // q_v / q_ring

  // A bar that nodes ride on keeps them where they are along it, and cannot be made longer.
  Model ridden = twisted_prism(3, 0.2);
  const int middle = add_node(ridden, 0.5 * (ridden.nodes[0].position + ridden.nodes[4].position));
  ridden.bars[0].attached = {middle};
  const OptimiseResult kept = find_by_lengths(ridden, {});
  ASSERT_TRUE(kept.converged) << kept.reason;
  EXPECT_NEAR(kept.lengths[9], ridden.bars[0].rest_length, 1e-12);
  const Vec3 half = 0.5 * (kept.model.nodes[0].position + kept.model.nodes[4].position);
  EXPECT_LT((kept.model.nodes[middle].position - half).norm(), 1e-12);
  EXPECT_LT(kept.residual, 1e-12);
  OptimiseOptions longer;
  longer.weight.assign(12, 0.0);
  longer.weight[9] = 1.0;
  EXPECT_THROW(find_by_lengths(ridden, longer), InputError);
}

// More cables than the shape needs: their lengths leave the nodes no way to move, and of all forces some keep every
// cable in tension.
TEST(FormOptimise, WhereLengthsPinTheShapeItStays) {
  Model model = generated("lander").model;
  model.gravity.setZero();
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (model.bodies.empty() || std::find(model.bodies[0].nodes.begin(), model.bodies[0].nodes.end(),
                                          static_cast<int>(i)) == model.bodies[0].nodes.end())
      model.nodes[i].position +=
          0.005 * Vec3(std::sin(3.0 * static_cast<double>(i)), std::cos(5.0 * static_cast<double>(i)), 0.5);
  const OptimiseResult result = find_by_lengths(model);
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_LE(result.residual, 1e-12);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("leave the nodes no way to move"), std::string::npos);
  for (const double tension : result.tensions) EXPECT_GT(tension, 0.0);
}

// The multipliers of a shape with many states of self-stress are not unique: those with all cables in tension count.
TEST(FormOptimise, OfManyForcesThoseThatPull) {
  Model model = generated("spine").model;
  model.gravity.setZero();
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (model.nodes[i].fixed == Axes{})
      model.nodes[i].position +=
          0.002 * Vec3(std::sin(3.0 * static_cast<double>(i)), std::cos(5.0 * static_cast<double>(i)), 0.5);
  const OptimiseResult result = find_by_lengths(model);
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_LE(result.residual, 1e-12);
  for (const double tension : result.tensions) EXPECT_GT(tension, 0.0);
}

// A ring of one cable gives its corners away: the longest bars draw two of them together.
TEST(FormOptimise, ClosedRingsFallTogether) {
  Model model = empty_scenario().model;
  for (const Vec3& p : {Vec3(0.35, 0.14, 0.11), Vec3(-0.35, 0.43, -0.02), Vec3(-0.19, -0.32, -0.16),
                        Vec3(-0.62, 0.38, 0.97), Vec3(0.1, -0.7, 0.98), Vec3(0.52, 0.14, 1.18)})
    add_node(model, p);
  for (int i = 0; i < 3; ++i) add_bar(model, i, i + 3, 1.0);
  for (const std::vector<int>& path : {std::vector<int>{0, 1, 2, 0}, {3, 4, 5, 3}, {0, 5}, {1, 3}, {2, 4}}) {
    add_cable(model, path, linear_law(1e3), 1.0);
    model.cables.back().rest_length = 0.97 * start_length(model, model.cables.back());
  }
  const OptimiseResult result = find_by_lengths(model);
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.reason.find("run into each other"), std::string::npos) << result.reason;
}

// Bars of 1 m between cables that shall be short: cables vanish, and no length contradicts another.
TEST(FormOptimise, CablesThatVanishAreNoContradiction) {
  Model model = generated("six_bar").model;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    model.nodes[i].position +=
        0.02 * Vec3(std::sin(3.0 * static_cast<double>(i)), std::cos(5.0 * static_cast<double>(i)), 0.5);
  OptimiseOptions options;
  const int cables = static_cast<int>(model.cables.size());
  options.weight.assign(cables + 6, 0.0);
  options.length.assign(cables + 6, NAN);
  for (int m = 0; m < cables; ++m) options.weight[m] = -1.0;
  for (int m = cables; m < cables + 6; ++m) options.length[m] = 1.0;
  const OptimiseResult result = find_by_lengths(model, options);
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.reason.find("shrink to nothing"), std::string::npos) << result.reason;
}

}  // namespace
}  // namespace taut::testing
