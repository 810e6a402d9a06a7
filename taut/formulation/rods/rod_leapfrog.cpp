// Leapfrog of rods, in every chart.
#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/formulation/driven_length.h"
#include "taut/formulation/node_arrays.h"
#include "taut/formulation/press_rod.h"
#include "taut/formulation/rods/polar_chart.h"
#include "taut/formulation/rods/quaternion_chart.h"
#include "taut/formulation/rods/rod_formulation.h"

namespace taut {

// u += h u̇ with u̇ += h g/J + μ u such that |u| stays 1 (SHAKE on the sphere); the centre is a free particle. A driven
// rod is measured by its length at the beginning of the step: u is then b/L(t), and u̇ is ḃ/L(t).
template <class Chart>
void RodFormulation<Chart>::leap(double h, Terms& terms) const {
  double* const x = terms.x.data();
  double* const xd = terms.xd.data();
  const Rods& rods = now(terms);
  std::size_t driven = 0;
  for (const Rod& rod : rods.rods) {
    const Vec3 xa = at3(x, rod.a), xb = at3(x, rod.b), va = at3(xd, rod.a), vb = at3(xd, rod.b);
    const Vec3 fa = at3(terms.force.data(), rod.a), fb = at3(terms.force.data(), rod.b);
    const Vec3 u = (xb - xa) / rod.length;
    const Vec3 c_rate = (rod.to_b * va + rod.to_a * vb) / rod.length + h * (fa + fb) / rod.mass;
    Vec3 u_rate = (vb - va) / rod.length + h * (rod.to_b * fb - rod.to_a * fa) / rod.inertia;
    // The small root of |d + μ u|² = (L(t + h)/L(t))².
    double ratio = 1.0;
    if (rod.driven)
      ratio =
          driven_length(*model_, model_->bar_drives[rods.driven[driven++].second], terms.time + h).length / rod.length;
    const Vec3 d = u + h * u_rate;
    const double square = u.squaredNorm(), half = d.dot(u), excess = d.squaredNorm() - ratio * ratio;
    const double mu = -excess / (half + std::copysign(std::sqrt(half * half - square * excess), half));
    u_rate += mu / h * u;
    const Vec3 c = (rod.to_b * xa + rod.to_a * xb) / rod.length + h * c_rate, turned = u + h * u_rate;
    put3(x, rod.a, c - rod.to_a * turned);
    put3(x, rod.b, c + rod.to_b * turned);
    put3(xd, rod.a, c_rate - rod.to_a * u_rate);
    put3(xd, rod.b, c_rate + rod.to_b * u_rate);
  }
}

template <class Chart>
void RodFormulation<Chart>::kick(double h, Terms& terms) const {
  double* const xd = terms.xd.data();
  for (const Rod& rod : now(terms).rods) {
    const Vec3 va = at3(xd, rod.a), vb = at3(xd, rod.b);
    const Vec3 fa = at3(terms.force.data(), rod.a), fb = at3(terms.force.data(), rod.b);
    const Vec3 u = (at3(terms.x.data(), rod.b) - at3(terms.x.data(), rod.a)) / rod.length;
    const Vec3 c_rate = (rod.to_b * va + rod.to_a * vb) / rod.length + h * (fa + fb) / rod.mass;
    Vec3 u_rate = (vb - va) / rod.length + h * (rod.to_b * fb - rod.to_a * fa) / rod.inertia;
    u_rate -= (u.dot(u_rate) - rod.growth) * u;
    put3(xd, rod.a, c_rate - rod.to_a * u_rate);
    put3(xd, rod.b, c_rate + rod.to_b * u_rate);
  }
}

// The inverse masses of the ends: W_aa = 1/m + l_a²/J, W_ab = 1/m - l_a l_b/J, W_bb = 1/m + l_b²/J.
template <class Chart>
void RodFormulation<Chart>::press(const RigidGround& ground, double h, bool moves, Terms& terms) const {
  RigidTerms& rigid = terms.contact.rigid;
  ground.find(h, moves, terms.x.data(), terms.xd.data(), rigid);
  const std::size_t found = rigid.touches.size();
  const HardMove move{ground, h, moves, terms.x.data(), terms.xd.data(), rigid};
  const Rods& rods = now(terms);
  for (std::size_t first = 0; first < found;) {
    const int index = rod_of_node_[rigid.touches[first].node[0]];
    const std::size_t last =
        gather(rigid.touches, first, found, [&](const RigidTouch& t) { return rod_of_node_[t.node[0]] == index; });
    const std::size_t mine = std::exchange(first, last);
    if (index < 0) continue;
    const Rod& rod = rods.rods[index];
    double length = rod.length;
    if (rod.driven && moves)
      for (const auto& [driven, drive] : rods.driven)
        if (driven == index) length = driven_length(*model_, model_->bar_drives[drive], terms.time + h).length;
    const double each = 1.0 / rod.mass, turn = 1.0 / rod.inertia;
    press_rod(move, each + rod.to_a * rod.to_a * turn, each - rod.to_a * rod.to_b * turn,
              each + rod.to_b * rod.to_b * turn, rod.a, rod.b, length, rod.driven, firm, mine, last);
  }
}

template <class Chart>
void RodFormulation<Chart>::take_nodes(const Terms& terms, double* q, double* v) const {
  for (const Rod& rod : rods(terms).rods) {
    const Vec3 xa = at3(terms.x.data(), rod.a), xb = at3(terms.x.data(), rod.b);
    const Vec3 va = at3(terms.xd.data(), rod.a), vb = at3(terms.xd.data(), rod.b);
    const Vec3 u = (xb - xa).normalized(), relative = (vb - va) / rod.length;
    Vec3::Map(q) = (rod.to_b * xa + rod.to_a * xb) / rod.length;
    Vec3::Map(v) = (rod.to_b * va + rod.to_a * vb) / rod.length;
    Chart::take(u, relative - u.dot(relative) * u, q + 3, v + 3);
    q += rod_nq;
    v += rod_nv;
  }
}

template <class Chart>
double RodFormulation<Chart>::drive_power(Terms& terms) const {
  double power = 0.0;
  const Rods& rods = now(terms);
  for (const auto& [index, drive] : rods.driven) {
    const Rod& rod = rods.rods[index];
    const Vec3 fa = at3(terms.force.data(), rod.a), fb = at3(terms.force.data(), rod.b);
    power += axial_push(rod, fa, (fa + fb) / rod.mass, terms) * rod.length * rod.length * rod.growth;
  }
  return power;
}

template class RodFormulation<PolarChart<false>>;
template class RodFormulation<PolarChart<true>>;
template class RodFormulation<QuaternionChart>;

}  // namespace taut
