#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <random>

#include "taut/forces/rigid_rod.h"

namespace taut {
namespace {

using Vec = Eigen::Vector3d;
using Mat = Eigen::Matrix3d;
using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Vec vec(const Triple<double>& a) { return {a.x, a.y, a.z}; }
Triple<double> triple(const Vec& a) { return {a.x(), a.y(), a.z()}; }
ContactResponse<double> response(const Mat& a) { return {a(0, 0), a(0, 1), a(0, 2), a(1, 1), a(1, 2), a(2, 2)}; }

// By how much p and v fail the conditions of a contact, as a part of the speed and the impulse given.
double coulomb_error(const Vec& p, const Vec& v, double c, double mu, double speed, double impulse) {
  const double along = p.tail<2>().norm(), slip = v.tail<2>().norm();
  double error = std::max(-p[0], along - mu * p[0]) / impulse;
  error = std::max(error, (c - v[0]) / speed);
  error = std::max(error, p[0] / impulse * (v[0] - c) / speed);
  // Where the impulse is inside the cone nothing slides; on its edge it is against the sliding.
  const double room = std::max(0.0, mu * p[0] - along) / impulse;
  error = std::max(error, room * slip / speed);
  return std::max(error, (p.tail<2>().dot(v.tail<2>()) + along * slip) / (impulse * speed));
}

class Draws {
 public:
  double operator()(double from, double to) { return std::uniform_real_distribution<>(from, to)(random_); }
  Vec vector() { return {(*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1)}; }
  // Symmetric and positive, with eigenvalues that differ by up to the factor given.
  Mat positive(double factor) {
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond((*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1)).normalized();
    const Vec sizes = Vec::NullaryExpr([&] { return std::pow(factor, (*this)(0, 1)); });
    return turn.toRotationMatrix() * sizes.asDiagonal() * turn.toRotationMatrix().transpose();
  }

 private:
  std::mt19937 random_{7};
};

// Every answer meets all conditions of Coulomb's law, whatever the shape of A.
TEST(RigidContact, OneContactMeetsEveryConditionExactly) {
  Draws draw;
  int stuck = 0, slid = 0, apart = 0;
  for (int i = 0; i < 200000; ++i) {
    const Mat a = draw.positive(std::pow(10.0, draw(0, 4)));
    const Vec u = draw.vector();
    const double c = i % 3 == 0 ? draw(-0.5, 0.5) : 0.0, mu = std::pow(10.0, draw(-4, 1));
    const Vec p = vec(contact_impulse(response(a), triple(u), c, mu)), v = u + a * p;
    // What rounding does to p grows with how differently A answers along its axes.
    const double condition = a.norm() * a.inverse().norm();
    EXPECT_LT(coulomb_error(p, v, c, mu, 1.0 + a.norm() * p.norm(), 1e-300 + p.norm()), 1e-14 * condition)
        << "draw " << i;
    (p.isZero() ? apart : p.tail<2>().norm() < mu * p[0] * (1.0 - 1e-9) ? stuck : slid) += 1;
  }
  EXPECT_GT(stuck, 1000);
  EXPECT_GT(slid, 1000);
  EXPECT_GT(apart, 1000);
}

// A point mass: m v_n is stopped; friction stops it or takes μ times that.
TEST(RigidContact, PointMassInClosedForm) {
  const double w = 0.5;
  const ContactResponse<double> a{w, 0, 0, w, 0, w};
  const Vec slides = vec(contact_impulse(a, {-2.0, 3.0, -4.0}, 0.0, 0.25));
  EXPECT_NEAR((slides - Vec(4.0, -0.6, 0.8)).norm(), 0.0, 1e-15);
  const Vec sticks = vec(contact_impulse(a, {-2.0, 0.3, -0.4}, 0.0, 0.251));
  EXPECT_NEAR((sticks - Vec(4.0, -0.6, 0.8)).norm(), 0.0, 1e-15);
  const Vec smooth = vec(contact_impulse(a, {-2.0, 3.0, -4.0}, 0.0, 0.0));
  EXPECT_NEAR((smooth - Vec(4.0, 0.0, 0.0)).norm(), 0.0, 0.0);
  EXPECT_TRUE(vec(contact_impulse(a, {2.0, 3.0, -4.0}, 2.0, 0.5)).isZero());
  // Straight down: nothing slides, nothing is divided by 0.
  EXPECT_EQ(vec(contact_impulse(a, {-2.0, 0.0, 0.0}, 0.0, 0.5)), Vec(4.0, 0.0, 0.0));
}

// A plate on four corners, which share its weight in infinitely many ways: D has rank 6 of 12.
TEST(RigidContact, RedundantContactsSettle) {
  Draws draw;
  for (int i = 0; i < 300; ++i) {
    const double mass = 2.0;
    const Vec inertia(0.3, 0.4, 0.6);
    std::array<Eigen::Matrix<double, 3, 6>, 4> jacobian;
    std::array<RigidPoint<double>, 4> points;
    const double mu = draw(0, 1.5);
    for (int k = 0; k < 4; ++k) {
      const Vec arm(k % 2 ? 0.5 : -0.5, k / 2 ? 0.4 : -0.4, -0.1);
      Mat cross;
      cross << 0, arm.z(), -arm.y(), -arm.z(), 0, arm.x(), arm.y(), -arm.x(), 0;
      // Normal first: the axes z, x, y.
      const Eigen::PermutationMatrix<3> normal_first(Eigen::Vector3i(1, 2, 0));
      jacobian[k] << Mat::Identity(), cross;
      jacobian[k] = normal_first * jacobian[k];
      points[k] = {{}, 0.0, mu};
    }
    Eigen::Matrix<double, 6, 1> w;
    w << Vec::Constant(1 / mass), inertia.cwiseInverse();
    // Half of them fall flat and slide, as a symmetric structure does.
    Eigen::Matrix<double, 6, 1> free;
    free << draw(-1, 1), draw(-1, 1), -1.0, Vec::Zero();
    if (i % 2) free.tail<3>() = draw.vector();
    std::array<double, 9 * 16> blocks;
    std::array<Triple<double>, 4> v, p{}, room;
    for (int k = 0; k < 4; ++k) {
      v[k] = triple(jacobian[k] * free);
      for (int l = 0; l < 4; ++l)
        RowMajor::Map(&blocks[9 * (4 * k + l)]) = jacobian[k] * w.asDiagonal() * jacobian[l].transpose();
    }
    const auto report =
        settle_contacts(4, blocks.data(), points.data(), v.data(), p.data(), 1.0, 1e-4, 2000, true, room.data());
    EXPECT_LT(report.residual, 1e-13) << i;
    Eigen::Matrix<double, 6, 1> end = free;
    for (int k = 0; k < 4; ++k) end += w.asDiagonal() * jacobian[k].transpose() * vec(p[k]);
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR((vec(v[k]) - jacobian[k] * end).norm(), 0.0, 1e-13);
      EXPECT_LT(coulomb_error(vec(p[k]), vec(v[k]), 0.0, mu, 1.0, 1e-300 + vec(p[k]).norm()), 1e-11) << i;
    }
    if (i % 2) continue;
    // In symmetry: it does not turn unless friction tips it, and slides as one mass.
    const double sliding = free.head<2>().norm(), left = std::max(0.0, sliding - mu);
    if (mu < 0.8) {
      EXPECT_NEAR(end.head<2>().norm(), left, 1e-10) << i;
    }
  }
}

// A slender rod, mass 1.2, length 0.8, in general position.
struct TestRod {
  double mass = 1.2, length = 0.8;
  RigidRod<double, double> rod;
  TestRod(const Vec& direction) {
    // The inverse of m [1/3 1/6; 1/6 1/3].
    rod = {4.0 / mass, -2.0 / mass, 4.0 / mass, triple(length * direction.normalized())};
  }
  RodTouch<double> touch(double w_a, double c, double mu, const Vec& normal = Vec::UnitZ()) const {
    return {{contact_frame(triple(normal.normalized())), c, mu}, w_a, 1.0 - w_a, c, {}};
  }
  double kinetic(const Pair<double>& v) const {
    const Vec a = vec(v.a), b = vec(v.b);
    return mass / 6.0 * (a.squaredNorm() + a.dot(b) + b.squaredNorm());
  }
};

// The end of a rod that falls at the angle θ to the plane stops: P = m v (1 + e)/(1 + 3 cos²θ).
TEST(RigidContact, ImpactOfARodInClosedForm) {
  for (const double angle : {0.0, 0.3, 0.7, 1.2, 1.5707963267948966}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      const TestRod test(Vec(std::cos(angle), 0.0, std::sin(angle)));
      RodTouch<double> touch = test.touch(1.0, 0.0, 0.0);
      touch.bounce = 3.0 * e, touch.before = {-3.0, 0.0, 0.0};
      Pair<double> v{{0, 0, -3.0}, {0, 0, -3.0}}, p;
      const double before = test.kinetic(v);
      settle_rod<1>(test.rod, false, 0.0, 0.0, 1, &touch, e > 0.0, 1e-15, v, p);
      const double impulse = test.mass * 3.0 * (1.0 + e) / (1.0 + 3.0 * std::cos(angle) * std::cos(angle));
      EXPECT_NEAR(p.a.z, impulse, 1e-14 * impulse);
      EXPECT_NEAR(v.a.z, 3.0 * e, 1e-13);
      EXPECT_NEAR((v.b.z - v.a.z) * std::sin(angle) + (v.b.x - v.a.x) * std::cos(angle), 0.0, 1e-14);
      EXPECT_NEAR(test.kinetic(v) - before, -0.5 * impulse * 3.0 * (1.0 - e), 1e-13);
    }
  }
  // With friction that holds: the end stops, and the rod turns about it with ω = 3 v cosθ/(2 L).
  const double angle = 0.9;
  const TestRod test(Vec(std::cos(angle), 0.0, std::sin(angle)));
  const RodTouch<double> touch = test.touch(1.0, 0.0, 1.0);
  Pair<double> v{{0, 0, -3.0}, {0, 0, -3.0}}, p;
  settle_rod<1>(test.rod, false, 0.0, 0.0, 1, &touch, false, 1e-15, v, p);
  EXPECT_NEAR(vec(v.a).norm(), 0.0, 1e-13);
  EXPECT_NEAR(vec(v.b).norm(), 1.5 * 3.0 * std::cos(angle), 1e-13);
}

// One end that sticks, at once, is where the turns of contact and length end; and it is in the cone where they say so.
TEST(RigidContact, AStickingEndIsWhatTheTurnsFind) {
  Draws draw;
  const double h = 1e-3;
  int stuck = 0, slid = 0;
  for (int i = 0; i < 4000; ++i) {
    const TestRod test(draw.vector());
    const bool at_a = i % 2 == 0;
    const RodTouch<double> touch = test.touch(at_a ? 1.0 : 0.0, draw(-0.2, 0.0), draw(0.0, 1.5));
    const RodAnswer<double, double> how = rod_answer(test.rod);
    Pair<double> v{triple(draw.vector()), triple(draw.vector())}, p;
    const double free = rod_length_root(test.rod.b + h * (v.b - v.a), how.ub - how.ua, test.length) / h;
    v.a = v.a + free * how.ua, v.b = v.b + free * how.ub;
    if (!(touch_velocity(touch, v).x < touch.point.wanted)) continue;
    const auto& [aa, ab, bb, b] = test.rod;
    const RodEnd<double> end{at_a ? aa : bb, ab, at_a ? bb : aa, at_a ? b : -1.0 * b};
    Pair<double> found = at_a ? v : Pair<double>{v.b, v.a};
    Triple<double> impulse;
    const bool sticks = stick_end(end, test.length, h, touch.point, found, impulse);
    settle_rod<1>(test.rod, true, test.length, h, 1, &touch, false, 1e-15, v, p);
    const Triple<double> at = touch_velocity(touch, v);
    EXPECT_EQ(sticks, std::hypot(at.y, at.z) < 1e-9) << i;
    ++(sticks ? stuck : slid);
    if (!sticks) continue;
    EXPECT_LT((vec(at_a ? found.a : found.b) - vec(v.a)).norm(), 1e-11) << i;
    EXPECT_LT((vec(at_a ? found.b : found.a) - vec(v.b)).norm(), 1e-11) << i;
    EXPECT_LT((vec(impulse) - vec(at_a ? p.a : p.b)).norm(), 1e-11) << i;
  }
  EXPECT_GT(stuck, 200);
  EXPECT_GT(slid, 200);
}

// Both ends and the middle, on a plane and on slopes: conditions met, the length kept, nothing gained. On a plane with
// moderate friction the order of the points does not matter; rough wedges have more than one solution.
TEST(RigidContact, RodsKeepLengthAndConditionsAtOnce) {
  Draws draw;
  const double h = 1e-3;
  int settled = 0;
  for (int i = 0; i < 20000; ++i) {
    const TestRod test(Vec(draw(-1, 1), draw(-1, 1), 0.3 * draw(-1, 1)));
    const int count = 1 + i % 3;
    const bool plane = i % 2 == 0;
    const double mu = draw(0, plane ? 0.5 : 1.2);
    std::array<RodTouch<double>, 3> touches, turned;
    for (int k = 0; k < count; ++k) {
      const Vec normal = plane ? Vec(0, 0, 1) : Vec(0.3 * draw(-1, 1), 0.3 * draw(-1, 1), 1.0);
      touches[k] = test.touch(k == 0 ? 1.0 : k == 1 ? 0.0 : 0.5, draw(-0.2, 0.0), mu, normal);
    }
    for (int k = 0; k < count; ++k) turned[k] = touches[count - 1 - k];
    Pair<double> v{triple(draw.vector()), triple(draw.vector())};
    // A free move that has met the length already.
    const RodAnswer<double, double> how = rod_answer(test.rod);
    const double mu_free = rod_length_root(test.rod.b + h * (v.b - v.a), how.ub - how.ua, test.length) / h;
    v.a = v.a + mu_free * how.ua, v.b = v.b + mu_free * how.ub;
    Pair<double> w = v, p, q;
    const Pair<double> free = v;
    const auto report = settle_rod<3>(test.rod, true, test.length, h, count, touches.data(), false, 1e-10, v, p);
    settle_rod<3>(test.rod, true, test.length, h, count, turned.data(), false, 1e-10, w, q);
    // 8 roundings of the length over the step are 1.4e-12 m/s.
    EXPECT_LT(report.residual, plane ? 1.5e-12 : 0.05) << i;
    settled += report.residual < 1e-12;
    EXPECT_NEAR(vec(test.rod.b + h * (v.b - v.a)).norm(), test.length, 1e-14);
    for (int k = 0; k < count; ++k) {
      const Vec at = vec(touch_velocity(touches[k], v));
      EXPECT_GT(at[0], touches[k].point.wanted - 1e-11 - 2.0 * report.residual) << i;
    }
    const double work = 0.5 * (vec(p.a).dot(vec(v.a + free.a)) + vec(p.b).dot(vec(v.b + free.b)));
    EXPECT_LE(work, 1e-12);
    // What p moves along the axis of the rod is for its points to share: velocities alone are determined.
    if (plane) {
      EXPECT_NEAR((vec(v.a) - vec(w.a)).norm() + (vec(v.b) - vec(w.b)).norm(), 0.0, 1e-11) << i;
    }
  }
  EXPECT_GT(settled, 19980);
}

// Bounces off several points with friction never add energy.
TEST(RigidContact, BouncesNeverAddEnergy) {
  Draws draw;
  int bound = 0;
  for (int i = 0; i < 20000; ++i) {
    const TestRod test(Vec(draw(-1, 1), draw(-1, 1), 0.1 * draw(-1, 1)));
    Pair<double> v{triple(2.0 * draw.vector()), triple(2.0 * draw.vector())};
    const RodAnswer<double, double> how = rod_answer(test.rod);
    const double along = inner(test.rod.b, v.b - v.a) * how.inverse;
    v.a = v.a - along * how.ua, v.b = v.b - along * how.ub;
    std::array<RodTouch<double>, 2> touches;
    const double e = draw(0, 1);
    double wanted = 0.0;
    for (int k = 0; k < 2; ++k) {
      touches[k] = test.touch(k == 0 ? 1.0 : 0.0, 0.0, draw(0, 1.5));
      touches[k].before = touch_velocity(touches[k], v);
      touches[k].bounce = std::max(0.0, -e * touches[k].before.x);
      wanted = std::max(wanted, touches[k].bounce);
    }
    const double before = test.kinetic(v);
    Pair<double> p;
    settle_rod<2>(test.rod, false, 0.0, 0.0, 2, touches.data(), true, 1e-10, v, p);
    EXPECT_LE(test.kinetic(v), before * (1.0 + 1e-13));
    for (int k = 0; k < 2; ++k) {
      const double normal = touch_velocity(touches[k], v).x;
      EXPECT_GT(normal, -1e-12) << i;
      bound += normal < touches[k].bounce - 1e-9;
    }
  }
  EXPECT_GT(bound, 10) << "no draw needed the bound";
}

// A node that only moves along some axes, on a slope: wedged between its guide and the ground, never a NaN.
TEST(RigidContact, GuidedNodesAreFinite) {
  Draws draw;
  for (int i = 0; i < 2000; ++i) {
    const Triple<double> inverse_mass{i & 1 ? 1.0 : 0.0, i & 2 ? 1.0 : 0.0, i & 4 ? 1.0 : 0.0};
    const Vec normal = i % 5 == 0 ? Vec::UnitZ() : Vec(draw(-1, 1), draw(-1, 1), 1.0);
    const Vec free = vec(inverse_mass * triple(draw.vector()));
    RodTouch<double> touch{{contact_frame(triple(normal.normalized())), 0.0, draw(0, 2)}, 1.0, 0.0, 0.0, {}};
    Triple<double> v = triple(free), p;
    settle_node(inverse_mass, touch, false, 1e-4, v, p);
    EXPECT_TRUE(vec(v).allFinite() && vec(p).allFinite()) << i;
    EXPECT_LE(vec(v).norm(), free.norm() * (1.0 + 1e-6)) << i;
  }
}

// Two lanes, as kernels have them: each answers as it does alone, to the last bit.
struct TwoLanes {
  double d[2];
  TwoLanes() = default;
  TwoLanes(double a) : d{a, a} {}
  TwoLanes(double a, double b) : d{a, b} {}
};
struct TwoMasks {
  bool d[2];
};
TwoLanes operator+(TwoLanes a, TwoLanes b) { return {a.d[0] + b.d[0], a.d[1] + b.d[1]}; }
TwoLanes operator-(TwoLanes a, TwoLanes b) { return {a.d[0] - b.d[0], a.d[1] - b.d[1]}; }
TwoLanes operator*(TwoLanes a, TwoLanes b) { return {a.d[0] * b.d[0], a.d[1] * b.d[1]}; }
TwoLanes operator/(TwoLanes a, TwoLanes b) { return {a.d[0] / b.d[0], a.d[1] / b.d[1]}; }
TwoLanes operator-(TwoLanes a) { return {-a.d[0], -a.d[1]}; }
TwoMasks operator<(TwoLanes a, TwoLanes b) { return {{a.d[0] < b.d[0], a.d[1] < b.d[1]}}; }
TwoMasks operator>(TwoLanes a, TwoLanes b) { return b < a; }
TwoMasks operator<=(TwoLanes a, TwoLanes b) { return {{a.d[0] <= b.d[0], a.d[1] <= b.d[1]}}; }
TwoMasks operator>=(TwoLanes a, TwoLanes b) { return b <= a; }
TwoLanes select(TwoMasks m, TwoLanes a, TwoLanes b) { return {m.d[0] ? a.d[0] : b.d[0], m.d[1] ? a.d[1] : b.d[1]}; }
bool any(TwoMasks m) { return m.d[0] || m.d[1]; }
TwoMasks both(TwoMasks a, TwoMasks b) { return {{a.d[0] && b.d[0], a.d[1] && b.d[1]}}; }
TwoMasks either(TwoMasks a, TwoMasks b) { return {{a.d[0] || b.d[0], a.d[1] || b.d[1]}}; }
TwoMasks inverse(TwoMasks a) { return {{!a.d[0], !a.d[1]}}; }
TwoLanes root(TwoLanes a) { return {std::sqrt(a.d[0]), std::sqrt(a.d[1])}; }
TwoLanes fused(TwoLanes a, TwoLanes b, TwoLanes c) {
  return {std::fma(a.d[0], b.d[0], c.d[0]), std::fma(a.d[1], b.d[1], c.d[1])};
}

// The rod of a draw with two touching ends, in any number type.
template <class R>
struct Case {
  RigidRod<R, R> rod;
  RodTouch<R> touches[2];
  Pair<R> v;
};

template <class R, class F>
Case<R> make_case(const F& number) {
  Case<R> c;
  const auto vector = [&] { return Triple<R>{number(-1, 1), number(-1, 1), number(-1, 1)}; };
  c.rod = {R(4.0), R(-2.0), R(4.0), vector()};
  c.v = {vector(), vector()};
  for (int k = 0; k < 2; ++k) {
    c.touches[k] = {{contact_frame(Triple<R>{R(0), R(0), R(1)}), number(-0.2, 0), number(0, 1)},
                    R(k == 0 ? 1.0 : 0.0),
                    R(k == 0 ? 0.0 : 1.0),
                    R(0),
                    vector()};
    c.touches[k].bounce = number(-0.2, 0.3);
  }
  return c;
}

TEST(RigidContact, LanesDoNotDependOnEachOther) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 first(seed), second(seed + 1000), again(seed), again_second(seed + 1000);
    const auto one = [](std::mt19937& from) {
      return [&from](double a, double b) { return std::uniform_real_distribution<>(a, b)(from); };
    };
    Case<double> alone[2] = {make_case<double>(one(first)), make_case<double>(one(second))};
    Case<TwoLanes> lanes = make_case<TwoLanes>([&](double a, double b) {
      const double x = one(again)(a, b);
      return TwoLanes(x, one(again_second)(a, b));
    });
    Pair<TwoLanes> q;
    const double h = 1e-2;
    const TwoLanes lengths = root(inner(lanes.rod.b, lanes.rod.b));
    settle_rod<2>(lanes.rod, true, lengths, TwoLanes(h), 2, lanes.touches, true, 1e-10, lanes.v, q);
    for (int k = 0; k < 2; ++k) {
      Pair<double> p;
      Case<double>& c = alone[k];
      settle_rod<2>(c.rod, true, lengths.d[k], h, 2, c.touches, true, 1e-10, c.v, p);
      EXPECT_EQ(c.v.a.x, lanes.v.a.x.d[k]);
      EXPECT_EQ(c.v.b.z, lanes.v.b.z.d[k]);
      EXPECT_EQ(p.a.z, q.a.z.d[k]);
      EXPECT_EQ(p.b.y, q.b.y.d[k]);
    }
  }
}

// Single precision, as cards take it.
TEST(RigidContact, FloatAgreesWithDouble) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 first(seed), second(seed);
    Case<double> c =
        make_case<double>([&](double a, double b) { return std::uniform_real_distribution<>(a, b)(first); });
    Case<float> f = make_case<float>(
        [&](double a, double b) { return static_cast<float>(std::uniform_real_distribution<>(a, b)(second)); });
    for (int k = 0; k < 2; ++k) c.touches[k].bounce = -1.0, f.touches[k].bounce = -1.0F;
    Pair<double> p;
    Pair<float> q;
    settle_rod<2>(c.rod, false, 0.0, 0.0, 2, c.touches, false, 1e-10, c.v, p);
    settle_rod<2>(f.rod, false, 0.0F, 0.0F, 2, f.touches, false, 1e-5, f.v, q);
    EXPECT_NEAR(c.v.a.x, f.v.a.x, 1e-3) << seed;
    EXPECT_NEAR(c.v.b.z, f.v.b.z, 1e-3) << seed;
  }
}

}  // namespace
}  // namespace taut
