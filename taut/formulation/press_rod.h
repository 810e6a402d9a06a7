// Hard contact of a rod, or of a node by itself, in a formulation's leapfrog: between the arrays of nodes (stride 4) and
// rigid_rod.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "taut/forces/rigid_ground.h"

namespace taut {

inline Triple<double> triple_at(const double* of_nodes, int node) {
  const double* const p = of_nodes + 4 * static_cast<std::ptrdiff_t>(node);
  return {p[0], p[1], p[2]};
}
inline void put_triple(double* of_nodes, int node, const Triple<double>& a) {
  double* const p = of_nodes + 4 * static_cast<std::ptrdiff_t>(node);
  p[0] = a.x, p[1] = a.y, p[2] = a.z;
}

// One leap or kick that contact corrects: x and v as they are without it.
struct HardMove {
  const RigidGround& ground;
  double h;
  bool moves;
  double *x, *v;
  RigidTerms& terms;
};

// Brings the touches of [first, found) that `mine` picks to its front, in their order; returns where they end. Allocates
// nothing (std::stable_partition would).
template <class Mine>
std::size_t gather(std::vector<RigidTouch>& touches, std::size_t first, std::size_t found, const Mine& mine) {
  std::size_t last = first;
  for (std::size_t i = first; i < found; ++i) {
    if (!mine(touches[i])) continue;
    const auto at = touches.begin() + static_cast<long>(i);
    if (i != last) std::rotate(touches.begin() + static_cast<long>(last), at, at + 1);
    ++last;
  }
  return last;
}

// Softness of contacts (settle_contacts): where all axes are free, and where supports or others may make them singular.
constexpr double firm = 1e-15, soft = 1e-4;

inline void note(const RigidReport<double>& report, RigidTerms& terms) {
  terms.residual = std::max(terms.residual, report.residual);
  terms.sweeps = std::max(terms.sweeps, report.sweeps);
}

// Gives a node its velocity and impulse; dissipated: -p·(v' + v)/2 of the impulse p.
inline void finish(const HardMove& move, int node, const Triple<double>& v, const Triple<double>& impulse) {
  put_triple(move.v, node, v);
  if (move.moves) put_triple(move.x, node, triple_at(move.terms.x.data(), node) + move.h * v);
  put_triple(move.terms.impulse.data(), node, impulse);
  move.terms.dissipated -= 0.5 * inner(impulse, triple_at(move.terms.v.data(), node) + v);
}

// What the impulse Λ along the rod takes that keeps its length beside those of contact: -Λ b·(w' + w)/2, w = v_b - v_a.
// Without contact b·w' and b·w cancel, both being h w²/2; an impact changes w.
template <class W>
double length_work(const RigidRod<double, W>& rod, const HardMove& move, int a, int b, const Pair<double>& free,
                   const Pair<double>& v, const Pair<double>& impulse) {
  const Triple<double> ua = (rod.ab - rod.aa) * rod.b, ub = (rod.bb - rod.ab) * rod.b;
  const double square = inner(ua, ua) + inner(ub, ub);
  if (!(square > 0.0)) return 0.0;
  const Triple<double> rest_a = v.a - free.a - (rod.aa * impulse.a + rod.ab * impulse.b),
                       rest_b = v.b - free.b - (rod.ab * impulse.a + rod.bb * impulse.b);
  const double along = (inner(rest_a, ua) + inner(rest_b, ub)) / square;
  const double* const before = move.terms.v.data();
  return 0.5 * along * inner(rod.b, triple_at(before, b) - triple_at(before, a) + v.b - v.a);
}

inline RodTouch<double> rod_touch(const RigidTouch& touch, double friction, int a) {
  RodTouch<double> result{{touch.frame, touch.wanted, friction}, 0.0, 0.0, touch.bounce, touch.before};
  for (int k = 0; k < touch.nodes; ++k) (touch.node[k] == a ? result.w_a : result.w_b) += touch.weight[k];
  return result;
}

// One end that touches and sticks, at once; false where that is not so.
inline bool stick(const RigidRod<double, double>& rod, double length, double h, const RodTouch<double>& touch,
                  Pair<double>& v, Pair<double>& impulse) {
  const bool at_a = touch.w_a == 1.0;
  if (!at_a && touch.w_b != 1.0) return false;
  if (touch.bounce > touch.point.wanted) return false;
  const RodEnd<double> end{at_a ? rod.aa : rod.bb, rod.ab, at_a ? rod.bb : rod.aa, at_a ? rod.b : -1.0 * rod.b};
  Pair<double> found = at_a ? v : Pair<double>{v.b, v.a};
  Triple<double> p;
  if (!stick_end(end, length, h, touch.point, found, p)) return false;
  const Triple<double> none{0.0, 0.0, 0.0};
  v = at_a ? found : Pair<double>{found.b, found.a};
  impulse = at_a ? Pair<double>{p, none} : Pair<double>{none, p};
  return true;
}

template <class W>
RigidReport<double> settle_some(const RigidRod<double, W>& rod, const HardMove& move, double length, int count,
                                const RodTouch<double>* touches, double softness, Pair<double>& v,
                                Pair<double>& impulse) {
  if constexpr (std::is_same_v<W, double>)
    if (count == 1 && move.moves && stick(rod, length, move.h, touches[0], v, impulse)) return {0.0, 1};
  const bool bounces = move.moves && move.ground.bounces();
  const auto settle = [&]<int most>() {
    return settle_rod<most>(rod, move.moves, length, move.h, count, touches, bounces, softness, v, impulse);
  };
  if (count == 1) return settle.template operator()<1>();
  if (count == 2) return settle.template operator()<2>();
  return settle.template operator()<8>();
}

// A rod between nodes a and b whose touches are terms.touches[first .. last); others that it goes into because of these
// are added at the end of that list. What keeps the length of a driven rod is its drive's work.
template <class W>
void press_rod(const HardMove& move, const W& aa, const W& ab, const W& bb, int a, int b, double length, bool driven,
               double softness, std::size_t first, std::size_t last) {
  constexpr int most = 8;
  RigidTerms& terms = move.terms;
  const RigidRod<double, W> rod{aa, ab, bb, triple_at(terms.x.data(), b) - triple_at(terms.x.data(), a)};
  const Pair<double> free{triple_at(move.v, a), triple_at(move.v, b)};
  RodTouch<double> touches[most];
  int count = 0;
  const auto take = [&](std::size_t from, std::size_t to) {
    for (; from < to && count < most; ++from)
      touches[count++] = rod_touch(terms.touches[from], move.ground.friction(), a);
  };
  take(first, last);
  while (true) {
    Pair<double> v = free, impulse;
    note(settle_some(rod, move, length, count, touches, softness, v, impulse), terms);
    const double dissipated = terms.dissipated;
    finish(move, a, v.a, impulse.a);
    finish(move, b, v.b, impulse.b);
    if (!driven) terms.dissipated -= length_work(rod, move, a, b, free, v, impulse);
    if (!move.moves || count == most) return;
    const std::size_t before = terms.touches.size();
    bool more = move.ground.find_more(a, move.h, move.x, move.v, terms);
    more |= move.ground.find_more(b, move.h, move.x, move.v, terms);
    // What was listed for this rod already stays out.
    if (!more) return;
    take(before, terms.touches.size());
    terms.dissipated = dissipated;
  }
}

inline void press_node(const HardMove& move, const Triple<double>& inverse_mass, double softness,
                       const RigidTouch& touch) {
  Triple<double> v = triple_at(move.v, touch.node[0]), impulse;
  note(settle_node(inverse_mass, rod_touch(touch, move.ground.friction(), touch.node[0]),
                   move.moves && move.ground.bounces(), softness, v, impulse),
       move.terms);
  finish(move, touch.node[0], v, impulse);
}

}  // namespace taut
