#include "taut/equilibrium/machine/machine_loads.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/formulation/multibody/from_model.h"
#include "taut/formulation/node_arrays.h"

namespace taut {

using namespace multibody;

namespace {

class Collector {
 public:
  explicit Collector(MachineForces& forces)
      : forces_(forces), s_(forces.system()), last_(forces.machine()), loads_(s_.tree.links.size()) {}

  std::vector<std::vector<PointLoad>> run() {
    take_nodes();
    take_weight();
    take_loops();
    take_tree_joints();
    return std::move(loads_);
  }

 private:
  // A wrench about the origin of the link, at a place on it.
  void add(int link, const Vec3& at, const Vec6& wrench) {
    const Vec3 force = linear(wrench), moment = Vec3(angular(wrench)) - at.cross(force);
    if (link != ground) loads_[link].push_back({at, force, moment});
  }

  void take_nodes() {
    for (std::size_t p = 0; p < s_.tree.points.size(); ++p) {
      const LinkPoint& point = s_.tree.points[p];
      if (point.link == ground) continue;
      const Vec3 force = last_.tree.links[point.link].world.E * at3(forces_.terms().force.data(), static_cast<int>(p));
      loads_[point.link].push_back({point.position, force, Vec3::Zero()});
    }
  }

  void take_weight() {
    for (std::size_t i = 0; i < s_.tree.links.size(); ++i) {
      const Link& link = s_.tree.links[i];
      if (!link.weighs || !(link.inertia.mass > 0.0)) continue;
      const Vec3 centre = link.inertia.moment / link.inertia.mass;
      loads_[i].push_back({centre, link.inertia.mass * (last_.tree.links[i].world.E * s_.tree.gravity), Vec3::Zero()});
    }
  }

  // Where hold h of a group takes hold of its link.
  Vec3 place_of(const RowGroup& group, int h) const {
    const int n = h - group.first_hold;
    if (group.kind == RowGroup::Kind::loop)
      for (const LoopJoint& loop : s_.loops.joints)
        if (&s_.loops.groups[loop.group] == &group) return n == 0 ? loop.at_successor.r : loop.at_predecessor.r;
    const int point = group.kind == RowGroup::Kind::sum ? s_.loops.sums[group.index].terms[n].first
                      : n == 0                          ? s_.loops.distances[group.index].b
                                                        : s_.loops.distances[group.index].a;
    return s_.tree.points[point].position;
  }

  void take_loops() {
    for (const RowGroup& group : s_.loops.groups)
      for (int h = group.first_hold; h < group.first_hold + group.holds; ++h) {
        const int link = s_.loops.holds[h].link;
        if (link == ground) continue;
        Vec6 wrench = Vec6::Zero();
        for (int r = 0; r < group.rows; ++r)
          wrench += last_.lambda[group.first_row + r] * last_.loops.wrench[6 * static_cast<std::size_t>(h) + r];
        add(link, place_of(group, h), wrench);
      }
    for (std::size_t k = 0; k < s_.loops.joints.size(); ++k) {
      const LoopJoint& loop = s_.loops.joints[k];
      if (!loop.has_torque) continue;
      TreeTerms alone = last_.tree;
      for (LinkTerms& link : alone.links) link.external.setZero();
      add_loop_torque(s_.loops, static_cast<int>(k), last_.loops, last_.loop_torque[k].torque.data(), alone);
      if (loop.successor != ground) add(loop.successor, loop.at_successor.r, alone.links[loop.successor].external);
      if (loop.predecessor != ground)
        add(loop.predecessor, loop.at_predecessor.r, alone.links[loop.predecessor].external);
    }
  }

  // From the ends of the tree to the ground: what everything beyond a joint adds up to is what the joint holds.
  void take_tree_joints() {
    for (std::size_t i = loads_.size(); i-- > 0;) {
      Vec6 sum = Vec6::Zero();
      for (const PointLoad& load : loads_[i]) sum += spatial(load.moment + load.at.cross(load.force), load.force);
      add(static_cast<int>(i), Vec3::Zero(), -sum);
      const Link& link = s_.tree.links[i];
      if (link.parent != ground) add(link.parent, link.before.r, last_.tree.links[i].X.force_back(sum));
    }
  }

  MachineForces& forces_;
  const System& s_;
  const SystemTerms& last_;
  std::vector<std::vector<PointLoad>> loads_;
};

// The axis of a bar on its link.
struct Axis {
  Vec3 a, b;

  Vec3 along() const { return (b - a).normalized(); }
  double place(const Vec3& at) const { return along().dot(at - a); }
};

// The part of a load across the axis that passes its weight on to the ends.
void hang_on_ends(const Axis& bar, const PointLoad& weight, std::vector<PointLoad>& loads) {
  const double part = bar.place(weight.at) / (bar.b - bar.a).norm();
  const Vec3 foot = bar.a + part * (bar.b - bar.a);
  loads.push_back({bar.a, (1.0 - part) * weight.force, Vec3::Zero()});
  loads.push_back({bar.b, part * weight.force, Vec3::Zero()});
  loads.push_back({foot, Vec3::Zero(), (weight.at - foot).cross(weight.force)});
}

// Between loads the moment is linear: the largest is beside one of them.
BarLoad along(const Axis& bar, std::vector<PointLoad> loads) {
  BarLoad found;
  found.whole = true;
  const Vec3 u = bar.along();
  const double L = (bar.b - bar.a).norm(), near = 1e-9 * L;
  std::stable_sort(loads.begin(), loads.end(),
                   [&](const PointLoad& x, const PointLoad& y) { return bar.place(x.at) < bar.place(y.at); });
  double size = 0.0;
  for (const PointLoad& load : loads) size += load.force.norm() + load.moment.norm() / L;
  const auto beside = [&](std::size_t count, double s) {
    Vec3 moment = Vec3::Zero();
    double axial = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      moment += loads[k].moment + (loads[k].at - (bar.a + s * u)).cross(loads[k].force);
      axial -= u.dot(loads[k].force);
    }
    const double bends = (moment - u.dot(moment) * u).norm();
    if (std::abs(axial) > 1e-12 * size) found.least = std::min(found.least, axial);
    if (std::abs(axial) > 1e-12 * size) found.most = std::max(found.most, axial);
    if (!(bends > 1e-9 * size * L)) return;
    found.moment = std::max(found.moment, bends);
    if (s <= near || s >= L - near) found.end_moment = std::max(found.end_moment, bends);
  };
  // What acts at one place acts together.
  for (std::size_t k = 0, next = 0; k < loads.size(); k = next) {
    const double s = bar.place(loads[k].at);
    for (next = k; next < loads.size() && bar.place(loads[next].at) <= s + near;) ++next;
    if (k > 0) beside(k, s);
    if (next < loads.size()) beside(next, s);
  }
  return found;
}

}  // namespace

std::vector<std::vector<PointLoad>> loads_on_links(MachineForces& forces) { return Collector(forces).run(); }

std::vector<BarLoad> bar_loads(MachineForces& forces) {
  const Model& model = forces.model();
  const System& s = forces.system();
  const std::vector<std::vector<PointLoad>> loads = loads_on_links(forces);
  const ModelMachine made = machine_of(model);
  const MachineTensions carried = forces.tensions();
  std::vector<BarLoad> found(model.bars.size());
  for (std::size_t k = 0; k < model.bars.size(); ++k) {
    found[k].least = std::min(0.0, carried.bars[k]);
    found[k].most = std::max(0.0, carried.bars[k]);
    const int body = made.bars[k].body;
    // A bar without mass of its own lies on another body or is a distance.
    if (model.bars[k].elastic || made.bars[k].distance >= 0 || body == ground ||
        s.machine.bodies[body].name != model.bars[k].name)
      continue;
    const int i = s.tree.link_of(body);
    const Transform& world = forces.machine().tree.links[i].world;
    const Axis bar{world.point(at3(forces.terms().x.data(), model.bars[k].a)),
                   world.point(at3(forces.terms().x.data(), model.bars[k].b))};
    std::vector<PointLoad> on;
    const Link& link = s.tree.links[i];
    const Vec3 centre = link.inertia.mass > 0.0 ? Vec3(link.inertia.moment / link.inertia.mass) : Vec3::Zero();
    const Vec3 weight = link.weighs ? Vec3(link.inertia.mass * (world.E * s.tree.gravity)) : Vec3::Zero();
    bool hung = weight == Vec3::Zero();
    for (const PointLoad& load : loads[i]) {
      if (!hung && load.at == centre && load.force == weight)
        hang_on_ends(bar, load, on), hung = true;
      else
        on.push_back(load);
    }
    found[k] = along(bar, std::move(on));
  }
  return found;
}

std::vector<double> body_moments(MachineForces& forces) {
  const Model& model = forces.model();
  const System& s = forces.system();
  const std::vector<std::vector<PointLoad>> loads = loads_on_links(forces);
  const ModelMachine made = machine_of(model);
  std::vector<double> largest(model.bodies.size(), 0.0);
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    const Link& link = s.tree.links[s.tree.link_of(made.bodies[k])];
    // The body's frame is at its centre.
    const Vec3 centre = link.from_body.point(Vec3::Zero());
    for (const PointLoad& load : loads[s.tree.link_of(made.bodies[k])])
      largest[k] = std::max(largest[k], (load.moment + (load.at - centre).cross(load.force)).norm());
  }
  return largest;
}

std::vector<PulleyCable> pulley_cables(MachineForces& forces) {
  const Model& model = forces.model();
  const System& s = forces.system();
  const JointSide& joints = *forces.formulation().joints();
  const MachineTensions carried = forces.tensions();
  std::vector<PulleyCable> found(model.pulleys.size());
  for (std::size_t i = 0; i < model.pulleys.size(); ++i) {
    const int v = joints.pulley_indices(static_cast<int>(i)).v;
    const double T = found[i].tension = carried.pulleys[i];
    const JointVelocity rest{};
    CableStatus status;
    if (v >= 0) {
      const Link& link = s.tree.links[s.tree.link_of_velocity[v]];
      cable_status(s.tree.joints[s.tree.link_of_velocity[v]], forces.coordinates().data() + link.q, rest.data(),
                   status);
    } else {  // it closes a loop
      const std::vector<std::string> columns = joint_columns(model);
      std::vector<double> values(columns.size());
      const std::vector<double> still(s.tree.nv, 0.0);
      joints.joint_values(forces.coordinates().data(), still.data(), forces.terms(), values.data());
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (columns[c] == model.pulleys[i].name + ".length") status.length = values[c];
      const bool rigid = model.pulleys[i].variant == PulleyVariant::rigid;
      status.free_length = rigid ? status.length : status.length / (1.0 + T / model.pulleys[i].EA);
    }
    found[i].length = status.length;
    found[i].free_length = status.free_length;
  }
  return found;
}

}  // namespace taut
