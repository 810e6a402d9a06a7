#include "taut/formulation/multibody/system/loops.h"

#include <fmt/format.h>

#include <algorithm>

namespace taut::multibody {

namespace {

// What makes the rows: its kind and itself.
template <class F>
auto with_maker(const Machine& m, const RowGroup& group, const F& f) {
  if (group.kind == RowGroup::Kind::loop) return f("joint", m.joints[group.index]);
  if (group.kind == RowGroup::Kind::distance) return f("distance", m.distances[group.index]);
  return f("sum", m.sums[group.index]);
}

// Builds the ways of the groups.
class Builder {
 public:
  Builder(const Tree& tree, Loops& loops) : tree_(tree), loops_(loops) {}

  void add(RowGroup::Kind kind, int index, int rows, const std::vector<int>& links) {
    RowGroup group{kind,
                   loops_.rows,
                   rows,
                   static_cast<int>(loops_.holds.size()),
                   static_cast<int>(links.size()),
                   static_cast<int>(loops_.pattern.size()),
                   0,
                   index};
    // Balanced wrenches act on nothing from the common link on.
    const int stop = kind == RowGroup::Kind::sum ? ground : common(links[0], links[1]);
    std::vector<Step> seen;
    for (const int link : links) {
      loops_.holds.push_back({link, static_cast<int>(loops_.steps.size()), 0});
      for (int j = link; j != stop && j != ground; j = tree_.links[j].parent) {
        const auto found = std::find_if(seen.begin(), seen.end(), [&](const Step& s) { return s.link == j; });
        if (found == seen.end()) {
          seen.push_back({j, static_cast<int>(loops_.pattern.size())});
          for (int row = loops_.rows; row < loops_.rows + rows; ++row)
            for (int c = 0; c < tree_.links[j].nv; ++c) loops_.pattern.emplace_back(row, tree_.links[j].v + c);
          loops_.steps.push_back(seen.back());
        } else {
          loops_.steps.push_back(*found);
        }
        ++loops_.holds.back().steps;
      }
    }
    group.values = static_cast<int>(loops_.pattern.size()) - group.first_value;
    loops_.rows += rows;
    loops_.is_turn.resize(loops_.rows, 0);
    loops_.groups.push_back(group);
  }

 private:
  int common(int a, int b) const {
    while (a != b) (a > b ? a : b) = tree_.links[std::max(a, b)].parent;  // parents have smaller numbers
    return a;
  }

  const Tree& tree_;
  Loops& loops_;
};

}  // namespace

std::string title(const Machine& machine, const RowGroup& group) {
  return with_maker(machine, group,
                    [](const char* kind, const auto& maker) { return fmt::format("{} \"{}\"", kind, maker.name); });
}

Problem problem_with(const Machine& machine, const RowGroup& group, std::string message) {
  return with_maker(machine, group, [&](const char* kind, const auto& maker) {
    return taut::problem_with(kind, maker.name, maker.place, std::move(message));
  });
}

Loops::Loops(const Machine& m, const Topology& topology, const Tree& tree) : distances(m.distances), sums(m.sums) {
  Builder builder(tree, *this);
  const auto from_link = [&](int link) { return link == ground ? Transform{} : tree.links[link].from_body.inverse(); };
  for (const int j : topology.loops) {
    const Connection& c = m.joints[j];
    const int s = tree.link_of(c.successor), p = tree.link_of(c.predecessor);
    joints.push_back({s, p, c.at_successor * from_link(s), c.at_predecessor * from_link(p), c.joint,
                      has_internal_torque(c.joint) || c.torque, static_cast<int>(groups.size())});
    JointPosition q{};
    neutral(c.joint, q.data());
    if (c.start || c.guess) q = c.start ? *c.start : *c.guess;
    start.push_back(q);
    builder.add(RowGroup::Kind::loop, j, 6 - velocities(c.joint), {s, p});
    // Wrenches without force are torques: their rows are angles.
    Mat6 T = Mat6::Zero();
    constraint_forces(c.joint, q.data(), T);
    for (int r = 0; r < groups.back().rows; ++r) is_turn[groups.back().first_row + r] = T.col(r).tail<3>().isZero();
  }
  for (std::size_t i = 0; i < distances.size(); ++i)
    builder.add(RowGroup::Kind::distance, static_cast<int>(i), 1,
                {tree.points[distances[i].b].link, tree.points[distances[i].a].link});
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::vector<int> links;
    for (const auto& [point, unused] : sums[i].terms) links.push_back(tree.points[point].link);
    builder.add(RowGroup::Kind::sum, static_cast<int>(i), 1, links);
  }
}

LoopTerms make_terms(const Loops& loops) {
  LoopTerms t;
  t.K.assign(loops.pattern.size(), 0.0);
  t.g.assign(loops.rows, 0.0);
  t.rate = t.k = t.size = t.g;
  t.wrench.assign(6 * loops.holds.size(), Vec6::Zero());
  t.way = t.wrench;
  t.joints.resize(loops.joints.size());
  for (std::size_t i = 0; i < loops.joints.size(); ++i) t.joints[i].q = loops.start[i];
  return t;
}

namespace {

Transform world_of(const TreeTerms& terms, int link) { return link == ground ? Transform{} : terms.links[link].world; }

// Relative position, q_J, T_c and g of a loop joint; its wrenches seen from both links.
void close_joint(const LoopJoint& loop, const TreeTerms& terms, LoopJointTerms& t, double* g, Vec6* on_successor,
                 Vec6* on_predecessor) {
  const int rows = 6 - velocities(loop.joint);
  const Transform to_s = loop.at_successor * world_of(terms, loop.successor),
                  to_p = loop.at_predecessor * world_of(terms, loop.predecessor);
  t.X = to_s * to_p.inverse();
  // Out of reach there is no motion: a step that leads there is not finite. The next one goes on from before.
  const JointPosition before = t.q;
  t.reached = fit(loop.joint, t.X, t.q.data());
  for (const double q : t.q) t.reached = t.reached && std::isfinite(q);
  if (!t.reached) t.q = before;
  constraint_forces(loop.joint, t.q.data(), t.T_c);
  loop_error(loop.joint, t.X, t.q.data(), g);
  if (!t.reached) std::fill_n(g, rows, std::numeric_limits<double>::quiet_NaN());
  for (int r = 0; r < rows; ++r) {
    const Vec6 T = t.T_c.col(r);
    on_successor[r] = loop.at_successor.force_back(T);
    on_predecessor[r] = -loop.at_predecessor.force_back(t.X.force_back(T));
  }
}

// A force (world axes) on a point as a wrench on its link.
Vec6 wrench_at(const Tree& tree, const TreeTerms& terms, int point, const Vec3& force) {
  const LinkPoint& p = tree.points[point];
  if (p.link == ground) return Vec6::Zero();
  const Vec3 f = terms.links[p.link].world.E * force;
  return spatial(p.position.cross(f), f);
}

}  // namespace

void close(const Loops& loops, const Tree& tree, const TreeTerms& terms, const double* inverse_inertia,
           LoopTerms& out) {
  for (std::size_t i = 0; i < loops.joints.size(); ++i) {
    const RowGroup& group = loops.groups[loops.joints[i].group];
    Vec6* const wrench = out.wrench.data() + 6 * group.first_hold;
    close_joint(loops.joints[i], terms, out.joints[i], out.g.data() + group.first_row, wrench, wrench + 6);
  }
  for (std::size_t i = loops.joints.size(); i < loops.groups.size(); ++i) {
    const RowGroup& group = loops.groups[i];
    Vec6* const wrench = out.wrench.data() + 6 * group.first_hold;
    if (group.kind == RowGroup::Kind::distance) {
      const Distance& d = loops.distances[group.index];
      const Vec3 b = (position(tree, d.b, terms) - position(tree, d.a, terms)) / d.length;
      out.g[group.first_row] = 0.5 * d.length * (b.squaredNorm() - 1.0);
      wrench[0] = wrench_at(tree, terms, d.b, b);
      wrench[6] = -wrench_at(tree, terms, d.a, b);
    } else {
      const PointSum& sum = loops.sums[group.index];
      out.g[group.first_row] = -sum.value;
      for (std::size_t k = 0; k < sum.terms.size(); ++k) {
        const auto& [point, coefficient] = sum.terms[k];
        out.g[group.first_row] += coefficient * position(tree, point, terms)[sum.axis];
        wrench[6 * k] = wrench_at(tree, terms, point, coefficient * Vec3::Unit(sum.axis));
      }
    }
  }
  // Down the tree.
  std::fill(out.K.begin(), out.K.end(), 0.0);
  std::fill(out.size.begin(), out.size.end(), 0.0);
  for (const RowGroup& group : loops.groups)
    for (int h = group.first_hold; h < group.first_hold + group.holds; ++h) {
      const Hold& hold = loops.holds[h];
      Vec6* const way = out.way.data();
      for (int r = 0; r < group.rows; ++r) way[r] = out.wrench[6 * h + r];
      for (int s = hold.first_step; s < hold.first_step + hold.steps; ++s) {
        const Step& step = loops.steps[s];
        const Link& link = tree.links[step.link];
        double* K = out.K.data() + step.value;
        double mobility = 0.0;
        for (int c = link.v; c < link.v + link.nv; ++c) mobility += terms.S[c].squaredNorm() * inverse_inertia[c];
        for (int r = 0; r < group.rows; ++r) {
          for (int c = link.v; c < link.v + link.nv; ++c) *K++ += terms.S[c].dot(way[r]);
          out.size[group.first_row + r] += mobility * way[r].squaredNorm();
          if (s + 1 < hold.first_step + hold.steps) way[r] = terms.links[step.link].X.force_back(way[r]);
        }
      }
    }
}

void loop_rates(const Loops& loops, const Tree&, const TreeTerms& terms, const double* v, LoopTerms& out) {
  multiply(loops, out, v, out.rate.data());
  for (std::size_t i = 0; i < loops.joints.size(); ++i) {
    const LoopJoint& loop = loops.joints[i];
    LoopJointTerms& t = out.joints[i];
    Vec6 speed = Vec6::Zero();
    if (loop.successor != ground) speed = loop.at_successor.motion(terms.links[loop.successor].velocity);
    if (loop.predecessor != ground)
      speed -= t.X.motion(loop.at_predecessor.motion(terms.links[loop.predecessor].velocity));
    active_forces(loop.joint, t.q.data(), t.T_a);
    for (int c = 0; c < velocities(loop.joint); ++c) t.v[c] = t.T_a.col(c).dot(speed);
  }
}

void loop_bias(const Loops& loops, const Tree& tree, const TreeTerms& terms, LoopTerms& out) {
  // What the links' accelerations do to every row.
  for (const RowGroup& group : loops.groups)
    for (int r = 0; r < group.rows; ++r) {
      double sum = 0.0;
      for (int h = group.first_hold; h < group.first_hold + group.holds; ++h)
        if (const int link = loops.holds[h].link; link != ground)
          sum += out.wrench[6 * h + r].dot(terms.links[link].acceleration);
      out.k[group.first_row + r] = -sum;
    }
  JointMotion m;
  for (std::size_t i = 0; i < loops.joints.size(); ++i) {
    const LoopJoint& loop = loops.joints[i];
    const LoopJointTerms& t = out.joints[i];
    const RowGroup& group = loops.groups[loop.group];
    move(loop.joint, t.q.data(), t.v.data(), m);
    if (!t.reached) m.bias.setConstant(std::numeric_limits<double>::quiet_NaN());
    Vec6 bias = m.bias;
    if (loop.successor != ground)
      bias += cross_motion(loop.at_successor.motion(terms.links[loop.successor].velocity), m.velocity);
    for (int r = 0; r < group.rows; ++r) out.k[group.first_row + r] += t.T_c.col(r).dot(bias);
  }
  // Points: ω × their velocity, which spatial accelerations leave out, and the turning of b.
  const auto turning = [&](int point) {
    const LinkPoint& p = tree.points[point];
    if (p.link == ground) return Vec3(Vec3::Zero());
    const LinkTerms& t = terms.links[p.link];
    const Vec3 w = angular(t.velocity);
    return Vec3(t.world.E.transpose() * w.cross(Vec3(linear(t.velocity) + w.cross(p.position))));
  };
  for (std::size_t i = loops.joints.size(); i < loops.groups.size(); ++i) {
    const RowGroup& group = loops.groups[i];
    if (group.kind == RowGroup::Kind::distance) {
      const Distance& d = loops.distances[group.index];
      const Vec3 b = position(tree, d.b, terms) - position(tree, d.a, terms),
                 rate = velocity(tree, d.b, terms) - velocity(tree, d.a, terms);
      out.k[group.first_row] -= (b.dot(turning(d.b) - turning(d.a)) + rate.squaredNorm()) / d.length;
    } else {
      const PointSum& sum = loops.sums[group.index];
      for (const auto& [point, coefficient] : sum.terms)
        out.k[group.first_row] -= coefficient * turning(point)[sum.axis];
    }
  }
}

void add_loop_torque(const Loops& loops, int joint, const LoopTerms& loop, const double* torque, TreeTerms& terms) {
  const LoopJoint& l = loops.joints[joint];
  const LoopJointTerms& t = loop.joints[joint];
  Vec6 force = Vec6::Zero();
  for (int c = 0; c < velocities(l.joint); ++c) force += torque[c] * t.T_a.col(c);
  if (l.successor != ground) terms.links[l.successor].external += l.at_successor.force_back(force);
  if (l.predecessor != ground)
    terms.links[l.predecessor].external -= l.at_predecessor.force_back(t.X.force_back(force));
}

void add_transposed(const Loops& loops, const LoopTerms& loop, const double* lambda, double* x) {
  for (std::size_t i = 0; i < loops.pattern.size(); ++i)
    x[loops.pattern[i].second] += loop.K[i] * lambda[loops.pattern[i].first];
}

void multiply(const Loops& loops, const LoopTerms& loop, const double* x, double* rows) {
  std::fill_n(rows, loops.rows, 0.0);
  for (std::size_t i = 0; i < loops.pattern.size(); ++i)
    rows[loops.pattern[i].first] += loop.K[i] * x[loops.pattern[i].second];
}

}  // namespace taut::multibody
