#include "taut/formulation/multibody/from_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/formulation/multibody/from_model_builder.h"
#include "taut/model/shape/body_mass.h"
#include "taut/model/shape/body_pose.h"

namespace taut {

using namespace multibody;

namespace from_model {

namespace {

template <class Member>
[[noreturn]] void refuse_mass(const char* kind, const Member& member) {
  throw InputError(member.place, member.name,
                   fmt::format("formulation multibody: {} \"{}\" has mass along its length (mass_model = \"lumped\" "
                               "works); nodal can represent it",
                               kind, member.name));
}

// Masses of nodes with their share of what is lumped there.
std::vector<double> point_masses(const Model& model) {
  std::vector<double> mass(model.nodes.size(), 0.0);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) mass[i] = model.nodes[i].mass;
  for (const Bar& bar : model.bars) {
    if (!bar.elastic || bar.mass == 0.0) continue;
    if (bar.mass_model != MassModel::lumped) refuse_mass("elastic bar", bar);
    mass[bar.a] += 0.5 * bar.mass;
    mass[bar.b] += 0.5 * bar.mass;
  }
  for (const Cable& cable : model.cables) {
    if (cable.mass == 0.0) continue;
    if (cable.mass_model != MassModel::lumped) refuse_mass("cable", cable);
    each_fraction(model, cable, [&](int a, int b, double fraction) {
      for (int node : {a, b}) mass[node] += 0.5 * cable.mass * fraction;
    });
  }
  return mass;
}

Twist nearest_twist(const Model& model, const std::vector<int>& nodes, const Vec3& centre) {
  if (nodes.empty()) return {};
  const auto [turn, velocity] = nearest_rigid_velocity(model, nodes, centre);
  return {turn, velocity, centre};
}

// Adds a point mass to a body.
void add_mass(RigidBody& body, double mass, const Vec3& at) {
  const double total = body.mass + mass;
  const Vec3 centre = (body.mass * body.centre + mass * at) / total;
  const auto shift = [&](double m, const Vec3& from) {
    const Vec3 r = from - centre;
    body.inertia += m * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  };
  shift(body.mass, body.centre);
  shift(mass, at);
  body.mass = total;
  body.centre = centre;
}

}  // namespace

Builder::Builder(const Model& m) : model(m) { result.machine.gravity = m.gravity; }

int Builder::add_body(RigidBody body, const Vec3& origin, const Twist& twist) {
  body.weighs = has_joints(model);
  if (twist.any()) body.motion = {twist.turn, twist.at(origin)};
  result.machine.bodies.push_back(std::move(body));
  poses.push_back({Mat3::Identity(), origin});
  twists.push_back(twist);
  return static_cast<int>(poses.size()) - 1;
}

void Builder::add_bodies() {
  owners.resize(model.nodes.size());
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (model.nodes[i].fixed == Axes{true, true, true}) owners[i].push_back(ground);
  for (const Body& body : model.bodies) {
    Twist twist = nearest_twist(model, body.nodes, body.centre);
    if (body.velocity || body.angular_velocity)
      twist = {body.angular_velocity.value_or(Vec3::Zero()), body.velocity.value_or(Vec3::Zero()), body.centre};
    RigidBody rigid{body.name, body.mass, Vec3::Zero(), body.inertia};
    rigid.place = body.place;
    const int index = add_body(std::move(rigid), body.centre, twist);
    body_of.push_back(index);
    for (int node : body.nodes) owners[node].push_back(index);
  }
}

void Builder::add_bars() {
  // Bars that joints other than balls hold are turned about their axis by those.
  std::vector<char> named(model.bars.size(), 0), turned(model.bars.size(), 0);
  const auto look = [&](const Carrier& c, bool turns) {
    if (c.kind != Carrier::Kind::bar) return;
    named[c.index] = 1;
    turned[c.index] = turned[c.index] || turns;
  };
  for (const JointSpec& joint : model.joints)
    for (const Carrier& c : {joint.predecessor, joint.successor})
      look(c, joint.type != JointType::spherical && joint.type != JointType::floating);
  for (const PulleySpec& pulley : model.pulleys) {
    look(pulley.wheel.body, true);
    if (pulley.node < 0) look(pulley.second.body, true);
  }
  bar_body.assign(model.bars.size(), ground);
  result.bars.resize(model.bars.size());
  for (std::size_t k = 0; k < model.bars.size(); ++k) {
    const Bar& bar = model.bars[k];
    if (bar.elastic || (bar.mass == 0.0 && !named[k] && bar.attached.empty())) continue;
    const Vec3 a = model.nodes[bar.a].position, b = model.nodes[bar.b].position, along = (b - a).normalized();
    RigidBody body{bar.name, bar.mass, Vec3::Zero(), Mat3::Zero()};
    const bool thin = bar.axial_inertia == 0.0 && !turned[k] && bar.attached.empty();
    const double axial = thin ? bar.inertia : bar.axial_inertia;
    body.inertia = bar.inertia * (Mat3::Identity() - along * along.transpose()) + axial * along * along.transpose();
    body.idle_turns = thin ? 1 : 0;
    body.place = bar.place;
    const Vec3 centre = (1.0 - bar.com) * a + bar.com * b;
    std::vector<int> nodes = {bar.a, bar.b};
    nodes.insert(nodes.end(), bar.attached.begin(), bar.attached.end());
    // Nodes beside the axis that have no velocities of their own move along with the ends.
    const bool moving = std::any_of(bar.attached.begin(), bar.attached.end(),
                                    [&](int i) { return model.nodes[i].velocity != Vec3::Zero(); });
    Twist twist = nearest_twist(model, moving ? nodes : std::vector<int>{bar.a, bar.b}, centre);
    if (!moving) twist.turn += bar.spin * along;
    bar_body[k] = add_body(std::move(body), centre, twist);
    result.bars[k] = {bar_body[k], a - centre, b - centre};
    for (int node : nodes) owners[node].push_back(bar_body[k]);
  }
}

void Builder::add_nodes() {
  const std::vector<double> mass = point_masses(model);
  // A node is a point of the ground or of the heaviest of its bodies.
  for (std::vector<int>& on : owners)
    std::stable_sort(on.begin(), on.end(), [&](int a, int b) {
      const auto weight = [&](int body) { return body == ground ? INFINITY : result.machine.bodies[body].mass; };
      return weight(a) > weight(b);
    });
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    const bool held = node.fixed == Axes{true, true, true};
    if (owners[i].empty()) {
      RigidBody point{node.name, 0.0, Vec3::Zero(), Mat3::Zero()};
      point.idle_turns = 3;
      owners[i].push_back(add_body(std::move(point), node.position, {Vec3::Zero(), node.velocity, node.position}));
    }
    const int owner = owners[i].front();
    result.machine.points.push_back({node.name, owner, node.position - origin(owner)});
    if (mass[i] == 0.0 || owner == ground) {
      // Masses on the ground carry nothing; of a held node the other bodies need not know.
    } else {
      RigidBody& body = result.machine.bodies[owner];
      add_mass(body, mass[i], node.position - origin(owner));
      // A point's own turns need some inertia, which moves nothing.
      if (body.idle_turns == 3) body.inertia = mass[i] * Mat3::Identity();
    }
    for (int axis = 0; axis < 3 && !held; ++axis)
      if (node.fixed[axis])
        result.machine.sums.push_back({node.name, {{static_cast<int>(i), 1.0}}, axis, node.position[axis], node.place});
  }
  // A thin bar's axial inertia is of no influence, but must not vanish beside what its nodes add.
  for (std::size_t k = 0; k < model.bars.size(); ++k) {
    if (bar_body[k] == ground) continue;
    RigidBody& body = result.machine.bodies[bar_body[k]];
    const Vec3 along = (result.bars[k].b - result.bars[k].a).normalized();
    if (body.idle_turns == 1 && !(along.dot(body.inertia * along) > 0.0))
      body.inertia += 0.5 * body.inertia.trace() * along * along.transpose();
    if (body.idle_turns == 1 && !(body.inertia.trace() > 0.0))
      throw InputError(model.bars[k].place, model.bars[k].name,
                       fmt::format("formulation multibody: bar \"{}\" has no transverse inertia, so its rotation is "
                                   "undetermined; give it an inertia above 0 or its nodes a mass",
                                   model.bars[k].name));
  }
}

void Builder::add_sums_and_distances() {
  for (std::size_t k = 0; k < model.constraints.size(); ++k) {
    const Constraint& c = model.constraints[k];
    const std::string title = c.name.empty() ? fmt::format("constraints[{}]", k) : c.name;
    for (int axis = 0; axis < 3; ++axis)
      if (c.axes[axis]) result.machine.sums.push_back({title, c.terms, axis, c.value[axis], c.place});
  }
  for (std::size_t k = 0; k < model.bars.size(); ++k) {
    const Bar& bar = model.bars[k];
    if (bar.elastic || bar_body[k] != ground) continue;
    const int a = result.machine.points[bar.a].body, b = result.machine.points[bar.b].body;
    if (a == b) {  // both ends are on one body: it has nothing to hold
      result.bars[k] = {a, result.machine.points[bar.a].position, result.machine.points[bar.b].position};
      continue;
    }
    result.bars[k].distance = static_cast<int>(result.machine.distances.size());
    result.machine.distances.push_back({bar.name, bar.a, bar.b, bar.rest_length, bar.place});
  }
}

void Builder::note_supports() {
  const auto& joints = result.machine.joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Connection& c = joints[j];
    if (c.predecessor != ground && c.successor != ground) continue;
    const Vec3 at = c.predecessor == ground ? c.at_predecessor.r : c.at_successor.r;
    for (std::size_t i = 0; i < model.nodes.size(); ++i)
      if (owners[i].front() == ground && (model.nodes[i].position - at).norm() <= 1e-9 * (1.0 + at.norm())) {
        result.joints.supports.emplace_back(static_cast<int>(j), static_cast<int>(i));
        break;
      }
  }
}

}  // namespace from_model

ModelMachine machine_of(const Model& model) {
  from_model::Builder builder(model);
  builder.add_bodies();
  builder.add_bars();
  builder.add_nodes();
  builder.add_joints();
  builder.add_shared_nodes();
  builder.add_pulleys();
  builder.add_floating();
  builder.free_looped_cables();
  builder.add_sums_and_distances();
  builder.note_supports();
  builder.result.bodies = builder.body_of;
  for (const Carrier& carrier : posed_carriers(model)) builder.result.joints.posed.push_back(builder.carrier(carrier));
  guess_from_poses(builder.result.machine, builder.poses);
  return std::move(builder.result);
}

}  // namespace taut
