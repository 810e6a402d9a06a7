#include "taut/formulation/nodal/nodal_parts.h"

#include <algorithm>

#include "taut/base/error.h"
#include "taut/formulation/nodal/nodal.h"

namespace taut {

NodalParts nodal_parts(const Model& model) {
  const Nodal nodal(model);
  NodalParts parts;
  nodal.fill_parts(parts);
  State start = nodal.start();
  Terms terms = nodal.make_terms();
  if (!(nodal.project(start.q(), start.v(), terms) >= 0.0))
    throw InputError("the constraints contradict each other at the start");
  parts.start_x.assign(start.q(), start.q() + start.nq);
  parts.start_v.assign(start.v(), start.v() + start.nv);
  return parts;
}

void Nodal::fill_parts(NodalParts& parts) const {
  const auto first3 = [](Vec4 v) { return Vec3(v[0], v[1], v[2]); };
  for (const LoneNode& n : lone_nodes_) parts.lone_nodes.push_back({n.node, first3(n.inverse)});
  for (const auto& bar : free_bars_)
    parts.lone_bars.push_back(
        {bar.a, bar.b, bar.length, false, Vec3::Constant(bar.aa), Vec3::Constant(bar.ab), Vec3::Constant(bar.bb)});
  for (const auto& bar : guided_bars_)
    parts.lone_bars.push_back({bar.a, bar.b, bar.length, true, first3(bar.aa), first3(bar.ab), first3(bar.bb)});
  for (const int unknown : unknowns_)
    if (parts.group.empty() || parts.group.back() != unknown / 3) parts.group.push_back(unknown / 3);
  parts.node_mass = node_mass_;
  for (const MassPair& pair : mass_pairs_) parts.mass_pairs.push_back({pair.a, pair.b, pair.mass});
  if (unknowns_.empty()) return;
  const Terms terms = make_terms();
  const auto left_out = [&](std::size_t row) { return saddle_.left_out(coupled(terms).factor, static_cast<int>(row)); };
  for (std::size_t k = 0; k < group_bars_.size(); ++k)
    if (!left_out(k)) parts.rows.push_back({group_bars_[k].a, group_bars_[k].b, group_bars_[k].length, 0, {}, 0.0});
  for (std::size_t k = 0; k < group_rows_.size(); ++k) {
    if (left_out(group_bars_.size() + k)) continue;
    NodalParts::Row row;
    row.axis = group_rows_[k].terms.front().first % 3;
    for (const auto& [coordinate, coefficient] : group_rows_[k].terms)
      row.terms.emplace_back(coordinate / 3, coefficient);
    row.value = group_rows_[k].value;
    parts.rows.push_back(std::move(row));
  }
}

}  // namespace taut
