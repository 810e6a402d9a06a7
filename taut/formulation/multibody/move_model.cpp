#include "taut/formulation/multibody/move_model.h"

#include <algorithm>

#include "taut/formulation/multibody/from_model.h"

namespace taut {

using namespace multibody;

namespace {

// How a body has moved from the drawn shape.
struct Move {
  Mat3 turn = Mat3::Identity();
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();

  Vec3 point(const Vec3& x) const { return to + turn * (x - from); }
};

// Drawn again and again, axes stay at right angles.
Mat3 right_angles(const Mat3& frame) {
  const Vec3 third = frame.row(2).transpose().normalized(), first = frame.row(0).transpose();
  const Vec3 across = (first - first.dot(third) * third).normalized();
  Mat3 axes;
  axes << across.transpose(), third.cross(across).transpose(), third.transpose();
  return axes;
}

class Mover {
 public:
  Mover(const Model& model, const System& system, const double* q)
      : model_(model), system_(system), q_(q), made_(machine_of(model)), terms_(make_terms(system)) {
    drive(system, 0.0, terms_);
    const std::vector<double> rest(system.tree.nv, 0.0);
    place(system, q, rest.data(), terms_);
  }

  Model run() {
    Model moved = model_;
    for (std::size_t i = 0; i < moved.nodes.size(); ++i)
      moved.nodes[i].position = position(system_.tree, static_cast<int>(i), terms_.tree);
    for (std::size_t k = 0; k < moved.bodies.size(); ++k) {
      const Move move = move_of({Carrier::Kind::body, static_cast<int>(k)});
      moved.bodies[k].centre = move.to;
      const Mat3 inertia = move.turn * moved.bodies[k].inertia * move.turn.transpose();
      moved.bodies[k].inertia = 0.5 * (inertia + inertia.transpose());
    }
    for (std::size_t i = 0; i < moved.joints.size(); ++i) carry(made_.joints.joints[i], moved.joints[i]);
    for (std::size_t i = 0; i < moved.pulleys.size(); ++i) carry(made_.joints.pulleys[i], moved.pulleys[i]);
    return moved;
  }

 private:
  Move move_of(const Carrier& carrier) const {
    if (carrier.kind == Carrier::Kind::ground) return {};
    const bool body = carrier.kind == Carrier::Kind::body;
    const int number = body ? made_.bodies[carrier.index] : made_.bars[carrier.index].body;
    const Link& link = system_.tree.links[system_.tree.link_of(number)];
    const Transform now = link.from_body.inverse() * terms_.tree.links[system_.tree.link_of(number)].world;
    Move move{now.E.transpose(), Vec3::Zero(), now.r};
    if (body) {
      move.from = model_.bodies[carrier.index].centre;
    } else {
      const Bar& bar = model_.bars[carrier.index];
      move.from = (1.0 - bar.com) * model_.nodes[bar.a].position + bar.com * model_.nodes[bar.b].position;
    }
    return move;
  }

  // Coordinates of a joint of the machine.
  const double* position_of(int joint) const {
    for (const Link& link : system_.tree.links)
      if (link.joint == joint) return q_ + link.q;
    for (std::size_t i = 0; i < system_.loops.joints.size(); ++i)
      if (system_.loops.groups[system_.loops.joints[i].group].index == joint) return terms_.loops.joints[i].q.data();
    return nullptr;
  }

  void carry(int number, JointSpec& joint) const {
    const Move before = move_of(joint.predecessor), after = move_of(joint.successor);
    joint.at_predecessor = before.point(joint.at_predecessor);
    joint.at_successor = after.point(joint.at_successor);
    const int n = joint_velocities(joint.type);
    const bool sprung = std::any_of(joint.stiffness.begin(), joint.stiffness.end(), [](double k) { return k != 0.0; });
    if (!plain_coordinates(joint.type)) {
      if (sprung)
        throw InputError({problem_with("joint", joint.name, joint.place,
                                       "its spring rests in the drawn shape, and no file can say where that was in "
                                       "another one: expected no stiffness")});
      joint.frame = right_angles(joint.frame * after.turn.transpose());
      return;
    }
    std::vector<double> drawn = joint.position;
    drawn.resize(n, 0.0);
    if (sprung && joint.rest.empty()) joint.rest = drawn;
    const double* const q = position_of(number);
    if (joint.type == JointType::universal) {
      const auto turn = [](double angle) { return turn_about(0, std::sin(angle), std::cos(angle)); };
      joint.frame = right_angles(turn(q[0]) * turn(drawn[0]).transpose() * joint.frame * before.turn.transpose());
    } else {
      joint.frame = right_angles(joint.frame * after.turn.transpose());
    }
    if (n > 0) joint.position.assign(q, q + n);
    if (joint.start) joint.start = joint.position;
  }

  void carry(int number, PulleySpec& pulley) const {
    const Move wheel = move_of(pulley.wheel.body);
    pulley.wheel.centre = wheel.point(pulley.wheel.centre);
    pulley.axis = (wheel.turn * pulley.axis).normalized();
    if (pulley.node < 0) pulley.second.centre = move_of(pulley.second.body).point(pulley.second.centre);
    CableStatus status;
    const JointVelocity rest{};
    cable_status(system_.machine.joints[number].joint, position_of(number), rest.data(), status);
    if (pulley.variant != PulleyVariant::rigid) pulley.strain = status.length / status.free_length - 1.0;
  }

  const Model& model_;
  const System& system_;
  const double* q_;
  const ModelMachine made_;
  SystemTerms terms_;
};

}  // namespace

Model drawn_at(const Model& model, const System& system, const double* q) { return Mover(model, system, q).run(); }

}  // namespace taut
