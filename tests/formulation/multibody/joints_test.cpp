// What every joint must satisfy: its transform is where its velocity leads, S and c_J are the derivatives they claim to
// be, constraint forces do no work, the power of internal torques is that of their energy and their dissipation, and
// derivatives agree with differences. Differences are of fourth order with h = 1e-3: about 1e-12 from the step and
// 1e-13 from rounding, times third to fifth derivatives; 1e-9 leaves room for these and catches any wrong term.
#include <gtest/gtest.h>

#include "tests/formulation/multibody/specimens.h"
#include "tests/support/dense.h"
#include "tests/support/differences.h"

namespace taut::testing {
namespace {

using namespace multibody;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double difference_error = 1e-9;
constexpr int states = 20;

class JointSuite : public ::testing::TestWithParam<int> {
 protected:
  Specimen specimen = specimens().at(static_cast<std::size_t>(GetParam()));
  Joint& joint = specimen.joint;
  const int nq = coordinates(joint), nv = velocities(joint);
  Random random{static_cast<unsigned>(GetParam()) + 1};

  // q ⊕ s δ.
  std::array<double, 7> along(const JointState& at, const double* step, double s) const {
    std::array<double, 6> scaled{};
    for (int i = 0; i < nv; ++i) scaled[i] = s * step[i];
    std::array<double, 7> q{};
    retract(joint, at.q.data(), scaled.data(), q.data());
    return q;
  }
  JointMotion motion(const std::array<double, 7>& q, const std::array<double, 6>& v) const {
    JointMotion m;
    m.S.setZero();
    move(joint, q.data(), v.data(), m);
    return m;
  }
  MatrixXd subspace(const std::array<double, 7>& q) const { return motion(q, {}).S.leftCols(nv); }
  MatrixXd constraint_subspace(const std::array<double, 7>& q) const {
    Mat6 T = Mat6::Zero();
    constraint_forces(joint, q.data(), T);
    return T.leftCols(6 - nv);
  }
  JointTorque torque(const std::array<double, 7>& q, const std::array<double, 6>& v, CableSwitch held) const {
    JointTorque t;
    internal_torque(joint, q.data(), v.data(), t, held);
    return t;
  }
  // Taut or slack as the state is, held so that differences do not cross the switch.
  CableSwitch held(const JointState& s) const {
    CableStatus status;
    cable_status(joint, s.q.data(), s.v.data(), status);
    return status.slack ? CableSwitch::held_slack : CableSwitch::held_taut;
  }
};

TEST_P(JointSuite, TransformIsTheExponentialOfTheTwist) {
  const JointState start = random_state(joint, random);
  const auto speed = [&](double t) {
    std::array<double, 6> v{};
    for (int i = 0; i < nv; ++i) v[i] = start.v[i] * std::cos((1.0 + 0.3 * i) * t);
    return v;
  };
  const auto rate = [&](const VectorXd& q, double t) {
    VectorXd q_rate = VectorXd::Zero(7);
    rates(joint, q.data(), speed(t).data(), q_rate.data());
    return q_rate;
  };
  const auto twist = [&](const VectorXd& q, double t) {
    std::array<double, 7> at{};
    std::copy(q.begin(), q.end(), at.begin());
    return motion(at, speed(t)).velocity;
  };
  // q by Runge-Kutta from q̇ = N v; the frame by the exponential of the fourth-order Magnus step from the twist S v.
  constexpr int steps = 1000;
  constexpr double step = 1.0 / steps;
  const double gauss[2] = {0.5 - std::sqrt(3.0) / 6.0, 0.5 + std::sqrt(3.0) / 6.0};
  VectorXd q = VectorXd::Map(start.q.data(), 7);
  Transform frame = transform(joint, start.q.data());
  const auto advance = [&](const VectorXd& from, double t, double dt) {
    const VectorXd k1 = rate(from, t), k2 = rate(from + 0.5 * dt * k1, t + 0.5 * dt);
    const VectorXd k3 = rate(from + 0.5 * dt * k2, t + 0.5 * dt), k4 = rate(from + dt * k3, t + dt);
    return VectorXd(from + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4));
  };
  for (int i = 0; i < steps; ++i) {
    const double t = i * step;
    Vec6 a[2];
    for (int g = 0; g < 2; ++g) a[g] = twist(advance(q, t, gauss[g] * step), t + gauss[g] * step);
    const Vec6 whole = 0.5 * step * (a[0] + a[1]) + std::sqrt(3.0) / 12.0 * step * step * cross_motion(a[0], a[1]);
    frame = exponential(whole) * frame;
    q = advance(q, t, step);
  }
  const Transform end = transform(joint, q.data());
  // Both integrations are of fourth order: 1e-12 times derivatives.
  EXPECT_LT((end.E - frame.E).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((end.r - frame.r).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((end.E * end.E.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_GT((end.matrix() - transform(joint, start.q.data()).matrix()).cwiseAbs().maxCoeff(), nv > 0 ? 1e-2 : -1.0);
}

TEST_P(JointSuite, MotionSubspaceIsTheDerivativeOfTheTransform) {
  for (int n = 0; n < states; ++n) {
    const JointState s = random_state(joint, random);
    const Transform here = transform(joint, s.q.data());
    const MatrixXd S = subspace(s.q);
    for (int i = 0; i < nv; ++i) {
      const Vec6 unit = Vec6::Unit(i);
      const Vec6 column =
          derivative([&](double e) { return displacement(transform(joint, along(s, unit.data(), e).data()), here); });
      EXPECT_LT((column - S.col(i)).cwiseAbs().maxCoeff(), difference_error);
    }
    const JointMotion m = motion(s.q, s.v);
    EXPECT_LT((m.velocity - S * VectorXd::Map(s.v.data(), nv)).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((m.X.matrix() - here.matrix()).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST_P(JointSuite, BiasIsTheRateOfTheVelocity) {
  for (int n = 0; n < states; ++n) {
    const JointState s = random_state(joint, random);
    const Vec6 bias = derivative([&](double t) { return motion(along(s, s.v.data(), t), s.v).velocity; });
    EXPECT_LT((bias - motion(s.q, s.v).bias).cwiseAbs().maxCoeff(), difference_error);
  }
}

TEST_P(JointSuite, RatesAreTheDerivativeOfTheStep) {
  for (int n = 0; n < states; ++n) {
    const JointState s = random_state(joint, random);
    const VectorXd v = VectorXd::Map(s.v.data(), nv);
    VectorXd q_rate = VectorXd::Zero(7);
    rates(joint, s.q.data(), s.v.data(), q_rate.data());
    const VectorXd by_step = derivative([&](double t) {
      const std::array<double, 7> q = along(s, s.v.data(), t);
      return VectorXd(VectorXd::Map(q.data(), nq));
    });
    EXPECT_TRUE(nq == 0 || (by_step - q_rate.head(nq)).cwiseAbs().maxCoeff() < difference_error);

    Mat7 N = Mat7::Zero(), back = Mat7::Zero(), by_q = Mat7::Zero();
    rate_map(joint, s.q.data(), N);
    rate_map_inverse(joint, s.q.data(), back);
    rates_by_q(joint, s.q.data(), s.v.data(), by_q);
    EXPECT_LT((N.topLeftCorner(nq, nv) * v - q_rate.head(nq)).norm(), 1e-14);
    EXPECT_LT((back.topLeftCorner(nv, nq) * N.topLeftCorner(nq, nv) - MatrixXd::Identity(nv, nv)).norm(), 1e-14);
    for (int i = 0; i < nq; ++i) {
      const VectorXd column = derivative([&](double e) {
        std::array<double, 7> q = s.q;
        q[i] += e;
        VectorXd out = VectorXd::Zero(7);
        rates(joint, q.data(), s.v.data(), out.data());
        return out;
      });
      EXPECT_LT((column.head(nq) - by_q.col(i).head(nq)).norm(), difference_error);
    }

    // The step from q to q ⊕ δ is δ, and is the frame's twist exactly for a free body.
    const std::array<double, 7> next = along(s, s.v.data(), 1.0);
    VectorXd step = VectorXd::Zero(6);
    difference(joint, s.q.data(), next.data(), step.data());
    EXPECT_LT((step.head(nv) - v).norm(), 1e-14 * (1.0 + v.norm()) * 10.0);
    if (std::holds_alternative<Floating>(joint.kind)) {
      const Transform expected = exponential(Vec6::Map(s.v.data())) * transform(joint, s.q.data());
      EXPECT_LT((expected.matrix() - transform(joint, next.data()).matrix()).norm(), 1e-14);
    }
  }
}

TEST_P(JointSuite, ConstraintForcesDoNoWork) {
  for (int n = 0; n < states; ++n) {
    const JointState s = random_state(joint, random);
    const MatrixXd S = subspace(s.q), T = constraint_subspace(s.q);
    Mat6 all = Mat6::Zero();
    active_forces(joint, s.q.data(), all);
    const MatrixXd active = all.leftCols(nv);
    EXPECT_LT((S.transpose() * T).norm(), 1e-15);
    EXPECT_LT((S.transpose() * active - MatrixXd::Identity(nv, nv)).norm(), 1e-14);
    // Together they are all forces.
    all.rightCols(6 - nv) = T;
    EXPECT_GT(std::abs(determinant(all)), 1e-3);
    // -Ṫ_cᵀ v_J = T_cᵀ c_J.
    const JointMotion m = motion(s.q, s.v);
    const MatrixXd T_rate = derivative([&](double t) { return constraint_subspace(along(s, s.v.data(), t)); });
    EXPECT_LT((T_rate.transpose() * m.velocity + T.transpose() * m.bias).norm(), difference_error);
  }
}

TEST_P(JointSuite, PowerOfInternalTorquesIsAccountedFor) {
  // Without springs, dampers and friction only cables have torques.
  CableStatus status;
  const JointState at = random_state(joint, random);
  const bool compliant =
      cable_status(joint, at.q.data(), at.v.data(), status) && specimen.name.find("rigid") == std::string::npos;
  EXPECT_EQ(has_internal_torque(joint), compliant);
  for (const bool slides : {false, true})
    for (int n = 0; n < states; ++n) {
      give_passive(joint, slides, random);
      EXPECT_TRUE(has_internal_torque(joint));
      const JointState s = random_state(joint, random);
      const CableSwitch how = held(s);
      const JointTorque t = torque(s.q, s.v, how);
      const double energy_rate =
          derivative([&](double time) { return torque(along(s, s.v.data(), time), s.v, how).energy; });
      const double power = t.torque.head(nv).dot(VectorXd::Map(s.v.data(), nv));
      EXPECT_NEAR(energy_rate, -power - t.dissipated + t.supplied, difference_error * (1.0 + std::abs(power)));
      EXPECT_GE(t.energy, 0.0);
      EXPECT_GE(t.dissipated, 0.0);
      // By sign it is the same.
      EXPECT_EQ((torque(s.q, s.v, CableSwitch::by_sign).torque - t.torque).norm(), 0.0);
      // Dampers and friction take from every motion.
      EXPECT_TRUE(nv == 0 || t.dissipated > 0.0);
    }
}

TEST_P(JointSuite, TorqueSlopesAreDerivatives) {
  for (const bool slides : {false, true})
    for (int n = 0; n < states; ++n) {
      give_passive(joint, slides, random);
      const JointState s = random_state(joint, random);
      const CableSwitch how = held(s);
      JointTorqueSlopes slopes;
      internal_torque_slopes(joint, s.q.data(), s.v.data(), slopes, how);
      // Differences of the cable's stress, some 100 N per strain and more per radian.
      const double scale = 1.0 + slopes.by_q.norm() + slopes.by_v.norm();
      for (int i = 0; i < nv; ++i) {
        const Vec6 unit = Vec6::Unit(i);
        const Vec6 by_q = derivative([&](double e) { return torque(along(s, unit.data(), e), s.v, how).torque; });
        EXPECT_LT((by_q - slopes.by_q.col(i)).norm(), difference_error * scale) << "column " << i;
        const Vec6 by_v = derivative([&](double e) {
          std::array<double, 6> v = s.v;
          v[i] += e;
          return torque(s.q, v, how).torque;
        });
        EXPECT_LT((by_v - slopes.by_v.col(i)).norm(), difference_error * scale) << "column " << i;
      }
    }
}

TEST_P(JointSuite, FitFindsTheCoordinatesAndTheLoopErrorIsZeroThere) {
  for (int n = 0; n < states; ++n) {
    const JointState s = random_state(joint, random);
    const Transform X = transform(joint, s.q.data());
    // From coordinates nearby, as they are before a step.
    std::array<double, 7> q = along(s, s.v.data(), 0.3);
    ASSERT_TRUE(fit(joint, X, q.data()));
    for (int i = 0; i < nq; ++i) EXPECT_NEAR(q[i], s.q[i], 1e-13);
    VectorXd error = VectorXd::Zero(6);
    loop_error(joint, X, q.data(), error.data());
    EXPECT_LT(error.norm(), 1e-14);
    // Off the joint: the error grows by T_cᵀ twist, with q held or fitted anew.
    const Vec6 twist = Vec6::Random();
    const MatrixXd T = constraint_subspace(s.q);
    for (const bool again : {false, true}) {
      const VectorXd slope = derivative([&](double e) {
        const Transform off = exponential(e * twist) * X;
        std::array<double, 7> near = s.q;
        if (again) fit(joint, off, near.data());
        VectorXd out = VectorXd::Zero(6);
        loop_error(joint, off, near.data(), out.data());
        return out;
      });
      EXPECT_LT((slope.head(6 - nv) - T.transpose() * twist).norm(), difference_error);
    }
  }
}

TEST_P(JointSuite, NothingDependsOnTheNormOfAQuaternion) {
  give_passive(joint, false, random);
  const JointState s = random_state(joint, random);
  JointState longer = s;
  const double factor = nq == nv ? 1.0 : 1.7;
  for (int i = 0; i < 4; ++i) longer.q[i] *= factor;
  EXPECT_LT((motion(longer.q, s.v).X.matrix() - motion(s.q, s.v).X.matrix()).norm(), 1e-15);
  const JointTorque t = torque(s.q, s.v, CableSwitch::by_sign), same = torque(longer.q, s.v, CableSwitch::by_sign);
  EXPECT_LT((t.torque - same.torque).norm(), 1e-14);
  EXPECT_NEAR(normalise(joint, longer.q.data()), factor - 1.0, 1e-15);
  for (int i = 0; i < nq; ++i) EXPECT_NEAR(longer.q[i], s.q[i], 1e-15);
}

TEST_P(JointSuite, CoordinatesHaveNames) {
  std::vector<std::string> names;
  for (int i = 0; i < nq; ++i) names.push_back(coordinate_name(joint, i));
  for (int i = 0; i < nv; ++i) names.push_back(velocity_name(joint, i));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const std::string& name : names) EXPECT_FALSE(name.empty());
}

INSTANTIATE_TEST_SUITE_P(All, JointSuite, ::testing::Range(0, static_cast<int>(specimens().size())),
                         [](const ::testing::TestParamInfo<int>& test) {
                           return specimens().at(static_cast<std::size_t>(test.param)).name;
                         });

}  // namespace
}  // namespace taut::testing
