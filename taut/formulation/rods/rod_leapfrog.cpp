// Leapfrog of rods, in every chart.
#include <cmath>

#include "taut/formulation/node_arrays.h"
#include "taut/formulation/rods/polar_chart.h"
#include "taut/formulation/rods/quaternion_chart.h"
#include "taut/formulation/rods/rod_formulation.h"

namespace taut {

// u += h u̇ with u̇ += h g/J + μ u such that |u| stays 1 (SHAKE on the sphere); the centre is a free particle.
template <class Chart>
void RodFormulation<Chart>::leap(double h, Terms& terms) const {
  double* const x = terms.x.data();
  double* const xd = terms.xd.data();
  for (const Rod& rod : rods_.rods) {
    const Vec3 xa = at3(x, rod.a), xb = at3(x, rod.b), va = at3(xd, rod.a), vb = at3(xd, rod.b);
    const Vec3 fa = at3(terms.force.data(), rod.a), fb = at3(terms.force.data(), rod.b);
    const Vec3 u = (xb - xa) / rod.length;
    const Vec3 c_rate = (rod.to_b * va + rod.to_a * vb) / rod.length + h * (fa + fb) / rod.mass;
    Vec3 u_rate = (vb - va) / rod.length + h * (rod.to_b * fb - rod.to_a * fa) / rod.inertia;
    // The small root of |d + μ u|² = 1.
    const Vec3 d = u + h * u_rate;
    const double square = u.squaredNorm(), half = d.dot(u), excess = d.squaredNorm() - 1.0;
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
  for (const Rod& rod : rods_.rods) {
    const Vec3 va = at3(xd, rod.a), vb = at3(xd, rod.b);
    const Vec3 fa = at3(terms.force.data(), rod.a), fb = at3(terms.force.data(), rod.b);
    const Vec3 u = (at3(terms.x.data(), rod.b) - at3(terms.x.data(), rod.a)) / rod.length;
    const Vec3 c_rate = (rod.to_b * va + rod.to_a * vb) / rod.length + h * (fa + fb) / rod.mass;
    Vec3 u_rate = (vb - va) / rod.length + h * (rod.to_b * fb - rod.to_a * fa) / rod.inertia;
    u_rate -= u.dot(u_rate) * u;
    put3(xd, rod.a, c_rate - rod.to_a * u_rate);
    put3(xd, rod.b, c_rate + rod.to_b * u_rate);
  }
}

template <class Chart>
void RodFormulation<Chart>::take_nodes(const Terms& terms, double* q, double* v) const {
  for (const Rod& rod : rods_.rods) {
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

template class RodFormulation<PolarChart<false>>;
template class RodFormulation<PolarChart<true>>;
template class RodFormulation<QuaternionChart>;

}  // namespace taut
