// Simbody: each rod a FreeLine mobiliser (five degrees of freedom, made for bodies without inertia about their z
// axis), all cables in one custom force element, Simbody's own integrators driven by their accuracy.
// Simbody's headers are C++17.
#include <Simbody.h>

#include <cmath>
#include <stdexcept>

#include "bench/peers/peer.h"
#include "bench/peers/rods.h"
#include "bench/timing.h"

namespace taut::bench {
namespace {

SimTK::Vec3 to_simbody(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 from_simbody(const SimTK::Vec3& v) { return {v[0], v[1], v[2]}; }

class Cables : public SimTK::Force::Custom::Implementation {
 public:
  Cables(const RodModel& rods, const SimTK::SimbodyMatterSubsystem& matter)
      : rods_(rods), matter_(matter), work_(9 * rods.node_count, 0.0) {}

  void calcForce(const SimTK::State& state, SimTK::Vector_<SimTK::SpatialVec>& body_forces,
                 SimTK::Vector_<SimTK::Vec3>&, SimTK::Vector&) const override {
    double *x = work_.data(), *v = x + 3 * rods_.node_count, *f = v + 3 * rods_.node_count;
    for (std::size_t i = 0; i < rods_.rods.size(); ++i) {
      const Rod& rod = rods_.rods[i];
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(SimTK::MobilizedBodyIndex(static_cast<int>(i) + 1));
      const SimTK::Transform& frame = body.getBodyTransform(state);
      const SimTK::Vec3& r = frame.p();
      const SimTK::Vec3& z = frame.R().z();
      SimTK::Vec3 u(0), z_rate(0);
      if (rods_.damped) {
        const SimTK::SpatialVec& velocity = body.getBodyVelocity(state);
        u = velocity[1];
        z_rate = velocity[0] % z;
      }
      for (int axis = 0; axis < 3; ++axis) {
        x[3 * rod.a + axis] = r[axis] - rod.below * z[axis];
        x[3 * rod.b + axis] = r[axis] + rod.above * z[axis];
        v[3 * rod.a + axis] = u[axis] - rod.below * z_rate[axis];
        v[3 * rod.b + axis] = u[axis] + rod.above * z_rate[axis];
      }
    }
    pull(rods_, x, v, f);
    for (std::size_t i = 0; i < rods_.rods.size(); ++i) {
      const Rod& rod = rods_.rods[i];
      const SimTK::MobilizedBodyIndex index(static_cast<int>(i) + 1);
      const SimTK::Vec3& z = matter_.getMobilizedBody(index).getBodyTransform(state).R().z();
      const SimTK::Vec3 fa(f[3 * rod.a], f[3 * rod.a + 1], f[3 * rod.a + 2]);
      const SimTK::Vec3 fb(f[3 * rod.b], f[3 * rod.b + 1], f[3 * rod.b + 2]);
      body_forces[index] += SimTK::SpatialVec(z % (rod.above * fb - rod.below * fa), fa + fb);
    }
  }

  SimTK::Real calcPotentialEnergy(const SimTK::State&) const override { return 0.0; }  // not asked for
  bool dependsOnlyOnPositions() const override { return !rods_.damped; }

 private:
  const RodModel& rods_;
  const SimTK::SimbodyMatterSubsystem& matter_;
  mutable std::vector<double> work_;  // positions, velocities, forces
};

// The effort is 1/accuracy, for the fixed-step method the number of steps.
std::unique_ptr<SimTK::Integrator> make_integrator(const std::string& method, const SimTK::System& system,
                                                   double effort, double duration) {
  if (method == "semi-explicit euler") {
    return std::make_unique<SimTK::SemiExplicitEulerIntegrator>(system, duration / std::round(effort));
  }
  std::unique_ptr<SimTK::Integrator> integrator;
  if (method == "rk-merson") integrator = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
  if (method == "rk3") integrator = std::make_unique<SimTK::RungeKutta3Integrator>(system);
  if (method == "verlet") integrator = std::make_unique<SimTK::VerletIntegrator>(system);
  if (!integrator) throw std::runtime_error("Simbody: no method " + method);
  integrator->setAccuracy(1.0 / effort);
  return integrator;
}

class SimbodySession : public Session {
 public:
  SimbodySession(const Model& model, const std::string& method, double effort, double duration)
      : rods_(rods_of(model)), method_(method), effort_(effort), duration_(duration) {
    for (const Rod& rod : rods_.rods) {
      const SimTK::Inertia inertia(rod.inertia, rod.inertia, 0.0);
      SimTK::Body::Rigid body(SimTK::MassProperties(rod.mass, SimTK::Vec3(0), inertia));
      SimTK::MobilizedBody::FreeLine(matter_.Ground(), SimTK::Transform(), body, SimTK::Transform());
    }
    SimTK::Force::Custom(forces_, new Cables(rods_, matter_));
    if (!rods_.gravity.isZero()) SimTK::Force::UniformGravity(forces_, matter_, to_simbody(rods_.gravity));
    start_ = system_.realizeTopology();
    system_.realizeModel(start_);
    for (std::size_t i = 0; i < rods_.rods.size(); ++i) {
      const Rod& rod = rods_.rods[i];
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(SimTK::MobilizedBodyIndex(static_cast<int>(i) + 1));
      const auto& q = rod.orientation;
      const SimTK::Rotation turn(SimTK::Quaternion(q.w(), q.x(), q.y(), q.z()));
      body.setQToFitTransform(start_, SimTK::Transform(turn, to_simbody(rod.centre)));
    }
    system_.realize(start_, SimTK::Stage::Position);
    for (std::size_t i = 0; i < rods_.rods.size(); ++i) {
      const Rod& rod = rods_.rods[i];
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(SimTK::MobilizedBodyIndex(static_cast<int>(i) + 1));
      body.setUToFitVelocity(start_, SimTK::SpatialVec(to_simbody(rod.omega), to_simbody(rod.velocity)));
    }
  }

  double run() override {
    integrator_ = make_integrator(method_, system_, effort_, duration_);
    integrator_->setFinalTime(duration_);
    integrator_->initialize(start_);
    const double start = core_seconds();
    while (integrator_->getTime() < duration_) integrator_->stepTo(duration_);  // the first call only reports the start
    return core_seconds() - start;
  }

  std::vector<Vec3> nodes() const override {
    const SimTK::State& state = integrator_->getState();
    system_.realize(state, SimTK::Stage::Position);
    std::vector<Vec3> result(rods_.node_count);
    for (std::size_t i = 0; i < rods_.rods.size(); ++i) {
      const Rod& rod = rods_.rods[i];
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(SimTK::MobilizedBodyIndex(static_cast<int>(i) + 1));
      result[rod.a] = from_simbody(body.findStationLocationInGround(state, SimTK::Vec3(0, 0, -rod.below)));
      result[rod.b] = from_simbody(body.findStationLocationInGround(state, SimTK::Vec3(0, 0, rod.above)));
    }
    return result;
  }

  long steps() const override { return integrator_->getNumStepsTaken(); }

 private:
  RodModel rods_;
  std::string method_;
  double effort_, duration_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_{system_};
  SimTK::GeneralForceSubsystem forces_{system_};
  SimTK::State start_;
  std::unique_ptr<SimTK::Integrator> integrator_;
};

}  // namespace

Peer simbody() {
  Peer peer;
  peer.name = "Simbody";
  peer.methods = {{"rk-merson", true}, {"rk3", true}, {"verlet", true}, {"semi-explicit euler"}};
  peer.open = [](const Model& model, const std::string& method, double effort,
                 double duration) -> std::unique_ptr<Session> {
    return std::make_unique<SimbodySession>(model, method, effort, duration);
  };
  return peer;
}

}  // namespace taut::bench
