// Joints, shared nodes and pulleys of a model as joints of its machine.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "taut/formulation/multibody/from_model_builder.h"
#include "taut/formulation/multibody/system/connected_bodies.h"
#include "taut/formulation/multibody/system/topology.h"

namespace taut::from_model {

using namespace multibody;

namespace {

JointKind kind_of(JointType type) {
  switch (type) {
    case JointType::fixed:
      return Fixed{};
    case JointType::revolute:
      return Revolute{2};
    case JointType::prismatic:
      return Prismatic{2};
    case JointType::universal:
      return Universal{};
    case JointType::spherical:
      return Spherical{};
    case JointType::planar:
      return Planar{};
    case JointType::floating:
      return Floating{};
  }
  return Fixed{};
}

// Frames on both sides in the drawn shape.
struct Frames {
  Transform on_predecessor, on_successor;
};
Frames frames_of(const JointSpec& spec, const Joint& joint, const JointPosition& q) {
  Frames f;
  if (spec.type == JointType::universal) {
    // The frame stands between the two turns.
    f.on_successor = {turn_about(1, std::sin(q[1]), std::cos(q[1])) * spec.frame, spec.at_successor};
    f.on_predecessor = {turn_about(0, std::sin(q[0]), std::cos(q[0])).transpose() * spec.frame, spec.at_predecessor};
    return f;
  }
  f.on_successor = {spec.frame, spec.at_successor};
  const Transform moved = transform(joint, q.data()).inverse() * f.on_successor;
  f.on_predecessor = {moved.E, moved.r + (spec.at_predecessor - spec.at_successor)};
  return f;
}

void set_passive(const JointSpec& spec, const JointPosition& drawn, Passive& passive) {
  const auto copy = [](const std::vector<double>& from, auto& to) { std::copy(from.begin(), from.end(), to.begin()); };
  if (plain_coordinates(spec.type)) passive.rest = drawn;
  copy(spec.rest, passive.rest);
  copy(spec.stiffness, passive.stiffness);
  copy(spec.damping, passive.damping);
  copy(spec.friction, passive.friction);
  copy(spec.slip_speed, passive.slip);
}

void set_drives(const Model& model, int index, Connection& c) {
  std::vector<JointDrive> moved, turned;
  for (const JointDrive& drive : model.drives)
    if (drive.joint == index) (drive.imposed ? moved : turned).push_back(drive);
  if (!moved.empty())
    c.motion = [moved](double t, double* q, double* v, double* v_rate) {
      for (const JointDrive& d : moved) {
        q[d.coordinate] = value(d.signal, t);
        v[d.coordinate] = rate(d.signal, t);
        v_rate[d.coordinate] = second_rate(d.signal, t);
      }
    };
  const bool steered = std::any_of(model.controllers.begin(), model.controllers.end(), [&](const ControllerSpec& spec) {
    return std::any_of(spec.steer.inputs.begin(), spec.steer.inputs.end(),
                       [&](const ControlInput& input) { return input.joint == index; });
  });
  if (!turned.empty() || steered)
    c.torque = [turned, n = velocities(c.joint)](double t, double* torque) {
      std::fill_n(torque, n, 0.0);
      for (const JointDrive& d : turned) torque[d.coordinate] = value(d.signal, t);
    };
}

// Whether a joint keeps a node of both its bodies in one place.
bool keeps(const JointSpec& joint, const Vec3& node, double size) {
  const Vec3 r = node - joint.at_successor;
  switch (joint.type) {
    case JointType::fixed:
      return true;
    case JointType::revolute:
      return (r - joint.frame.row(2).dot(r) * joint.frame.row(2).transpose()).norm() <= 1e-9 * size;
    case JointType::universal:
    case JointType::spherical:
      return r.norm() <= 1e-9 * size;
    default:
      return false;
  }
}

}  // namespace

int Builder::connect(const std::string& name, const JointKind& kind, int predecessor, int successor,
                     const Transform& on_predecessor, const Transform& on_successor) {
  Connection c;
  c.name = name;
  c.joint = Joint(kind);
  c.predecessor = predecessor;
  c.successor = successor;
  c.at_predecessor = on_predecessor * pose(predecessor).inverse();
  c.at_successor = on_successor * pose(successor).inverse();
  result.machine.joints.push_back(std::move(c));
  return static_cast<int>(result.machine.joints.size()) - 1;
}

int Builder::carrier(const Carrier& c) const {
  return c.kind == Carrier::Kind::ground ? ground
         : c.kind == Carrier::Kind::body ? body_of[c.index]
                                         : bar_body[c.index];
}

void Builder::add_joints() {
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const JointSpec& spec = model.joints[i];
    const JointKind kind = kind_of(spec.type);
    Joint joint(kind);
    JointPosition drawn{};
    neutral(joint, drawn.data());
    if (plain_coordinates(spec.type)) std::copy(spec.position.begin(), spec.position.end(), drawn.begin());
    const Frames frames = frames_of(spec, joint, drawn);
    const int number = connect(spec.name, kind, carrier(spec.predecessor), carrier(spec.successor),
                               frames.on_predecessor, frames.on_successor);
    Connection& c = result.machine.joints[number];
    c.place = spec.place;
    if (spec.start) {
      c.start = drawn;
      std::copy(spec.start->begin(), spec.start->end(), c.start->begin());
    } else if (spec.at_predecessor == spec.at_successor) {
      c.guess = drawn;  // a turn of more than half a round cannot be seen from where the bodies are
    }
    std::copy(spec.velocity.begin(), spec.velocity.end(), c.velocity.begin());
    c.velocity_given = !spec.velocity.empty();
    c.start_given = spec.start.has_value();
    c.role = spec.role == JointRole::tree ? Role::tree : spec.role == JointRole::loop ? Role::loop : Role::any;
    set_passive(spec, drawn, c.joint.passive);
    set_drives(model, static_cast<int>(i), c);
    result.joints.joints.push_back(number);
  }
}

void Builder::add_shared_nodes() {
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const std::vector<int>& on = owners[i];
    if (on.size() < 2) continue;
    double size = 1.0;
    for (int body : on) size = std::max(size, (model.nodes[i].position - origin(body)).norm());
    ConnectedBodies held(poses.size());  // by joints that hold them together at the node
    for (const JointSpec& joint : model.joints)
      if (keeps(joint, model.nodes[i].position, size)) held.join(carrier(joint.predecessor), carrier(joint.successor));
    int count = 0;
    for (std::size_t k = 1; k < on.size(); ++k) {
      if (!held.join(on[0], on[k])) continue;
      const Transform here = {Mat3::Identity(), model.nodes[i].position};
      const std::string name = count++ == 0 ? model.nodes[i].name : fmt::format("{}-{}", model.nodes[i].name, count);
      const int number = connect(name, Spherical{}, on[0], on[k], here, here);
      if (name == model.nodes[i].name) result.machine.joints[number].place = model.nodes[i].place;
    }
  }
}

namespace {

// How far a pulley turns, for the angle that is unwrapped at the start.
WindingRange winding_range(const PulleySpec& spec, double phi) {
  WindingRange range;
  if (spec.length) {
    range.most = *spec.length / spec.wheel.radius;
    // More than a turn at the start: the turns lie side by side.
    if (phi > range.most - 2.0 * M_PI) range.least = range.most - 2.0 * M_PI;
  } else {
    range.least = phi - 2.0 * M_PI;
  }
  return range;
}

struct PulleyJoint {
  JointKind kind;
  JointPosition q{};  // in the drawn shape
};

// The joint between a pulley and the end of its cable, or the second pulley; the piece between them has the length l.
PulleyJoint pulley_joint(const PulleySpec& spec, double l) {
  const double r1 = spec.wheel.radius, l0 = l / (1.0 + spec.strain);
  // The angle unwrapped, and what the cable has left.
  const double phi = l0 / r1;
  const WindingRange range = winding_range(spec, phi);
  const CableMaterial material{spec.EA, spec.damping, spec.clip, spec.conservative};
  const CableCoordinate last = spec.variant == PulleyVariant::u   ? CableCoordinate::u
                               : spec.variant == PulleyVariant::l ? CableCoordinate::l
                                                                  : CableCoordinate::epsilon;
  const bool rigid = spec.variant == PulleyVariant::rigid, pair = spec.node < 0;
  PulleyJoint joint;
  joint.q[0] = phi;
  // Nothing is unwrapped from the second pulley in the drawn shape.
  const PulleyPair wheels{r1, pair ? spec.second.radius : 0.0, spec.crossed, 0.0, range, {}};
  if (pair && rigid)
    joint.kind = TwoPulleyRigid{wheels};
  else if (pair)
    joint.kind = TwoPulley{wheels, last, material};
  else if (rigid)
    joint.kind = InvoluteRigid{r1, range};
  else
    joint.kind = Involute{r1, last, material, range};
  joint.q[pair ? 2 : 1] = rigid ? 0.0 : last_coordinate(last, l0, l);
  return joint;
}

}  // namespace

// The end of a pulley's cable, a body of its own: it turns with the cable's direction.
int Builder::add_cable_end(const PulleySpec& spec, int pulley, int target, double l) {
  const Vec3 to = model.nodes[spec.node].position;
  const double r1 = spec.wheel.radius;
  const Twist p = twist(pulley), t = twist(target);
  const Vec3 d = to - spec.wheel.centre, d_rate = t.at(to) - p.at(spec.wheel.centre);
  const double l_rate = d.dot(d_rate) / l, turn = (spec.axis.dot(d.cross(d_rate)) + r1 * l_rate) / d.squaredNorm();
  const Vec3 across = p.turn - spec.axis.dot(p.turn) * spec.axis;
  return add_body({spec.name + "-cable", 0.0, Vec3::Zero(), Mat3::Zero()}, to,
                  {across + turn * spec.axis, t.at(to), to});
}

void Builder::add_pulleys() {
  for (const PulleySpec& spec : model.pulleys) {
    const bool pair = spec.node < 0, own_end = !pair && spec.second.body.kind == Carrier::Kind::body;
    const int pulley = carrier(spec.wheel.body);
    const int target = pair || own_end ? carrier(spec.second.body) : owners[spec.node].front();
    const Vec3 to = pair ? spec.second.centre : model.nodes[spec.node].position;
    const PulleyTangent tangent = *tangent_to_circle(spec.wheel.centre, spec.axis, spec.wheel.radius, to,
                                                     pair ? spec.second.radius : 0.0, spec.crossed);
    const auto [kind, q] = pulley_joint(spec, tangent.length);
    const Joint joint(kind);
    // The end of the cable: the second pulley as it is turned now, the body that the user gives, or one without mass.
    Mat3 axes;
    axes << tangent.along.transpose(), tangent.outward.transpose(), spec.axis.transpose();
    const Transform end = {axes, to};
    const Transform on_pulley = transform(joint, q.data()).inverse() * end;
    const bool given = pair || own_end;
    const int successor = given ? target : add_cable_end(spec, pulley, target, tangent.length);
    const int number = connect(spec.name + "-involuteJt", kind, pulley, successor, on_pulley, end);
    result.machine.joints[number].guess = q;
    result.machine.joints[number].place = spec.place;
    result.joints.pulleys.push_back(number);
    if (!given) {
      const Transform here = {Mat3::Identity(), to};
      const int loop = connect(spec.name + "-loopJt", Spherical{}, target, successor, here, here);
      result.machine.joints[loop].place = spec.place;
    }
  }
}

// How far a cable has unwound cannot be seen from where its bodies are, so its joint belongs into the tree. Where other
// joints connect the bodies there, it leads to an end of its own without mass, which is fixed to the body.
void Builder::free_looped_cables() {
  if (result.joints.pulleys.empty()) return;
  Machine machine = result.machine;
  const Topology topology = choose_tree(machine);
  for (const int number : topology.loops) {
    if (std::find(result.joints.pulleys.begin(), result.joints.pulleys.end(), number) == result.joints.pulleys.end())
      continue;
    const int target = result.machine.joints[number].successor;
    const std::string title = result.machine.joints[number].name;
    const int end = add_body({title + "-cable", 0.0, Vec3::Zero(), Mat3::Zero()}, origin(target), twist(target));
    poses[end] = pose(target);
    result.machine.joints[number].successor = end;
    const int loop = connect(title + "-loopJt", Fixed{}, target, end, pose(target), pose(target));
    result.machine.joints[loop].role = Role::loop;
    result.machine.joints[loop].place = result.machine.joints[number].place;
  }
}

// Bodies that nothing joins to the ground float; a part of several on the first of its heaviest.
void Builder::add_floating() {
  ConnectedBodies connected(poses.size());
  for (const Connection& c : result.machine.joints) connected.join(c.predecessor, c.successor);
  std::vector<int> order(poses.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return result.machine.bodies[a].mass > result.machine.bodies[b].mass; });
  std::vector<int> floating;
  for (int body : order)
    if (connected.join(ground, body)) floating.push_back(body);
  std::sort(floating.begin(), floating.end());
  for (int body : floating) {
    const Transform here = pose(body);
    JointPosition q{};
    neutral(Joint(Floating{}), q.data());
    for (int axis = 0; axis < 3; ++axis) q[4 + axis] = here.r[axis];
    const int number = connect(result.machine.bodies[body].name + ".free", Floating{}, ground, body, Transform{}, here);
    result.machine.joints[number].guess = q;
    result.machine.joints[number].place = result.machine.bodies[body].place;
  }
}

}  // namespace taut::from_model
