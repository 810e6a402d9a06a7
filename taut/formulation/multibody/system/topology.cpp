#include "taut/formulation/multibody/system/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <queue>
#include <tuple>

#include "taut/formulation/multibody/system/connected_bodies.h"

namespace taut::multibody {

namespace {

[[noreturn]] void refuse(const Connection& joint, const std::string& text) {
  throw InputError({problem_with("joint", joint.name, joint.place, text)});
}

// Which joints go into the tree first; ties by freedoms.
int preference(const Connection& joint) {
  if (joint.role == Role::tree) return 0;
  const auto is_cable = [](const auto& kind) {
    using Kind = std::decay_t<decltype(kind)>;
    return std::is_same_v<Kind, InvoluteRigid> || std::is_same_v<Kind, Involute> ||
           std::is_same_v<Kind, TwoPulleyRigid> || std::is_same_v<Kind, TwoPulley>;
  };
  if (joint.motion) return 1;
  if (joint.velocity_given || joint.start_given) return 2;
  return joint.torque || has_internal_torque(joint.joint) || std::visit(is_cable, joint.joint.kind) ? 3 : 4;
}

void refuse_two_parents(const Machine& m) {
  ConnectedBodies connected(m.bodies.size());
  for (const Connection& joint : m.joints)
    if (joint.role == Role::tree && !connected.join(joint.predecessor, joint.successor))
      refuse(joint, fmt::format("would give {} two parents: the joints that are wanted in the tree already connect it "
                                "with {}; one of them must close the loop",
                                body_name(m, joint.successor), body_name(m, joint.predecessor)));
}

// Floating joints for what hangs on nothing.
int add_floating(Machine& m) {
  ConnectedBodies connected(m.bodies.size());
  for (const Connection& joint : m.joints)
    if (joint.role != Role::loop) connected.join(joint.predecessor, joint.successor);
  for (const Connection& joint : m.joints)
    if (joint.role == Role::loop && !connected.joined(joint.predecessor, joint.successor))
      refuse(joint,
             fmt::format("is to close a loop, but without it nothing connects {} with {}; leave that to taut, or "
                         "give a body a floating joint",
                         body_name(m, joint.successor), body_name(m, joint.predecessor)));
  int added = 0;
  for (int body = 0; body < static_cast<int>(m.bodies.size()); ++body)
    if (connected.join(ground, body)) {
      Connection joint;
      joint.name = m.bodies[body].name + ".floating";
      joint.joint = Joint(Floating{});
      joint.successor = body;
      m.joints.push_back(joint);
      ++added;
    }
  return added;
}

using JointsAt = std::vector<std::vector<int>>;  // of every body, the ground first

int other_end(const Connection& joint, int body) {
  return joint.predecessor == body ? joint.successor : joint.predecessor;
}

// Grows the tree from the ground. Returns the joint that leads to each body.
std::vector<int> grow_tree(const Machine& m, const JointsAt& at) {
  // (preference, freedoms, depth, joint, body at its near end), the least first.
  using Offer = std::tuple<int, int, int, int, int>;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
  std::vector<int> depth(m.bodies.size() + 1, -1), joint_of(m.bodies.size(), -1);
  const auto reach = [&](int body, int level) {
    depth[body + 1] = level;
    for (const int j : at[body + 1])
      if (m.joints[j].role != Role::loop)
        offers.emplace(preference(m.joints[j]), velocities(m.joints[j].joint), level, j, body);
  };
  reach(ground, 0);
  while (!offers.empty()) {
    const auto [rank, freedoms, level, j, near] = offers.top();
    offers.pop();
    const int far = other_end(m.joints[j], near);
    if (depth[far + 1] >= 0) continue;
    joint_of[far] = j;
    reach(far, level + 1);
  }
  return joint_of;
}

void refuse_given_in_loop(const Connection& joint) {
  if (joint.start_given || joint.velocity_given)
    refuse(joint,
           "closes a loop, so that its start and its velocity follow from the other joints: leave them "
           "out, or give another joint of the loop role = \"loop\"");
  if (joint.motion) refuse(joint, "its motion is imposed, but it closes a loop in which all motions are imposed");
}

// Numbers the tree depth first, children in the order of their joints.
void number_tree(const Machine& m, const JointsAt& at, const std::vector<int>& joint_of, Topology& topology) {
  std::vector<std::pair<int, int>> stack = {{ground, ground}};  // body, its place in the tree
  while (!stack.empty()) {
    const auto [body, place] = stack.back();
    stack.pop_back();
    int index = place;
    if (body != ground) {
      index = static_cast<int>(topology.tree.size());
      topology.tree.push_back({body, place, joint_of[body], m.joints[joint_of[body]].predecessor == body});
    }
    for (auto j = at[body + 1].rbegin(); j != at[body + 1].rend(); ++j)
      if (const int far = other_end(m.joints[*j], body); far != ground && joint_of[far] == *j)
        stack.emplace_back(far, index);
  }
}

}  // namespace

Topology choose_tree(Machine& m) {
  refuse_two_parents(m);
  Topology topology;
  topology.floating = add_floating(m);
  const int joints = static_cast<int>(m.joints.size());
  JointsAt at(m.bodies.size() + 1);
  for (int j = 0; j < joints; ++j) {
    at[m.joints[j].predecessor + 1].push_back(j);
    at[m.joints[j].successor + 1].push_back(j);
  }
  const std::vector<int> joint_of = grow_tree(m, at);
  std::vector<char> in_tree(joints, 0);
  for (const int j : joint_of)
    if (j >= 0) in_tree[j] = 1;
  for (int j = 0; j < joints; ++j)
    if (!in_tree[j]) {
      refuse_given_in_loop(m.joints[j]);
      topology.loops.push_back(j);
    }
  number_tree(m, at, joint_of, topology);
  return topology;
}

std::string describe(const Machine& m, const Topology& topology) {
  std::string text = "Spanning tree:\nground\n";
  std::vector<int> depth;
  const auto out = [&] { return std::back_inserter(text); };
  for (const Topology::Branch& b : topology.tree) {
    depth.push_back(b.parent == ground ? 1 : depth[b.parent] + 1);
    const Connection& joint = m.joints[b.joint];
    fmt::format_to(out(), "{:{}}{}, joint {} ({}{}{})\n", "", 2 * depth.back(), m.bodies[b.body].name, joint.name,
                   kind_name(joint.joint), b.reversed ? ", reversed" : "", joint.motion ? ", imposed" : "");
  }
  if (!topology.loops.empty()) text += "Loop joints:\n";
  for (const int j : topology.loops)
    fmt::format_to(out(), "  {} ({}), predecessor {}, successor {}\n", m.joints[j].name, kind_name(m.joints[j].joint),
                   m.joints[j].predecessor == ground ? "ground" : m.bodies[m.joints[j].predecessor].name,
                   m.joints[j].successor == ground ? "ground" : m.bodies[m.joints[j].successor].name);
  return text;
}

}  // namespace taut::multibody
