#include "bench/peers/simbody_machine.h"

// Simbody's headers are C++17.
#include <Simbody.h>

#include <cmath>
#include <stdexcept>

#include "bench/timing.h"

namespace taut::bench {
namespace {

SimTK::Vec3 to_simbody(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 from_simbody(const SimTK::Vec3& v) { return {v[0], v[1], v[2]}; }

SimTK::Transform to_simbody(const Placement& p) {
  const Mat3& R = p.axes;
  const SimTK::Mat33 axes(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2));
  return {SimTK::Rotation(axes, true), to_simbody(p.origin)};  // as it is: Simbody would make it orthonormal anew
}

SimTK::Body::Rigid to_simbody(const PlanLink& link) {
  const Mat3& I = link.inertia;
  const SimTK::Vec3 centre = to_simbody(link.centre);
  const SimTK::Inertia about_centre(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  return SimTK::Body::Rigid({link.mass, centre, about_centre.shiftFromMassCenter(centre, link.mass)});
}

// Springs, dampers, given torques and cables, all as forces on mobilities.
class JointTorques : public SimTK::Force::Custom::Implementation {
 public:
  JointTorques(const std::vector<PlanLink>& links, const SimTK::SimbodyMatterSubsystem& matter)
      : links_(links), matter_(matter) {}

  // Where the coordinates are in the state, known only once the system is complete.
  void realizeTopology(SimTK::State&) const override { places_.clear(); }
  void realizeInstance(const SimTK::State& state) const override {
    places_.clear();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!links_[i].has_torque) continue;
      const auto& body = matter_.getMobilizedBody(SimTK::MobilizedBodyIndex(static_cast<int>(i) + 1));
      places_.push_back({&links_[i], body.getFirstQIndex(state), body.getFirstUIndex(state)});
    }
  }

  void calcForce(const SimTK::State& state, SimTK::Vector_<SimTK::SpatialVec>&, SimTK::Vector_<SimTK::Vec3>&,
                 SimTK::Vector& on_mobilities) const override {
    const SimTK::Vector &all_q = matter_.getQ(state), &all_u = matter_.getU(state);
    for (const Place& place : places_) {
      const PlanLink& link = *place.link;
      const double *q = &all_q[place.q], *u = &all_u[place.u];
      double* const out = &on_mobilities[place.u];
      double given[6] = {};
      if (link.torque) link.torque(state.getTime(), given);
      const int n = static_cast<int>(link.u.size());
      for (int i = 0; i < n; ++i) {
        out[i] += given[i] - link.damping[i] * u[i];
        if (link.stiffness[i] != 0.0) out[i] -= link.stiffness[i] * (q[i] - link.rest[i]);
      }
      if (link.joint.kind == PlanKind::cable) pull(link.cable, q, u, out);
    }
  }

  SimTK::Real calcPotentialEnergy(const SimTK::State&) const override { return 0.0; }  // not asked for

 private:
  struct Place {
    const PlanLink* link;
    int q, u;
  };

  // Virtual work of the tension: -F δ(l - rφ), or for a conservative cable what its stored energy adds.
  static void pull(const PlanCable& cable, const double* q, const double* u, double* out) {
    const double free = cable.radius * q[0], strain = q[1] / free - 1.0;
    const double strain_rate = (u[1] - (1.0 + strain) * cable.radius * u[0]) / free;
    const double tension = cable.EA * strain + cable.damping * strain_rate;
    if (!(free > 0.0) || strain <= 0.0 || (cable.clip && tension <= 0.0)) return;
    out[0] += cable.radius * tension;
    if (cable.conservative) out[0] += cable.radius * (tension * strain - 0.5 * cable.EA * strain * strain);
    out[1] -= tension;
  }

  const std::vector<PlanLink>& links_;
  const SimTK::SimbodyMatterSubsystem& matter_;
  mutable std::vector<Place> places_;
};

}  // namespace

struct SimbodyMachine::Parts {
  MachinePlan plan;
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::State start;

  explicit Parts(const MachinePlan& given) : plan(given) {
    for (const PlanLink& link : plan.links) add_link(link);
    for (const PlanJoint& loop : plan.loops) close(loop);
    for (const PlanRod& rod : plan.rods)
      SimTK::Constraint::Rod(body(rod.a), to_simbody(rod.at_a), body(rod.b), to_simbody(rod.at_b), rod.length);
    if (!plan.gravity.isZero()) SimTK::Force::UniformGravity(forces, matter, to_simbody(plan.gravity));
    SimTK::Force::Custom(forces, new JointTorques(plan.links, matter));
    start = system.realizeTopology();
    system.realizeModel(start);
    for (std::size_t i = 0; i < plan.links.size(); ++i) {
      const SimTK::MobilizedBody& link = body(static_cast<int>(i));
      for (std::size_t k = 0; k < plan.links[i].q.size(); ++k)
        link.setOneQ(start, static_cast<int>(k), plan.links[i].q[k]);
      for (std::size_t k = 0; k < plan.links[i].u.size(); ++k)
        link.setOneU(start, static_cast<int>(k), plan.links[i].u[k]);
    }
  }

  SimTK::MobilizedBody& body(int link) { return matter.updMobilizedBody(SimTK::MobilizedBodyIndex(link + 1)); }

  void add_link(const PlanLink& link) {
    using Mobile = SimTK::MobilizedBody;
    SimTK::Transform first = to_simbody(link.joint.on_predecessor), second = to_simbody(link.joint.on_successor);
    // The involute joint: bend about z, stretch along the new x to the point l i, from which the cable's end is r j
    // away.
    if (link.joint.kind == PlanKind::cable) second = second * SimTK::Transform(SimTK::Vec3(0, -link.cable.radius, 0));
    const Mobile::Direction direction = link.reversed ? Mobile::Reverse : Mobile::Forward;
    if (link.reversed) std::swap(first, second);
    Mobile& parent = body(link.parent);
    const SimTK::Body::Rigid info = to_simbody(link);
    switch (link.joint.kind) {
      case PlanKind::weld:
        Mobile::Weld(parent, first, info, second);
        break;
      case PlanKind::pin:
        Mobile::Pin(parent, first, info, second, direction);
        break;
      case PlanKind::slider:
        Mobile::Slider(parent, first, info, second, direction);
        break;
      case PlanKind::universal:
        Mobile::Universal(parent, first, info, second, direction);
        break;
      case PlanKind::ball:
        Mobile::Ball(parent, first, info, second, direction);
        break;
      case PlanKind::free:
        Mobile::Free(parent, first, info, second, direction);
        break;
      case PlanKind::cable:
        Mobile::BendStretch(parent, first, info, second, direction);
        break;
    }
  }

  // Simbody has balls and welds; the others are made of its points on lines and right angles.
  void close(const PlanJoint& loop) {
    SimTK::MobilizedBody &p = body(loop.predecessor), &s = body(loop.successor);
    const SimTK::Transform on_p = to_simbody(loop.on_predecessor), on_s = to_simbody(loop.on_successor);
    switch (loop.kind) {
      case PlanKind::weld:
        SimTK::Constraint::Weld(p, on_p, s, on_s);
        return;
      case PlanKind::ball:
        SimTK::Constraint::Ball(p, on_p.p(), s, on_s.p());
        return;
      case PlanKind::pin:
        SimTK::Constraint::Ball(p, on_p.p(), s, on_s.p());
        SimTK::Constraint::ConstantAngle(p, on_p.x(), s, on_s.z());
        SimTK::Constraint::ConstantAngle(p, on_p.y(), s, on_s.z());
        return;
      case PlanKind::universal:
        SimTK::Constraint::Ball(p, on_p.p(), s, on_s.p());
        SimTK::Constraint::ConstantAngle(p, on_p.x(), s, on_s.y());
        return;
      case PlanKind::slider:
        SimTK::Constraint::ConstantOrientation(p, on_p.R(), s, on_s.R());
        SimTK::Constraint::PointOnLine(p, on_p.x(), on_p.p(), s, on_s.p());
        return;
      case PlanKind::free:
        return;
      case PlanKind::cable:
        throw std::runtime_error("Simbody: a cable cannot close a loop");
    }
  }

  std::vector<BodyMotion> motions(const SimTK::State& state, bool with_accelerations) {
    system.realize(state, with_accelerations ? SimTK::Stage::Acceleration : SimTK::Stage::Velocity);
    std::vector<BodyMotion> result;
    for (std::size_t i = 0; i < plan.links.size(); ++i) {
      const SimTK::MobilizedBody& link = body(static_cast<int>(i));
      const SimTK::Transform& X = link.getBodyTransform(state);
      const SimTK::SpatialVec& V = link.getBodyVelocity(state);
      BodyMotion motion;
      for (int k = 0; k < 3; ++k) motion.axes.col(k) = from_simbody(SimTK::Vec3(X.R()(k)));
      motion.position = from_simbody(X.p());
      motion.turn = from_simbody(V[0]);
      motion.velocity = from_simbody(V[1]);
      if (with_accelerations) {
        const SimTK::SpatialVec& A = link.getBodyAcceleration(state);
        motion.turn_rate = from_simbody(A[0]);
        motion.acceleration = from_simbody(A[1]);
      }
      result.push_back(motion);
    }
    return result;
  }
};

SimbodyMachine::SimbodyMachine(const MachinePlan& plan) : parts_(std::make_unique<Parts>(plan)) {}
SimbodyMachine::~SimbodyMachine() = default;

// This file is compiled as the library was.
bool SimbodyMachine::asserts() {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

int SimbodyMachine::constraints() const {
  parts_->system.realize(parts_->start, SimTK::Stage::Velocity);
  return parts_->start.getNUDotErr();
}

double SimbodyMachine::loop_error() const {
  parts_->system.realize(parts_->start, SimTK::Stage::Velocity);
  const SimTK::Vector &position = parts_->start.getQErr(), &velocity = parts_->start.getUErr();
  return std::max(position.size() > 0 ? position.normInf() : 0.0, velocity.size() > 0 ? velocity.normInf() : 0.0);
}

std::vector<BodyMotion> SimbodyMachine::start() const { return parts_->motions(parts_->start, true); }

std::vector<BodyMotion> SimbodyMachine::run(double duration, double accuracy) const {
  SimTK::RungeKuttaMersonIntegrator integrator(parts_->system);
  integrator.setAccuracy(accuracy);
  integrator.setFinalTime(duration);
  integrator.initialize(parts_->start);
  while (integrator.getTime() < duration) integrator.stepTo(duration);  // the first call only reports the start
  return parts_->motions(integrator.getState(), false);
}

double SimbodyMachine::evaluate(int times) const {
  SimTK::State state = parts_->start;
  const double start = core_seconds();
  for (int i = 0; i < times; ++i) {
    state.setTime(0.0);
    state.updY();
    parts_->system.realize(state, SimTK::Stage::Acceleration);
  }
  return core_seconds() - start;
}

}  // namespace taut::bench
