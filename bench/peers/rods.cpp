#include "bench/peers/rods.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "taut/model/model.h"

namespace taut::bench {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string("the peers cannot take this model: ") + what);
}

// The shortest turn from the z axis to the direction z; half a turn about x when they are opposite.
Eigen::Quaterniond turn_to(const Vec3& z) {
  if (z.z() < -1.0 + 1e-12) return {0.0, 1.0, 0.0, 0.0};
  return Eigen::Quaterniond(1.0 + z.z(), -z.y(), z.x(), 0.0).normalized();
}

Rod rod_of(const Model& model, const Bar& bar) {
  const Node &a = model.nodes[bar.a], &b = model.nodes[bar.b];
  require(!bar.elastic, "an elastic bar");
  require(a.mass == 0.0 && b.mass == 0.0, "a node with mass");
  Rod rod;
  rod.a = bar.a;
  rod.b = bar.b;
  rod.mass = bar.mass;
  rod.inertia = bar.inertia;
  rod.length = (b.position - a.position).norm();
  rod.below = bar.com * rod.length;
  rod.above = rod.length - rod.below;
  const Vec3 z = (b.position - a.position) / rod.length;
  rod.centre = a.position + rod.below * z;
  rod.velocity = a.velocity + bar.com * (b.velocity - a.velocity);
  rod.omega = z.cross(b.velocity - a.velocity) / rod.length;
  rod.orientation = turn_to(z);
  return rod;
}

template <bool damped>
void pull_lines(const std::vector<Line>& lines, const double* x, const double* v, double* f) {
  for (const Line& line : lines) {
    const double *xa = x + 3 * line.a, *xb = x + 3 * line.b;
    const double d0 = xb[0] - xa[0], d1 = xb[1] - xa[1], d2 = xb[2] - xa[2];
    const double length = std::sqrt(d0 * d0 + d1 * d1 + d2 * d2);
    const double inverse = 1.0 / length;
    const double elongation = length - line.rest_length;
    double tension = line.stiffness * elongation;
    if constexpr (damped) {
      const double *va = v + 3 * line.a, *vb = v + 3 * line.b;
      tension += line.damping * inverse * ((vb[0] - va[0]) * d0 + (vb[1] - va[1]) * d1 + (vb[2] - va[2]) * d2);
    }
    const double density = elongation > 0.0 ? std::max(tension, 0.0) * inverse : 0.0;
    double *fa = f + 3 * line.a, *fb = f + 3 * line.b;
    fa[0] += density * d0, fa[1] += density * d1, fa[2] += density * d2;
    fb[0] -= density * d0, fb[1] -= density * d1, fb[2] -= density * d2;
  }
}

}  // namespace

RodModel rods_of(const Model& model) {
  require(model.constraints.empty() && model.actuators.empty() && model.loads.empty() && !model.ground,
          "constraints, actuators, loads and ground are not translated");
  RodModel result;
  result.node_count = static_cast<int>(model.nodes.size());
  result.gravity = model.gravity;
  std::vector<int> uses(model.nodes.size(), 0);
  for (const Bar& bar : model.bars) {
    ++uses[bar.a], ++uses[bar.b];
    result.rods.push_back(rod_of(model, bar));
  }
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    require(uses[i] == 1, "a node that does not belong to exactly one bar");
    require(model.nodes[i].fixed == Axes{false, false, false}, "a fixed node");
  }
  for (const Cable& cable : model.cables) {
    require(cable.path.size() == 2 && cable.mass == 0.0, "a cable with mass or with inner nodes");
    require(cable.law.kind == LawKind::linear && cable.law.clip, "a cable law other than the clipped linear one");
    const double stiffness = stiffness_at(cable.law, cable.rest_length);
    result.lines.push_back({cable.path[0], cable.path[1], stiffness, cable.law.damping, cable.rest_length});
    result.damped = result.damped || cable.law.damping != 0.0;
  }
  return result;
}

void pull(const RodModel& model, const double* position, const double* velocity, double* force) {
  std::fill_n(force, 3 * model.node_count, 0.0);
  if (model.damped) {
    pull_lines<true>(model.lines, position, velocity, force);
  } else {
    pull_lines<false>(model.lines, position, velocity, force);
  }
}

}  // namespace taut::bench
