#include "taut/formulation/multibody/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <queue>
#include <tuple>

namespace taut::multibody {

namespace {

// Bodies that belong together; the ground is number 0.
class Groups {
 public:
  explicit Groups(std::size_t bodies) : parent_(bodies + 1) { std::iota(parent_.begin(), parent_.end(), 0); }
  int of(int body) {
    int i = body + 1;
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // False: they already were together.
  bool join(int a, int b) {
    const int i = of(a), j = of(b);
    parent_[std::max(i, j)] = std::min(i, j);
    return i != j;
  }

 private:
  std::vector<int> parent_;
};

[[noreturn]] void refuse(const Connection& joint, const std::string& text) {
  throw InputError({Problem{{}, fmt::format("joint \"{}\"", joint.name), text}});
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

void refuse_two_parents(const Mechanism& m) {
  Groups groups(m.bodies.size());
  for (const Connection& joint : m.joints)
    if (joint.role == Role::tree && !groups.join(joint.predecessor, joint.successor))
      refuse(joint, fmt::format("would give {} two parents: the joints that are wanted in the tree already connect it "
                                "with {}; one of them must close the loop",
                                body_name(m, joint.successor), body_name(m, joint.predecessor)));
}

// Floating joints for what hangs on nothing.
int add_floating(Mechanism& m) {
  Groups groups(m.bodies.size());
  for (const Connection& joint : m.joints)
    if (joint.role != Role::loop) groups.join(joint.predecessor, joint.successor);
  for (const Connection& joint : m.joints)
    if (joint.role == Role::loop && groups.of(joint.predecessor) != groups.of(joint.successor))
      refuse(joint,
             fmt::format("is to close a loop, but without it nothing connects {} with {}; leave that to taut, or "
                         "give a body a floating joint",
                         body_name(m, joint.successor), body_name(m, joint.predecessor)));
  int added = 0;
  for (int body = 0; body < static_cast<int>(m.bodies.size()); ++body)
    if (groups.join(ground, body)) {
      Connection joint;
      joint.name = m.bodies[body].name + ".floating";
      joint.joint = Joint(Floating{});
      joint.successor = body;
      m.joints.push_back(joint);
      ++added;
    }
  return added;
}

}  // namespace

Topology choose_tree(Mechanism& m) {
  refuse_two_parents(m);
  Topology topology;
  topology.floating = add_floating(m);
  const int bodies = static_cast<int>(m.bodies.size()), joints = static_cast<int>(m.joints.size());
  std::vector<std::vector<int>> at(bodies + 1);  // joints of every body, the ground first
  for (int j = 0; j < joints; ++j) {
    at[m.joints[j].predecessor + 1].push_back(j);
    at[m.joints[j].successor + 1].push_back(j);
  }

  // Grow from the ground: (preference, freedoms, depth, joint, body at its near end), the least first.
  using Offer = std::tuple<int, int, int, int, int>;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
  std::vector<int> depth(bodies + 1, -1), joint_of(bodies, -1);
  std::vector<char> in_tree(joints, 0);
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
    const Connection& joint = m.joints[j];
    const int far = joint.predecessor == near ? joint.successor : joint.predecessor;
    if (depth[far + 1] >= 0) continue;
    joint_of[far] = j;
    in_tree[j] = 1;
    reach(far, level + 1);
  }
  for (int j = 0; j < joints; ++j)
    if (!in_tree[j]) {
      if (m.joints[j].start_given || m.joints[j].velocity_given)
        refuse(m.joints[j],
               "closes a loop, so that its start and its velocity follow from the other joints: leave them "
               "out, or give another joint of the loop role = \"loop\"");
      if (m.joints[j].motion)
        refuse(m.joints[j], "its motion is imposed, but it closes a loop in which all motions are imposed");
      topology.loops.push_back(j);
    }

  // Number depth first, children in the order of their joints.
  std::vector<std::pair<int, int>> stack = {{ground, ground}};  // body, its place in the tree
  while (!stack.empty()) {
    const auto [body, place] = stack.back();
    stack.pop_back();
    int index = place;
    if (body != ground) {
      index = static_cast<int>(topology.tree.size());
      topology.tree.push_back({body, place, joint_of[body], m.joints[joint_of[body]].predecessor == body});
    }
    for (auto j = at[body + 1].rbegin(); j != at[body + 1].rend(); ++j) {
      const int far = m.joints[*j].predecessor == body ? m.joints[*j].successor : m.joints[*j].predecessor;
      if (far != ground && joint_of[far] == *j) stack.emplace_back(far, index);
    }
  }
  return topology;
}

std::string describe(const Mechanism& m, const Topology& topology) {
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
