#include "taut/formulation/node_accelerations.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/formulation/multibody/multibody.h"
#include "taut/formulation/nodal.h"
#include "taut/formulation/polar_chart.h"
#include "taut/formulation/quaternion_chart.h"
#include "taut/formulation/rod_formulation.h"

namespace taut {

namespace {

void put(double* a, int node, const Vec3& value) { std::copy_n(value.data(), 3, a + 4 * node); }

// x = c ± l u with u̇ = T w, so that ü = T ẇ + t.
template <class Chart>
bool of_rods(const Formulation& formulation, const double* q, const double* v, const double* v_rate, double* a) {
  const auto* rods = dynamic_cast<const RodFormulation<Chart>*>(&formulation);
  if (!rods) return false;
  using Velocity = Eigen::Matrix<double, Chart::nv, 1>;
  for (const int node : rods->rods().anchors) put(a, node, Vec3::Zero());
  for (const Rod& rod : rods->rods().rods) {
    const Vec3 c = Vec3::Map(v_rate),
               u = Chart::turn(q + 3) * Velocity::Map(v_rate + 3) + Chart::turn_bias(q + 3, v + 3);
    put(a, rod.a, c - rod.to_a * u);
    put(a, rod.b, c + rod.to_b * u);
    q += RodFormulation<Chart>::rod_nq;
    v += RodFormulation<Chart>::rod_nv;
    v_rate += RodFormulation<Chart>::rod_nv;
  }
  return true;
}

}  // namespace

void node_accelerations(const Formulation& formulation, const double* q, const double* v, const double* v_rate,
                        Terms& terms, double* a) {
  const int nodes = static_cast<int>(terms.x.size()) / 4;
  if (dynamic_cast<const Nodal*>(&formulation)) {
    for (int i = 0; i < nodes; ++i) put(a, i, Vec3(v_rate + 3 * i));
  } else if (const auto* mechanism = dynamic_cast<const Multibody*>(&formulation)) {
    multibody::TreeTerms& tree = (*terms.multibody).tree;
    multibody::accelerations(mechanism->system().tree, v_rate, tree);
    for (int i = 0; i < nodes; ++i) put(a, i, multibody::acceleration(mechanism->system().tree, i, tree));
  } else if (!of_rods<PolarChart<false>>(formulation, q, v, v_rate, a) &&
             !of_rods<PolarChart<true>>(formulation, q, v, v_rate, a) &&
             !of_rods<QuaternionChart>(formulation, q, v, v_rate, a)) {
    throw InputError(fmt::format("formulation {}: accelerations of its nodes are not known", formulation.name()));
  }
}

}  // namespace taut
