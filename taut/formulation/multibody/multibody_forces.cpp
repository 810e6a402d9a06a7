// Forces in bars and at supports, from the last accelerate().
#include <algorithm>

#include "taut/formulation/multibody/multibody.h"

namespace taut {

using namespace multibody;

namespace {

// Sums forces on one body along a bar, each weighted by how near it is to the bar's end a.
class Lever {
 public:
  Lever(const Vec3& a, const Vec3& b) : a_(a), along_((b - a) / (b - a).squaredNorm()), unit_((b - a).normalized()) {}
  double operator()(const Vec3& place, const Vec3& force) const {
    return (1.0 - along_.dot(place - a_)) * unit_.dot(force);
  }

 private:
  Vec3 a_, along_, unit_;
};

// The tension of a bar that is a body of its own, by the law of the lever: one kind of force on the body after the other.
struct BarTension {
  const System& system;
  const SystemTerms& last;
  const TreeTerms& t;
  int i;  // the body's link
  Lever lever;
  double force = 0.0;

  // ∫ (1 - s) u·ẍ dm of a rod, with m_aa, m_ab of its consistent mass.
  void begin_with_inertia(const Bar& bar, const Vec3& a, const Vec3& b) {
    const double L2 = (b - a).squaredNorm(), near = 1.0 - bar.com;
    const double m_aa = bar.mass * near * near + bar.inertia / L2, m_ab = bar.mass * near * bar.com - bar.inertia / L2;
    force = (b - a).normalized().dot(m_aa * acceleration(t.links[i], a) + m_ab * acceleration(t.links[i], b));
  }

  void take_nodes_and_weight(const double* node_force) {
    const Tree& tree = system.tree;
    const Link& link = tree.links[i];
    for (int p = 0; p < static_cast<int>(tree.points.size()); ++p)
      if (const LinkPoint& point = tree.points[p]; point.link == i)
        force -= lever(point.position, t.links[i].world.E * Vec3(node_force + 4 * static_cast<std::size_t>(p)));
    if (link.weighs)
      force -= lever(link.inertia.moment / link.inertia.mass, link.inertia.mass * (t.links[i].world.E * tree.gravity));
  }

  // Joints of the tree: the one towards the ground and those away from it.
  void take_tree_joints() {
    const auto& links = system.tree.links;
    force -= lever(Vec3::Zero(), linear(t.links[i].force));
    for (std::size_t j = static_cast<std::size_t>(i) + 1; j < links.size(); ++j)
      if (links[j].parent == i) force += lever(links[j].before.r, linear(t.links[j].X.force_back(t.links[j].force)));
  }

  void take_loop_joint(const LoopJoint& loop, bool successor) {
    if ((successor ? loop.successor : loop.predecessor) != i) return;
    const RowGroup& group = system.loops.groups[loop.group];
    const Vec3 place = successor ? loop.at_successor.r : loop.at_predecessor.r;
    for (int r = 0; r < group.rows; ++r)
      force -= last.lambda[group.first_row + r] *
               lever(place, linear(last.loops.wrench[6 * (group.first_hold + (successor ? 0 : 1)) + r]));
  }

  // A distance or a sum: the point that hold h is on.
  int held_point(const RowGroup& group, int h) const {
    const int n = h - group.first_hold;
    if (group.kind == RowGroup::Kind::sum) return system.loops.sums[group.index].terms[n].first;
    return n == 0 ? system.loops.distances[group.index].b : system.loops.distances[group.index].a;
  }

  void take_loops() {
    const auto& loops = system.loops;
    for (const LoopJoint& loop : loops.joints) {
      take_loop_joint(loop, true);
      take_loop_joint(loop, false);
    }
    for (std::size_t g = loops.joints.size(); g < loops.groups.size(); ++g) {
      const RowGroup& group = loops.groups[g];
      for (int h = group.first_hold; h < group.first_hold + group.holds; ++h)
        if (loops.holds[h].link == i)
          force -= last.lambda[group.first_row] *
                   lever(system.tree.points[held_point(group, h)].position, linear(last.loops.wrench[6 * h]));
    }
  }
};

// The row of a bar that is a distance pushes its ends apart by its multiplier.
double distance_force(const Loops& loops, int distance, const SystemTerms& last) {
  double force = 0.0;
  for (const RowGroup& group : loops.groups)
    if (group.kind == RowGroup::Kind::distance && group.index == distance) force = -last.lambda[group.first_row];
  return force;
}

}  // namespace

// The accelerations of the last evaluation, and the forces of its loops among those on the links.
void Multibody::add_loop_forces(const SystemTerms& last, TreeTerms& t) const {
  accelerations(system_.tree, last.v_rate.data(), t);
  const auto& loops = system_.loops;
  for (const RowGroup& group : loops.groups)
    for (int h = group.first_hold; h < group.first_hold + group.holds; ++h)
      for (int r = 0; r < group.rows && loops.holds[h].link != ground; ++r)
        t.links[loops.holds[h].link].external += last.lambda[group.first_row + r] * last.loops.wrench[6 * h + r];
}

void Multibody::bar_forces(const Terms& terms, double* forces) const {
  std::fill_n(forces, model_->bars.size(), 0.0);
  if (std::all_of(model_->bars.begin(), model_->bars.end(), [](const Bar& bar) { return bar.elastic; })) return;
  const SystemTerms& last = own(terms);
  // What the joints transmit, with the loops' forces among those on the links.
  TreeTerms t = last.tree;
  std::vector<double> unused(facts_.nv);
  add_loop_forces(last, t);
  joint_forces(system_.tree, t, unused.data());

  for (std::size_t k = 0; k < model_->bars.size(); ++k) {
    const Bar& bar = model_->bars[k];
    if (bar.elastic) continue;
    if (bars_[k].distance >= 0) {
      forces[k] = distance_force(system_.loops, bars_[k].distance, last);
      continue;
    }
    if (bar.mass == 0.0 && bars_[k].body == ground) continue;
    const Vec3 a = bars_[k].a, b = bars_[k].b;
    BarTension tension{system_, last, t, system_.tree.link_of(bars_[k].body), Lever(a, b)};
    tension.begin_with_inertia(bar, a, b);
    tension.take_nodes_and_weight(terms.force.data());
    tension.take_tree_joints();
    tension.take_loops();
    forces[k] = tension.force;
  }
}

// What the joint carries from the ground to its body, in the world's axes, N.
Vec3 Multibody::carried_from_ground(int joint, const SystemTerms& last, const TreeTerms& t) const {
  if (const int i = link_of_joint_[joint]; i >= 0) return t.links[i].world.E.transpose() * linear(t.links[i].force);
  const LoopJoint& loop = system_.loops.joints[loop_of_joint_[joint]];
  const RowGroup& group = system_.loops.groups[loop.group];
  const bool successor = loop.successor != ground;
  const int link = successor ? loop.successor : loop.predecessor, h = group.first_hold + (successor ? 0 : 1);
  Vec3 force = Vec3::Zero();
  for (int r = 0; r < group.rows; ++r)
    force += last.lambda[group.first_row + r] * linear(last.loops.wrench[6 * static_cast<std::size_t>(h) + r]);
  return t.links[link].world.E.transpose() * force;
}

void Multibody::support_forces(const Terms& terms, const double*, double* forces) const {
  const SystemTerms& last = own(terms);
  std::vector<Vec3> carried(joints_.supports.empty() ? 0 : model_->nodes.size(), Vec3::Zero());
  if (!carried.empty()) {
    TreeTerms t = last.tree;
    std::vector<double> unused(facts_.nv);
    add_loop_forces(last, t);
    joint_forces(system_.tree, t, unused.data());
    for (const auto& [joint, node] : joints_.supports) carried[node] += carried_from_ground(joint, last, t);
  }
  for (int i = 0; i < static_cast<int>(model_->nodes.size()); ++i) {
    if (model_->nodes[i].fixed == Axes{}) continue;
    for (int axis = 0; axis < 3; ++axis)
      forces[axis] = system_.tree.points[i].link == ground ? (carried.empty() ? 0.0 : carried[i][axis]) -
                                                                 terms.force[4 * static_cast<std::size_t>(i) + axis]
                                                           : 0.0;
    for (const RowGroup& group : system_.loops.groups) {
      if (group.kind != RowGroup::Kind::sum) continue;
      const PointSum& sum = system_.loops.sums[group.index];
      if (sum.terms.size() == 1 && sum.terms[0].first == i)
        forces[sum.axis] += sum.terms[0].second * last.lambda[group.first_row];
    }
    forces += 3;
  }
}

}  // namespace taut
