// Assembly of the tangent stiffness from forces and laws.
#include <algorithm>
#include <cmath>

#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/statics/cable_slope.h"
#include "taut/statics/stiffness.h"

namespace taut {

// k of a cable at this tension: with the rest length that gives it.
double cable_slope(const CableLaw& law, double length, double own_rest, double tension) {
  double rest = rest_length_for_tension(law, length, tension);
  // A tension that no rest length gives at this length: as stiff as where the cable begins to pull.
  if (!(rest > 0.0)) rest = std::min(own_rest, (1.0 - 1e-9) * length);
  const double slope = elastic_slope(law, length - rest, rest);
  return std::isfinite(slope) ? slope : 0.0;
}

namespace {

double member_stiffness(const Model& model, const StaticMember& member, double force, double largest) {
  if (member.rigid) return 0.0;
  if (member.bar >= 0) {
    const Bar& bar = model.bars[member.bar];
    const bool yields = bar.yield > 0.0 && std::abs(force) > bar.yield * (1.0 + 1e-9);
    return (yields ? bar.hardening : 1.0) * bar.EA / bar.rest_length;
  }
  const Cable& cable = model.cables[member.cable];
  if (!member.pulls_only || force > no_force * largest)
    return cable_slope(cable.law, member.length, cable.rest_length, force);
  // Nothing carries force: as stiff as it will be when it does.
  if (largest == 0.0) return elastic_slope(cable.law, 1e-9 * member.length, member.length);
  return 0.0;
}

}  // namespace

std::vector<SparseEntry> geometric_stiffness(const StaticRows& rows, const Eigen::VectorXd& forces) {
  std::vector<SparseEntry> entries;
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    const double force = forces[static_cast<long>(k)];
    if (force == 0.0) continue;
    each_piece(rows.rows[k].path, rows.start, [&](int a, int b, const Vec3& u, double l) {
      const Mat3 across = force / l * (Mat3::Identity() - u * u.transpose());
      add_between(rows.unknown_of, a, b, across, entries);
    });
  }
  std::erase_if(entries, [](const SparseEntry& e) { return e.value == 0.0; });
  sum_repeated(entries);
  return entries;
}

TangentParts tangent_parts(const Model& model, const StaticRows& rows, const Eigen::VectorXd& forces) {
  TangentParts parts;
  parts.geometric = geometric_stiffness(rows, forces);
  parts.stiffness.assign(rows.rows.size(), 0.0);
  const long members = static_cast<long>(rows.members.size());
  const double largest = members > 0 ? forces.head(members).cwiseAbs().maxCoeff() : 0.0;
  for (std::size_t k = 0; k < rows.members.size(); ++k)
    parts.stiffness[k] = member_stiffness(model, rows.members[k], forces[static_cast<long>(k)], largest);
  // Rows of G, one after the other.
  const std::vector<SparseEntry> gradient = free_gradients(rows, rows.start);
  for (std::size_t first = 0, last = 0; first < gradient.size(); first = last) {
    const int row = gradient[first].row;
    while (last < gradient.size() && gradient[last].row == row) ++last;
    const double k = parts.stiffness[row];
    if (k == 0.0) continue;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = first; j < last; ++j)
        if (gradient[i].column <= gradient[j].column)
          parts.material.push_back({gradient[i].column, gradient[j].column, k * gradient[i].value * gradient[j].value});
  }
  sum_repeated(parts.material);
  return parts;
}

}  // namespace taut
