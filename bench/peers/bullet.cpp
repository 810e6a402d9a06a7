// Bullet for the rods, our own loop for the cables, in double precision and semi-implicit Euler steps.
//
// "discrete world": btDiscreteDynamicsWorld, as Bullet's users step it. Tuned: "simple world" is btSimpleDynamicsWorld
// (no islands, made for tests); "bodies" calls the step's functions on each btRigidBody without a world (no broad
// phase, no solver: they have nothing to do here); "leapfrog" keeps velocities half a step back and damps with the
// velocities extrapolated to the time of the positions, v(n) ≈ 1.5 v(n−½) − 0.5 v(n−3/2): second order, damping
// included.
//
// The inertia about the rod's axis equals the transverse one, which changes nothing (rods.h) and makes the gyroscopic
// torque vanish, so Bullet's correction for it is switched off rather than paid for.
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <stdexcept>

#include "bench/peers/peer.h"
#include "bench/peers/rods.h"
#include "bench/timing.h"

namespace taut::bench {
namespace {

btVector3 to_bullet(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

// Nothing collides, so no pairs are looked for.
class NoBroadphase : public btSimpleBroadphase {
 public:
  explicit NoBroadphase(int bodies) : btSimpleBroadphase(bodies) {}
  void calculateOverlappingPairs(btDispatcher*) override {}
};

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  NoBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  std::unique_ptr<btDynamicsWorld> world;

  World(bool simple, int bodies) : broadphase(bodies) {
    if (simple) {
      world = std::make_unique<btSimpleDynamicsWorld>(&dispatcher, &broadphase, &solver, &configuration);
    } else {
      world = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher, &broadphase, &solver, &configuration);
    }
  }
};

class BulletSession : public Session {
 public:
  BulletSession(const Model& model, const std::string& method, double effort, double duration)
      : rods_(rods_of(model)),
        steps_(std::lround(effort)),
        step_(duration / static_cast<double>(steps_)),
        leapfrog_(method.ends_with("leapfrog")),
        work_(9 * rods_.node_count, 0.0) {
    previous_.resize(rods_.rods.size());
    for (const Rod& rod : rods_.rods) {
      btRigidBody::btRigidBodyConstructionInfo info(rod.mass, nullptr, &shape_, btVector3(1, 1, 1) * rod.inertia);
      info.m_linearDamping = info.m_angularDamping = 0.0;
      bodies_.push_back(std::make_unique<btRigidBody>(info));
      bodies_.back()->setFlags(0);
      bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    }
    if (!method.starts_with("bodies")) {
      world_ = std::make_unique<World>(method.starts_with("simple"), static_cast<int>(bodies_.size()));
      world_->world->setGravity(to_bullet(rods_.gravity));
      for (auto& body : bodies_) world_->world->addRigidBody(body.get(), 0, 0);
    }
  }

  ~BulletSession() override {
    if (world_) {
      for (auto& body : bodies_) world_->world->removeRigidBody(body.get());
    }
  }

  double run() override {
    reset();
    const double start = core_seconds();
    for (long i = 0; i < steps_; ++i) {
      apply_cables(leapfrog_);
      if (world_) {
        world_->world->stepSimulation(step_, 0);
      } else {
        step_bodies();
      }
    }
    return core_seconds() - start;
  }

  std::vector<Vec3> nodes() const override {
    std::vector<Vec3> result(rods_.node_count);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Rod& rod = rods_.rods[i];
      const btTransform& frame = bodies_[i]->getWorldTransform();
      const Vec3 centre = from_bullet(frame.getOrigin()), z = from_bullet(frame.getBasis().getColumn(2));
      result[rod.a] = centre - rod.below * z;
      result[rod.b] = centre + rod.above * z;
    }
    return result;
  }

  long steps() const override { return steps_; }

 private:
  void reset() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Rod& rod = rods_.rods[i];
      const auto& q = rod.orientation;
      const btTransform frame(btQuaternion(q.x(), q.y(), q.z(), q.w()), to_bullet(rod.centre));
      btRigidBody& body = *bodies_[i];
      body.setCenterOfMassTransform(frame);
      body.setInterpolationWorldTransform(frame);
      body.setLinearVelocity(to_bullet(rod.velocity));
      body.setAngularVelocity(to_bullet(rod.omega));
      body.clearForces();
    }
    if (leapfrog_) half_kick_back();
  }

  // Velocities half a step back; the extrapolation starts from them.
  void half_kick_back() {
    apply_cables(false);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      btRigidBody& body = *bodies_[i];
      const btVector3 gravity = to_bullet(rods_.gravity);
      body.setLinearVelocity(body.getLinearVelocity() -
                             0.5 * step_ * (body.getTotalForce() / rods_.rods[i].mass + gravity));
      body.setAngularVelocity(body.getAngularVelocity() - 0.5 * step_ * body.getTotalTorque() / rods_.rods[i].inertia);
      body.clearForces();
      previous_[i] = {body.getLinearVelocity(), body.getAngularVelocity()};
    }
  }

  void apply_cables(bool extrapolate) {
    double *x = work_.data(), *v = x + 3 * rods_.node_count, *f = v + 3 * rods_.node_count;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Rod& rod = rods_.rods[i];
      const btRigidBody& body = *bodies_[i];
      const btVector3& r = body.getWorldTransform().getOrigin();
      const btVector3 z = body.getWorldTransform().getBasis().getColumn(2);
      for (int axis = 0; axis < 3; ++axis) {
        x[3 * rod.a + axis] = r[axis] - rod.below * z[axis];
        x[3 * rod.b + axis] = r[axis] + rod.above * z[axis];
      }
      if (!rods_.damped) continue;
      btVector3 u = body.getLinearVelocity(), omega = body.getAngularVelocity();
      if (extrapolate) {
        u = 1.5 * u - 0.5 * previous_[i].first;
        omega = 1.5 * omega - 0.5 * previous_[i].second;
        previous_[i] = {body.getLinearVelocity(), body.getAngularVelocity()};
      }
      const btVector3 z_rate = omega.cross(z);
      for (int axis = 0; axis < 3; ++axis) {
        v[3 * rod.a + axis] = u[axis] - rod.below * z_rate[axis];
        v[3 * rod.b + axis] = u[axis] + rod.above * z_rate[axis];
      }
    }
    pull(rods_, x, v, f);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Rod& rod = rods_.rods[i];
      const btVector3 z = bodies_[i]->getWorldTransform().getBasis().getColumn(2);
      const double *a = f + 3 * rod.a, *b = f + 3 * rod.b;
      const btVector3 fa(a[0], a[1], a[2]), fb(b[0], b[1], b[2]);
      bodies_[i]->applyCentralForce(fa + fb);
      bodies_[i]->applyTorque(z.cross(rod.above * fb - rod.below * fa));
    }
  }

  void step_bodies() {
    btTransform next;
    const btVector3 gravity_kick = step_ * to_bullet(rods_.gravity);
    for (auto& body : bodies_) {
      body->integrateVelocities(step_);
      body->setLinearVelocity(body->getLinearVelocity() + gravity_kick);
      body->predictIntegratedTransform(step_, next);
      body->proceedToTransform(next);
      body->clearForces();
    }
  }

  RodModel rods_;
  long steps_;
  double step_;
  bool leapfrog_;
  std::vector<double> work_;                               // positions, velocities, forces
  std::vector<std::pair<btVector3, btVector3>> previous_;  // velocities one step back
  btEmptyShape shape_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::unique_ptr<World> world_;
};

}  // namespace

Peer bullet() {
  return {.name = "Bullet",
          .methods = {{.name = "discrete world"},
                      {.name = "discrete world, leapfrog", .tuned = true},
                      {.name = "simple world, leapfrog", .tuned = true},
                      {.name = "bodies, leapfrog", .tuned = true}},
          .open = [](const Model& model, const std::string& method, double effort, double duration)
              -> std::unique_ptr<Session> { return std::make_unique<BulletSession>(model, method, effort, duration); }};
}

}  // namespace taut::bench
