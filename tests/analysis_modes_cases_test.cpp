// Natural motions in hard cases: more zeros than modes asked for, unstable shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support.h"
#include "taut/analysis/modes.h"

namespace taut::testing {
namespace {

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

}  // namespace
}  // namespace taut::testing
