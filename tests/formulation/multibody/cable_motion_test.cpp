// A body on a wound cable moves under gravity, with the cable going slack and coming back: energy is accounted for, and
// the variants of the joint are one motion. Runge-Kutta steps of 0.1 ms that end where the cable switches; with
// frequencies below 100 rad/s the error of a step is about (ω h)⁵/120 < 1e-12, and 1e-10 over a second.
#include <gtest/gtest.h>

#include "tests/formulation/multibody/specimens.h"
#include "tests/support/dense.h"

namespace taut::testing {
namespace {

using namespace multibody;
using Eigen::VectorXd;

const Vec3 gravity(0.0, -9.81, 0.0);

// One body behind one joint whose predecessor is held. State: q, v, dissipated, supplied, ∫ ½ EA ε² dl₀.
struct Swing {
  Joint joint;
  Inertia body;
  VectorXd y;
  CableSwitch held = CableSwitch::by_sign;
  int switches = 0;

  int n() const { return velocities(joint); }
  double energy() const {
    JointMotion m;
    JointTorque t;
    move(joint, y.data(), y.data() + n(), m);
    internal_torque(joint, y.data(), y.data() + n(), t, held);
    const Vec3 centre = m.X.point_back(body.moment / body.mass);
    return body.kinetic_energy(m.velocity) - body.mass * gravity.dot(centre) + t.energy;
  }
  double dissipated() const { return y[2 * n()]; }
  double supplied() const { return y[2 * n() + 1]; }
  double wound() const { return y[2 * n() + 2]; }

  VectorXd rate(const VectorXd& at) const {
    const int nv = n();
    const double *q = at.data(), *v = at.data() + nv;
    JointMotion m;
    JointTorque t;
    CableStatus status;
    move(joint, q, v, m);
    internal_torque(joint, q, v, t, held);
    cable_status(joint, q, v, status, held);
    const Eigen::MatrixXd S = m.S.leftCols(nv);
    const Vec6 force =
        body * spatial(Vec3::Zero(), m.X.E * gravity) - body * m.bias - cross_force(m.velocity, body * m.velocity);
    VectorXd out = VectorXd::Zero(at.size());
    out.head(nv) = at.segment(nv, nv);
    out.segment(nv, nv) =
        dense_inverse(S.transpose() * body.matrix() * S) * (t.torque.head(nv) + S.transpose() * force);
    out[2 * nv] = t.dissipated;
    out[2 * nv + 1] = t.supplied;
    // l₀ from the status by its own rate: r φ̇.
    const double EA = material().EA, strain = std::max(status.strain, 0.0);
    out[2 * nv + 2] = 0.5 * EA * strain * strain * free_length_rate(v);
    return out;
  }
  const CableMaterial& material() const {
    const auto* one = std::get_if<Involute>(&joint.kind);
    return one ? one->material : std::get<TwoPulley>(joint.kind).material;
  }
  double free_length_rate(const double* v) const {
    if (const auto* one = std::get_if<Involute>(&joint.kind)) return one->radius * v[0];
    const PulleyPair& p = std::get<TwoPulley>(joint.kind).pulleys;
    return p.first * v[0] + p.second * v[1];
  }
  // Whether it is taut, and stretched: where damping has made a stretched cable slack it loses its energy until it is
  // no longer stretched, and what it loses has a kink there.
  std::array<bool, 2> phase(const VectorXd& at) const {
    CableStatus status;
    cable_status(joint, at.data(), at.data() + n(), status, held);
    return {status.switch_value > 0.0, status.strain > 0.0};
  }
  VectorXd stepped(double h) const {
    const VectorXd k1 = rate(y), k2 = rate(y + 0.5 * h * k1), k3 = rate(y + 0.5 * h * k2), k4 = rate(y + h * k3);
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  void run(double duration, double h) {
    std::array<bool, 2> now = phase(y);
    double left = duration;
    while (left > 1e-13) {
      held = now[0] ? CableSwitch::held_taut : CableSwitch::held_slack;
      double step = std::min(h, left);
      VectorXd next = stepped(step);
      if (phase(next) != now) {
        // The last time at which nothing has changed, and the first at which something has.
        double before = 0.0, after = step;
        for (int i = 0; i < 60; ++i) {
          step = 0.5 * (before + after);
          (phase(stepped(step)) != now ? after : before) = step;
        }
        step = after;
        next = stepped(step);
        switches += phase(next)[0] != now[0];
        now = phase(next);
      }
      y = next;
      left -= step;
    }
  }
};

// Thrown up from a hanging position, so that the cable goes slack and catches the body again.
Swing thrown(CableCoordinate last, double damping, bool conservative) {
  const double r = 0.05, phi = 9.0, l0 = r * phi, l = 1.005 * l0;
  Swing s{Joint(Involute{r, last, {200.0, damping, true, conservative}, {}}),
          rigid_inertia(0.2, Vec3(0.03, 0.01, 0.0), 1e-4 * Mat3::Identity()), VectorXd::Zero(7)};
  s.y[0] = phi;
  s.y[2] = 3.0;
  set_last(last, l0, r * s.y[2], l, -1.5, s.y[1], s.y[3]);
  return s;
}

TEST(CableMotion, VariantsAreOneMotionThroughSlackAndTaut) {
  for (const double damping : {0.0, 0.3})
    for (const bool conservative : {false, true}) {
      Swing reference = thrown(CableCoordinate::l, damping, conservative);
      reference.run(1.0, 1e-4);
      EXPECT_GE(reference.switches, 2);
      const Transform there = transform(reference.joint, reference.y.data());
      for (const CableCoordinate last : {CableCoordinate::u, CableCoordinate::epsilon}) {
        Swing s = thrown(last, damping, conservative);
        s.run(1.0, 1e-4);
        EXPECT_EQ(s.switches, reference.switches);
        EXPECT_NEAR(s.y[0], reference.y[0], 1e-10);
        EXPECT_LT((transform(s.joint, s.y.data()).r - there.r).norm(), 1e-10);
      }
    }
}

// T + V + U + dissipated - supplied is constant. With Lieskovský's torques and no damping `supplied` is -∫ ½ EA ε² r dφ:
// T + V + U = W - ∫ ½ EA ε² r dφ; the conservative ones need no such term.
TEST(CableMotion, EnergyIsAccountedFor) {
  for (const CableCoordinate last : {CableCoordinate::u, CableCoordinate::epsilon, CableCoordinate::l})
    for (const double damping : {0.0, 0.3})
      for (const bool conservative : {false, true}) {
        Swing s = thrown(last, damping, conservative);
        const double before = s.energy();
        s.run(1.0, 1e-4);
        EXPECT_GE(s.switches, 2);
        const double change = s.energy() - before;
        EXPECT_NEAR(change, s.supplied() - s.dissipated(), 1e-10);
        EXPECT_EQ(s.supplied() == 0.0, conservative);
        EXPECT_EQ(s.dissipated() > 1e-3, damping > 0.0);
        if (damping == 0.0) {
          EXPECT_NEAR(change, conservative ? 0.0 : -s.wound(), 1e-10);
          EXPECT_GT(std::abs(s.wound()), 1e-3);  // a term that can be seen
        }
      }
}

TEST(CableMotion, EnergyOfTwoPulleysIsAccountedFor) {
  for (const bool crossed : {false, true})
    for (const bool conservative : {false, true}) {
      const PulleyPair pair{0.05, 0.03, crossed, 0.2, {}, {}};
      Swing s{Joint(TwoPulley{pair, CableCoordinate::epsilon, {200.0, 0.2, true, conservative}}),
              rigid_inertia(0.2, Vec3(0.0, -0.02, 0.0), 1e-4 * Mat3::Identity()), VectorXd::Zero(9)};
      s.y.head<6>() << 5.0, 4.0, 0.02, 3.0, -2.0, -1.0;
      const double before = s.energy();
      s.run(0.5, 1e-4);
      EXPECT_GE(s.switches, 1);
      EXPECT_NEAR(s.energy() - before, s.supplied() - s.dissipated(), 1e-10);
    }
}

}  // namespace
}  // namespace taut::testing
