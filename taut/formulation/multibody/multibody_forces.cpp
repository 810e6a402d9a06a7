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
  const SystemTerms& last = *terms.multibody;
  // What the joints transmit, with the loops' forces among those on the links.
  TreeTerms t = last.tree;
  std::vector<double> unused(nv_);
  const auto& loops = system_.loops;
  add_loop_forces(last, t);
  joint_forces(system_.tree, t, unused.data());

  for (std::size_t k = 0; k < model_->bars.size(); ++k) {
    const Bar& bar = model_->bars[k];
    if (bar.elastic) continue;
    if (bars_[k].distance >= 0) {  // its row pushes the ends apart by its multiplier
      for (const RowGroup& group : loops.groups)
        if (group.kind == RowGroup::Kind::distance && group.part == bars_[k].distance)
          forces[k] = -last.lambda[group.first_row];
      continue;
    }
    if (bar.mass == 0.0 && bars_[k].body == ground) continue;
    const int i = system_.tree.link_of(bars_[k].body);
    const Vec3 a = bars_[k].a, b = bars_[k].b;
    const Lever lever(a, b);
    // Inertia: ∫ (1 - s) u·ẍ dm of a rod, with m_aa, m_ab of its consistent mass.
    const double L2 = (b - a).squaredNorm(), near = 1.0 - bar.com;
    const double m_aa = bar.mass * near * near + bar.inertia / L2, m_ab = bar.mass * near * bar.com - bar.inertia / L2;
    double force = (b - a).normalized().dot(m_aa * acceleration(t.links[i], a) + m_ab * acceleration(t.links[i], b));
    // Forces on nodes, weight, joints towards the ground and away from it, loops.
    const Link& link = system_.tree.links[i];
    for (int p = 0; p < static_cast<int>(system_.tree.points.size()); ++p)
      if (const LinkPoint& point = system_.tree.points[p]; point.link == i)
        force -= lever(point.position, t.links[i].world.E * Vec3(terms.force.data() + 4 * static_cast<std::size_t>(p)));
    if (link.weighs)
      force -= lever(link.inertia.moment / link.inertia.mass,
                     link.inertia.mass * (t.links[i].world.E * system_.tree.gravity));
    force -= lever(Vec3::Zero(), linear(t.links[i].force));
    for (std::size_t j = static_cast<std::size_t>(i) + 1; j < system_.tree.links.size(); ++j)
      if (system_.tree.links[j].parent == i)
        force += lever(system_.tree.links[j].before.r, linear(t.links[j].X.force_back(t.links[j].force)));
    for (std::size_t j = 0; j < loops.joints.size(); ++j) {
      const LoopJoint& loop = loops.joints[j];
      const RowGroup& group = loops.groups[loop.group];
      for (const bool successor : {true, false}) {
        if ((successor ? loop.successor : loop.predecessor) != i) continue;
        const Vec3 place = successor ? loop.at_successor.r : loop.at_predecessor.r;
        for (int r = 0; r < group.rows; ++r)
          force -= last.lambda[group.first_row + r] *
                   lever(place, linear(last.loops.wrench[6 * (group.first_hold + (successor ? 0 : 1)) + r]));
      }
    }
    for (std::size_t g = loops.joints.size(); g < loops.groups.size(); ++g) {
      const RowGroup& group = loops.groups[g];
      const auto at = [&](int h) {
        const int n = h - group.first_hold;
        if (group.kind == RowGroup::Kind::sum) return loops.sums[group.part].terms[n].first;
        return n == 0 ? loops.distances[group.part].b : loops.distances[group.part].a;
      };
      for (int h = group.first_hold; h < group.first_hold + group.holds; ++h)
        if (loops.holds[h].link == i)
          force -= last.lambda[group.first_row] *
                   lever(system_.tree.points[at(h)].position, linear(last.loops.wrench[6 * h]));
    }
    forces[k] = force;
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
  const SystemTerms& last = *terms.multibody;
  std::vector<Vec3> carried(joints_.supports.empty() ? 0 : model_->nodes.size(), Vec3::Zero());
  if (!carried.empty()) {
    TreeTerms t = last.tree;
    std::vector<double> unused(nv_);
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
      const PointSum& sum = system_.loops.sums[group.part];
      if (sum.terms.size() == 1 && sum.terms[0].first == i)
        forces[sum.axis] += sum.terms[0].second * last.lambda[group.first_row];
    }
    forces += 3;
  }
}

}  // namespace taut
