// Hard contact in the leapfrog of the nodal formulation: lone nodes and lone bars by themselves (press_rod.h), what is
// coupled through its saddle system. For a touching point with weights w on nodes, the answer of all velocities to a unit
// impulse along an axis is one solution of that system; from these follow the blocks A_kl of all touching points.
#include <algorithm>
#include <cmath>

#include "taut/formulation/nodal/nodal.h"
#include "taut/formulation/press_rod.h"

namespace taut {

namespace {

Triple<double> triple_of_axes(Vec4 inverse) { return {inverse[0], inverse[1], inverse[2]}; }

constexpr int most_group_sweeps = 1000, most_group_rounds = 6, most_group_looks = 6;

}  // namespace

void Nodal::find_homes() {
  homes_.assign(model_->nodes.size(), {});
  for (int coordinate : unknowns_) homes_[coordinate / 3] = {Home::group, 0};
  for (std::size_t k = 0; k < lone_nodes_.size(); ++k) homes_[lone_nodes_[k].node] = {Home::node, static_cast<int>(k)};
  // A node that cannot move may hold several bars: the other end tells whose touch it is.
  const auto add = [&](const auto& bars, Home::Kind kind) {
    for (std::size_t k = 0; k < bars.size(); ++k)
      for (const int node : {bars[k].a, bars[k].b})
        if (model_->nodes[node].fixed != Axes{true, true, true}) homes_[node] = {kind, static_cast<int>(k)};
  };
  add(free_bars_, Home::free_bar);
  add(guided_bars_, Home::guided_bar);
  unknown_of_.assign(facts_.nq, -1);
  for (std::size_t k = 0; k < unknowns_.size(); ++k) unknown_of_[unknowns_[k]] = static_cast<int>(k);
}

Nodal::Home Nodal::home_of(const RigidTouch& touch) const {
  for (int k = 0; k < touch.nodes; ++k)
    if (const Home home = homes_[touch.node[k]]; home.kind != Home::none) return home;
  return {};
}

void Nodal::press(const RigidGround& ground, double h, bool moves, Terms& terms) const {
  RigidTerms& rigid = terms.contact.rigid;
  ground.find(h, moves, terms.x.data(), terms.xd.data(), rigid);
  const std::size_t found = rigid.touches.size();
  const HardMove move{ground, h, moves, terms.x.data(), terms.xd.data(), rigid};
  for (std::size_t first = 0; first < found;) {
    const Home home = home_of(rigid.touches[first]);
    const std::size_t last =
        gather(rigid.touches, first, found, [&](const RigidTouch& t) { return home_of(t) == home; });
    const auto bar = [&](const auto& b, double softness) {
      const auto as = [](const auto& w) {
        if constexpr (std::is_same_v<std::decay_t<decltype(w)>, double>)
          return w;
        else
          return triple_of_axes(w);
      };
      press_rod(move, as(b.aa), as(b.ab), as(b.bb), b.a, b.b, b.length, false, softness, first, last);
    };
    switch (home.kind) {
      case Home::none:
        break;
      case Home::node:
        press_node(move, triple_of_axes(lone_nodes_[home.index].inverse), soft, rigid.touches[first]);
        break;
      case Home::free_bar:
        bar(free_bars_[home.index], firm);
        break;
      case Home::guided_bar:
        bar(guided_bars_[home.index], soft);
        break;
      case Home::group:
        press_group(move, first, last, terms);
        break;
    }
    first = last;
  }
}

// Velocities of the group by unit impulses on a touching point, along the axes of its frame.
void Nodal::answer_columns(const RigidTouch& touch, Coupled& own, double* columns) const {
  const std::size_t n = unknowns_.size();
  const ContactFrame<double>& f = touch.frame;
  for (const Triple<double>& axis : {f.n, f.t, f.s}) {
    std::fill(own.rhs.begin(), own.rhs.end(), 0.0);
    for (int k = 0; k < touch.nodes; ++k)
      for (int i = 0; i < 3; ++i)
        if (const int unknown = unknown_of_[3 * touch.node[k] + i]; unknown >= 0)
          own.rhs[unknown] += touch.weight[k] * (i == 0 ? axis.x : i == 1 ? axis.y : axis.z);
    saddle_.solve(own.factor, own.rhs.data(), own.scratch.data());
    columns = std::copy_n(own.rhs.data(), n, columns);
  }
}

// Velocity of a touching point from those of the unknowns, in its frame.
Triple<double> Nodal::touch_velocity(const RigidTouch& touch, const double* of_unknowns) const {
  Triple<double> sum{0.0, 0.0, 0.0};
  for (int k = 0; k < touch.nodes; ++k) {
    double at[3] = {};
    for (int i = 0; i < 3; ++i)
      if (const int unknown = unknown_of_[3 * touch.node[k] + i]; unknown >= 0) at[i] = of_unknowns[unknown];
    sum = sum + touch.weight[k] * Triple<double>{at[0], at[1], at[2]};
  }
  return to_frame(touch.frame, sum);
}

void Nodal::press_group(const HardMove& move, std::size_t first, std::size_t last, Terms& terms) const {
  Coupled& own = coupled(terms);
  GroupPress& g = own.press;
  RigidTerms& r = move.terms;
  const std::size_t n = unknowns_.size();
  // What a look finds later is at the end of the list.
  g.free.resize(2 * n);
  for (std::size_t k = 0; k < n; ++k) g.free[k] = move.v[place(unknowns_[k], 4)];
  g.touches.clear();
  for (std::size_t i = first; i < last; ++i) g.touches.push_back(static_cast<int>(i));
  for (int look = 0; look < most_group_looks; ++look) {
    set_up_group(move, own);
    settle_group(move, own, terms);
    if (!move.moves) break;
    const std::size_t before = r.touches.size();
    for (std::size_t i = 0; i < homes_.size(); ++i)
      if (homes_[i].kind == Home::group) move.ground.find_more(static_cast<int>(i), move.h, move.x, move.v, r);
    if (r.touches.size() == before) break;
    for (std::size_t i = before; i < r.touches.size(); ++i) g.touches.push_back(static_cast<int>(i));
  }
  // Impulses on the nodes, and what they take.
  for (std::size_t i = 0; i < g.touches.size(); ++i) {
    const RigidTouch& touch = r.touches[g.touches[i]];
    const Triple<double> p = from_frame(touch.frame, g.p[i]);
    for (int k = 0; k < touch.nodes; ++k)
      put_triple(r.impulse.data(), touch.node[k], triple_at(r.impulse.data(), touch.node[k]) + touch.weight[k] * p);
  }
  r.dissipated -= group_work(move, g.free.data());
}

// (v - v_free)·M (v' + v)/2 over the group: the work of contact and of what keeps the constraints beside it.
double Nodal::group_work(const HardMove& move, const double* free) const {
  const RigidTerms& r = move.terms;
  const auto gained = [&](int i) {
    const int unknown = unknown_of_[i];
    return unknown >= 0 ? move.v[place(i, 4)] - free[unknown] : 0.0;
  };
  const auto sum = [&](int i) { return r.v[place(i, 4)] + move.v[place(i, 4)]; };
  double work = 0.0;
  for (const int i : unknowns_) work += node_mass_[i / 3] * gained(i) * sum(i);
  for (const MassPair& pair : mass_pairs_)
    for (int axis = 0; axis < 3; ++axis) {
      const int a = 3 * pair.a + axis, b = 3 * pair.b + axis;
      work += pair.mass * (gained(a) * sum(b) + gained(b) * sum(a));
    }
  return 0.5 * work;
}

// The problem of its touches, at the free velocities.
void Nodal::set_up_group(const HardMove& move, Coupled& own) const {
  GroupPress& g = own.press;
  const std::vector<RigidTouch>& touches = move.terms.touches;
  const std::size_t n = unknowns_.size();
  const int count = static_cast<int>(g.touches.size());
  double* const v = g.free.data() + n;
  std::copy_n(g.free.data(), n, v);
  g.columns.resize(3 * n * count);
  g.blocks.resize(9 * static_cast<std::size_t>(count) * count);
  for (auto* list : {&g.at, &g.p, &g.last, &g.room, &g.p0, &g.v0}) list->assign(count, {0.0, 0.0, 0.0});
  g.points.resize(count);
  g.speed = 0.0;
  for (std::size_t k = 0; k < n; ++k) g.speed = std::max(g.speed, std::abs(v[k]));
  g.bounces = false;
  for (int l = 0; l < count; ++l) {
    const RigidTouch& touch = touches[g.touches[l]];
    answer_columns(touch, own, g.columns.data() + 3 * n * l);
    g.points[l] = {touch.frame, touch.wanted, move.ground.friction()};
    g.at[l] = touch_velocity(touch, v);
    g.speed = std::max(g.speed, std::abs(touch.wanted));
    g.bounces |= touch.bounce > touch.wanted;
  }
  for (int l = 0; l < count; ++l)
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < count; ++k) {
        const Triple<double> at = touch_velocity(touches[g.touches[k]], g.columns.data() + n * (3 * l + axis));
        double* const to = g.blocks.data() + 9 * (k * count + l) + axis;
        to[0] = at.x, to[3] = at.y, to[6] = at.z;
      }
}

// From the free velocities to those that all its touches ask for.
void Nodal::settle_group(const HardMove& move, Coupled& own, Terms& terms) const {
  GroupPress& g = own.press;
  RigidTerms& r = move.terms;
  const std::size_t n = unknowns_.size();
  const int count = static_cast<int>(g.touches.size());
  double* const v = g.free.data() + n;
  const auto settle = [&](std::vector<Triple<double>>& at, std::vector<Triple<double>>& p) {
    return settle_contacts(count, g.blocks.data(), g.points.data(), at.data(), p.data(), g.speed, soft,
                           most_group_sweeps, g.speed > 0.0, g.room.data());
  };
  RigidReport<double> report{0.0, 0};
  bool bound = false;
  g.v0 = g.at;
  if (g.bounces) {
    settle(g.v0, g.p0);
    for (int k = 0; k < count; ++k) {
      const RigidTouch& touch = r.touches[g.touches[k]];
      g.points[k].wanted = touch.bounce;
      g.last[k] = touch.before;
    }
    report = settle(g.at, g.p);
    bound = bound_bounce(count, g.last.data(), g.p0.data(), g.v0.data(), g.p.data(), g.at.data());
  } else {
    report = settle(g.at, g.p);
    bound = bound_growth(count, g.points.data(), g.v0.data(), g.p.data(), g.at.data());
  }
  g.last.assign(count, {0.0, 0.0, 0.0});
  for (int round = 0; round < most_group_rounds; ++round) {
    if (round > 0) {
      const RigidReport<double> again = settle(g.at, g.p);
      report = {again.residual, report.sweeps + again.sweeps};
    }
    for (int k = 0; k < count; ++k) {
      const Triple<double> more = g.p[k] - g.last[k];
      const double* const c = g.columns.data() + 3 * n * k;
      for (std::size_t i = 0; i < n; ++i) v[i] += more.x * c[i] + more.y * c[n + i] + more.z * c[2 * n + i];
      g.last[k] = g.p[k];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const int at = place(unknowns_[i], 4);
      move.v[at] = v[i];
      if (move.moves) move.x[at] = r.x[at] + move.h * v[i];
    }
    if (!move.moves) break;
    keep_group(move.h, terms);
    double off = 0.0;
    for (std::size_t i = 0; i < n; ++i) v[i] = move.v[place(unknowns_[i], 4)];
    for (int k = 0; k < count; ++k) {
      const Triple<double> now = touch_velocity(r.touches[g.touches[k]], v);
      off = std::max(off, largest_entry(now - g.at[k]));
      g.at[k] = now;
    }
    report.residual = std::max(report.residual, off);
    if (bound || !(off > rigid_tolerance<double> * g.speed)) break;
  }
  note(report, r);
}

}  // namespace taut
