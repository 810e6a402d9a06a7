// Linkages with closed forms: positions, velocities, accelerations and torques of a four-bar linkage and of a crank
// with a slider, to 1e-10 and better, whichever way they are driven.
#include "tests/formulation/multibody/linkages.h"

#include <gtest/gtest.h>

namespace taut::testing {
namespace {

using namespace multibody;

// An angle or a way with its first and second rate.
struct Course {
  double x, rate, second;
};

// A rod in the plane: its end a, its angle and their rates.
struct PlaneRod {
  Eigen::Vector2d a, a_rate, a_second;
  Course angle;
  double length, mass;

  Eigen::Vector2d along() const { return {std::cos(angle.x), std::sin(angle.x)}; }
  Eigen::Vector2d across() const { return {-std::sin(angle.x), std::cos(angle.x)}; }
  Eigen::Vector2d end_rate(double fraction) const { return a_rate + fraction * length * angle.rate * across(); }
  Eigen::Vector2d end_second(double fraction) const {
    return a_second + fraction * length * (angle.second * across() - angle.rate * angle.rate * along());
  }
  // What inertia and weight take up: uniform, weight along -y.
  double power() const {
    const Eigen::Vector2d v = end_rate(0.5);
    return mass * v.dot(end_second(0.5) + Eigen::Vector2d(0.0, 9.81)) +
           mass * length * length / 12.0 * angle.rate * angle.second;
  }
};

// Two rods from the origin: the crank with given course, then one to a point whose angle is given.
PlaneRod crank_of(double length, const Course& angle) {
  return {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero(), angle, length, 1.0};
}

// The angles of coupler and rocker: their ends meet, b along(β) - c along(ψ) = D - B. By the law of cosines; rates by
// multiplying the derivative with the direction across the other rod.
struct FourBarForm {
  PlaneRod crank, coupler, rocker;

  FourBarForm(const FourBar& bars, const Course& angle) {
    crank = crank_of(bars.crank, angle);
    const Eigen::Vector2d B = bars.crank * crank.along(), D(bars.base, 0.0), d = D - B;
    const double distance = d.norm(), b = bars.coupler, c = bars.rocker;
    const double beta =
        std::atan2(d[1], d[0]) + std::acos((distance * distance + b * b - c * c) / (2.0 * distance * b));
    const Eigen::Vector2d C = B + b * Eigen::Vector2d(std::cos(beta), std::sin(beta));
    coupler = {B, crank.end_rate(1.0), crank.end_second(1.0), {beta, 0.0, 0.0}, b, 2.0};
    rocker = {D,  Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero(), {std::atan2(C[1] - D[1], C[0] - D[0]), 0.0, 0.0}, c,
              1.5};
    // b β̇ across(β) - c ψ̇ across(ψ) = -Ḃ.
    const double sine = coupler.along().dot(rocker.across());
    const Eigen::Vector2d w = -coupler.a_rate;
    coupler.angle.rate = w.dot(rocker.along()) / (b * coupler.across().dot(rocker.along()));
    rocker.angle.rate = -w.dot(coupler.along()) / (c * sine);
    const Eigen::Vector2d s = -coupler.a_second + b * std::pow(coupler.angle.rate, 2) * coupler.along() -
                              c * std::pow(rocker.angle.rate, 2) * rocker.along();
    coupler.angle.second = s.dot(rocker.along()) / (b * coupler.across().dot(rocker.along()));
    rocker.angle.second = -s.dot(coupler.along()) / (c * sine);
  }
  double power() const { return crank.power() + coupler.power() + rocker.power(); }
};

struct SliderForm {
  PlaneRod crank, rod;
  Course slider;

  SliderForm(const CrankSlider& bars, const Course& angle) {
    crank = crank_of(bars.crank, angle);
    const Eigen::Vector2d B = bars.crank * crank.along();
    const double beta = -std::asin(B[1] / bars.rod), l = bars.rod;
    rod = {B, crank.end_rate(1.0), crank.end_second(1.0), {beta, 0.0, 0.0}, l, 2.0};
    rod.angle.rate = -rod.a_rate[1] / (l * std::cos(beta));
    rod.angle.second = (-rod.a_second[1] + l * std::pow(rod.angle.rate, 2) * std::sin(beta)) / (l * std::cos(beta));
    slider = {B[0] + l * std::cos(beta), rod.end_rate(1.0)[0], rod.end_second(1.0)[0]};
  }
  double power() const { return crank.power() + rod.power() + 3.0 * slider.rate * slider.second; }
};

// The crank's course: given at one instant, and as an imposed motion.
Course random_course(Random& random) {
  return {random.between(-3.0, 3.0), random.between(0.5, 4.0), random.between(-5.0, 5.0)};
}
void impose_course(Connection& joint, const Course& c) {
  joint.start.reset();
  joint.motion = [c](double t, double* q, double* v, double* rate) {
    q[0] = c.x + c.rate * t + 0.5 * c.second * t * t, v[0] = c.rate + c.second * t, rate[0] = c.second;
  };
}

constexpr double accuracy = 1e-12;  // times sizes of about 10

// Coordinates of the tree: A, B after it, D.
void expect_four_bar(const Moving& m, const VectorXd& a, const FourBarForm& form) {
  const auto link = [&](const char* name) {
    for (const Link& l : m.system.tree.links)
      if (m.system.machine.joints[l.joint].name == name) return l.v;
    return -1;
  };
  const int A = link("A"), B = link("B"), D = link("D");
  EXPECT_NEAR(std::remainder(m.q[B] - (form.coupler.angle.x - form.crank.angle.x), 2.0 * M_PI), 0.0, accuracy);
  EXPECT_NEAR(std::remainder(m.q[D] - form.rocker.angle.x, 2.0 * M_PI), 0.0, accuracy);
  EXPECT_NEAR(m.v[B], form.coupler.angle.rate - form.crank.angle.rate, 10.0 * accuracy);
  EXPECT_NEAR(m.v[D], form.rocker.angle.rate, 10.0 * accuracy);
  EXPECT_NEAR(a[A], form.crank.angle.second, 100.0 * accuracy);
  EXPECT_NEAR(a[B], form.coupler.angle.second - form.crank.angle.second, 100.0 * accuracy);
  EXPECT_NEAR(a[D], form.rocker.angle.second, 100.0 * accuracy);
}

TEST(MultibodyLinkages, FourBarWithAnImposedCrank) {
  const FourBar bars;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Course course = random_course(random);
    Machine machine = bars.build(course.x);
    impose_course(machine.joints[0], course);
    Moving m(machine);
    EXPECT_EQ(m.system.degrees_of_freedom, 0);
    const VectorXd a = m.accelerate();
    const FourBarForm form(bars, course);
    expect_four_bar(m, a, form);
    // Torque times rate is the power that the bodies take up.
    EXPECT_NEAR(m.terms.torque[0] * course.rate, form.power(), 1e-11 * (1.0 + std::abs(form.power())));
    EXPECT_NEAR(m.terms.drive_power, form.power(), 1e-11 * (1.0 + std::abs(form.power())));
  }
}

// The same with the torque given: θ̈ from the power, which is linear in it.
TEST(MultibodyLinkages, FourBarWithATorque) {
  const FourBar bars;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Course course = random_course(random);
    const double torque = random.between(-3.0, 3.0);
    course.second = 0.0;
    const double none = FourBarForm(bars, course).power();
    course.second = 1.0;
    const double one = FourBarForm(bars, course).power();
    course.second = (torque * course.rate - none) / (one - none);
    Machine machine = bars.build(course.x);
    // Its velocity is the nearest that fits: give one that does.
    const FourBarForm form(bars, course);
    machine.joints[0].velocity = {course.rate};
    machine.joints[1].velocity = {form.rocker.angle.rate};
    machine.joints[2].velocity = {form.coupler.angle.rate - course.rate};
    machine.joints[0].torque = [torque](double, double* t) { t[0] = torque; };
    for (const Method method : {Method::sparse, Method::range}) {
      Moving m(machine, method);
      const VectorXd a = m.accelerate();
      expect_four_bar(m, a, form);
      Independent reduced(m.system);
      const VectorXd b = m.accelerate(reduced);
      expect_four_bar(m, b, form);
    }
  }
}

TEST(MultibodyLinkages, CrankSliderWithAnImposedCrank) {
  const CrankSlider bars;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Course course = random_course(random);
    Machine machine = bars.build(course.x);
    impose_course(machine.joints[0], course);
    Moving m(machine);
    const VectorXd a = m.accelerate();
    const SliderForm form(bars, course);
    const int S = 2;  // the tree: crank, rod, slider
    ASSERT_EQ(m.system.machine.joints[m.system.tree.links[S].joint].name, "S");
    EXPECT_NEAR(m.q[S], form.slider.x, accuracy);
    EXPECT_NEAR(m.v[S], form.slider.rate, 10.0 * accuracy);
    EXPECT_NEAR(a[S], form.slider.second, 100.0 * accuracy);
    EXPECT_NEAR(a[1], form.rod.angle.second - course.second, 100.0 * accuracy);
    EXPECT_NEAR(m.terms.torque[0] * course.rate, form.power(), 1e-11 * (1.0 + std::abs(form.power())));
  }
}

// In motion: the imposed crank's course is a polynomial of second degree, so the steps of the crank are exact, and the
// other coordinates follow from it alone.
TEST(MultibodyLinkages, ImposedMotionIsFollowed) {
  const FourBar bars;
  const Course course{0.3, 2.0, 1.5};
  Machine machine = bars.build(0.0);
  impose_course(machine.joints[0], course);
  Moving m(machine);
  m.advance(1e-2, 150);
  const Course then{course.x + course.rate * m.t + 0.5 * course.second * m.t * m.t, course.rate + course.second * m.t,
                    course.second};
  const VectorXd a = m.accelerate();
  expect_four_bar(m, a, FourBarForm(bars, then));
}

// The crank falls by its weight: energy stays, and at the end the closed form at the crank's angle and rate holds.
TEST(MultibodyLinkages, FourBarConservesEnergy) {
  const FourBar bars;
  Moving m(bars.build(1.2));
  const double energy = m.energy();
  m.advance(2.5e-4, 8000);
  EXPECT_NEAR(m.energy(), energy, 1e-10);
  const VectorXd a = m.accelerate();
  EXPECT_LT(loop_error(m.system, m.terms), 1e-15);
  expect_four_bar(m, a, FourBarForm(bars, {m.q[0], m.v[0], a[0]}));
}

}  // namespace
}  // namespace taut::testing
