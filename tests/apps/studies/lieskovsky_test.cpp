// taut reproduce involute and control: figures and numbers of Lieskovský (2022), chapters 4 and 5.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "tests/apps/studies/results.h"

namespace taut::testing {
namespace {

// Table 4.1 at the knots, and the cubic between them by hand: from one knot to the next at rest, p goes as 3τ² - 2τ³.
TEST(Lieskovsky, TheSplineOfTable41) {
  const StudyFolder study({"control", "--set", "part=spline"}, Page::part);
  EXPECT_EQ(study.results["spline.x"]["published"], (std::vector<double>{0, 4, 0, 0}));
  EXPECT_EQ(study.results["spline.y"]["published"], (std::vector<double>{0, 0, 3, 0}));
  EXPECT_EQ(study.results["spline.printed_order"]["published"], 4.0);
  EXPECT_EQ(study.list("spline.x"), (std::vector<double>{0, 4, 0, 0}));
  EXPECT_EQ(study.list("spline.y"), (std::vector<double>{0, 0, 3, 0}));
  EXPECT_EQ(study.list("spline.x_rate"), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(study.list("spline.y_rate"), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(study.value("spline.printed_order"), -4.0);
  const std::vector<double> x = {0, 4, 0, 0}, y = {0, 0, 3, 0};
  const auto series = study.series("spline.csv");
  for (std::size_t i = 0; i < series[0].size(); ++i) {
    const double t = series[0][i];
    const auto k = std::min<std::size_t>(static_cast<std::size_t>(t / 2.0), 2);
    const double tau = t / 2.0 - static_cast<double>(k), s = tau * tau * (3.0 - 2.0 * tau),
                 s_rate = 3.0 * tau * (1.0 - tau);
    EXPECT_NEAR(series[1][i], x[k] + s * (x[k + 1] - x[k]), 1e-14);
    EXPECT_NEAR(series[2][i], y[k] + s * (y[k + 1] - y[k]), 1e-14);
    EXPECT_NEAR(series[3][i], s_rate * (x[k + 1] - x[k]), 1e-14);
    EXPECT_NEAR(series[4][i], s_rate * (y[k + 1] - y[k]), 1e-14);
  }
  for (const char* file : {"spline_plane.svg", "spline_points.svg", "spline_rates.svg"})
    EXPECT_TRUE(std::filesystem::exists(study.path() / file)) << file;
}

// Figure 5.5: the strains swing about what the torques hold. All three pulleys together swing on their cables while the
// strut stays: ω² = EA R² (1 + ε)²/(J l).
TEST(Lieskovsky, StrainsSwingOnTheirOwnAxes) {
  const StudyFolder study({"involute", "--set", "steps=1000"});
  const double R = 0.07, l = study.value("tangent_length"), eps = study.value("initial_strain");
  const double EA = 50e6 * std::numbers::pi * 1e-6, J = 0.5 * 2700.0 * std::numbers::pi * 0.01 * std::pow(R, 4);
  const double together = std::sqrt(EA * R * R * (1.0 + eps) * (1.0 + eps) / (J * l)) / (2.0 * std::numbers::pi);
  double nearest = INFINITY;
  for (const double f : study.list("frequencies")) nearest = std::min(nearest, std::abs(f - together));
  EXPECT_LT(nearest, 1e-7 * together);

  const std::vector<double> strain = study.series("single_strut_epsilon.csv")[3];
  const auto [low, high] = std::minmax_element(strain.begin(), strain.end());
  EXPECT_EQ(study.value("strain_swing"), *high - *low);
  int turns = 0;
  for (std::size_t i = 2; i < strain.size(); ++i)
    turns += (strain[i] - strain[i - 1]) * (strain[i - 1] - strain[i - 2]) < 0.0 ? 1 : 0;
  EXPECT_GE(turns, 6);  // four times in the second
  // The axis of the strains holds them alone: its lowest tick is not 0.
  const std::string picture = contents(study.path() / "strains.svg");
  EXPECT_NE(picture.find(">eps1<"), std::string::npos);
  EXPECT_EQ(picture.find(">psi<"), std::string::npos);
  EXPECT_EQ(picture.find("text-anchor=\"end\">0<"), std::string::npos);
  EXPECT_NE(contents(study.path() / "angles.svg").find(">psi<"), std::string::npos);
}

// The manipulator on its paths, where figures 5.13 and 5.14 show it: the start is the singular equilibrium, found
// from the drawn shape; every figure is there, and the report animates the manipulator, not the strut.
TEST(Lieskovsky, TheManipulatorIsDrawnAndAnimated) {
  if (std::getenv("TAUT_PROGRAM") != nullptr) GTEST_SKIP() << "takes minutes with sanitizers";
  const StudyFolder study({"control", "--set", "part=manipulator", "--set", "tolerance=1e-5"}, Page::part);
  EXPECT_NEAR(study.value("manipulator.start.twist"), 150.0, 1e-9);
  EXPECT_NEAR(study.list("manipulator.start.tensions")[0], 20.0 * std::numbers::pi, 1e-9);  // 20 MPa, 1 mm
  EXPECT_LT(study.value("manipulator.start.acceleration"), 1e-9);
  EXPECT_LT(study.value("manipulator.mechanism.settled.singular_value"), 1e-9);
  // "Followed with considerable accuracy" along z, "comparably worse" along y: ten times.
  EXPECT_LT(study.value("manipulator.z.feed_forward.max_deviation"), 0.32e-3);
  EXPECT_GT(study.value("manipulator.y.feed_forward.max_deviation"), 3e-3);
  EXPECT_EQ(study.results["manipulator.degrees_of_freedom"]["published"], 12.0);
  EXPECT_EQ(study.value("manipulator.degrees_of_freedom"), 12.0);
  for (const char* axis : {"z", "y"})
    for (const char* figure : {"_path", "_deviations", "_strains", "_pose_5s", "_compensated_deviations"}) {
      const std::string text = contents(study.path() / (std::string("manipulator_") + axis + figure + ".svg"));
      EXPECT_NE(text.find("</svg>"), std::string::npos) << axis << figure;
    }
  // Six cables, six pulleys with their blocks, three struts in their pieces.
  const std::string pose = contents(study.path() / "manipulator_z_pose_5s.svg");
  EXPECT_NE(pose.find("figure 5.13 d"), std::string::npos);
  std::size_t pulleys = 0;
  for (std::size_t at = pose.find("#e69f00"); at != std::string::npos; at = pose.find("#e69f00", at + 1)) ++pulleys;
  EXPECT_EQ(pulleys, 6u);
  const std::string toml = contents(study.path() / "manipulator_z.toml");
  EXPECT_NE(toml.find("compensate_damping = false"), std::string::npos);
  const std::string page = contents(study.path() / "report.html");
  EXPECT_NE(page.find("end-effector"), std::string::npos);
  EXPECT_NE(page.find("along z, as printed"), std::string::npos);
  EXPECT_NE(page.find("along y, as printed"), std::string::npos);
}

}  // namespace
}  // namespace taut::testing
