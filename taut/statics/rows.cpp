#include "taut/statics/rows.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "taut/equilibrium/static_forces.h"
#include "taut/model/laws/bar_law.h"
#include "taut/model/shape/affine_base.h"
#include "taut/model/shape/body_mass.h"

namespace taut {

namespace {

double rest_length_at_start(const Model& model, int cable) {
  for (const Actuator& actuator : model.actuators)
    if (actuator.cable == cable) return value(actuator.rest_length, 0.0);
  return model.cables[cable].rest_length;
}

double rest_length_of_bar_at_start(const Model& model, int bar) {
  for (const BarDrive& drive : model.bar_drives)
    if (drive.bar == bar) return value(drive.length, 0.0);
  return model.bars[bar].rest_length;
}

void add_members(const Model& model, StaticRows& rows) {
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    const Cable& cable = model.cables[i];
    StaticMember member{cable.name, i, -1, start_length(model, cable), cable.law.kind != LawKind::spring, false, 0.0};
    const double rest = rest_length_at_start(model, i);
    member.pretension = elastic_tension(cable.law, member.length - rest, rest);
    if (!std::isfinite(member.pretension)) member.pretension = 0.0;
    rows.members.push_back(std::move(member));
    rows.rows.push_back({cable.path, {}, -1});
  }
  std::unordered_set<std::string_view> cable_names;
  for (const Cable& cable : model.cables) cable_names.insert(cable.name);
  for (int i = 0; i < static_cast<int>(model.bars.size()); ++i) {
    const Bar& bar = model.bars[i];
    if (!bar.attached.empty()) continue;
    // One that is called like a cable (both lie between the same nodes) must be told from it.
    const bool shared = cable_names.contains(bar.name);
    StaticMember member{
        shared ? "bar " + bar.name : bar.name, -1, i, start_length(model, bar), false, !bar.elastic, 0.0};
    if (bar.elastic) {
      const double rest = rest_length_of_bar_at_start(model, i);
      member.pretension = elastic_tension(law_of(bar), member.length - rest, rest);
    }
    rows.members.push_back(std::move(member));
    rows.rows.push_back({{bar.a, bar.b}, {}, -1});
  }
}

// A linear row with a gradient of length 1.
void add_linear(std::vector<std::pair<int, double>> terms, int constraint, StaticRows& rows) {
  double square = 0.0;
  for (const auto& term : terms) square += term.second * term.second;
  if (!(square > 0.0)) return;
  for (auto& term : terms) term.second /= std::sqrt(square);
  rows.rows.push_back({{}, std::move(terms), constraint});
}

void add_inner(const Model& model, StaticRows& rows) {
  std::vector<Vec3> at;
  for (const Node& node : model.nodes) at.push_back(node.position);
  for (const Body& body : rigid_bodies(model)) {
    const std::vector<int> base = spanning(at, body.nodes, body_flatness * extent(at, body.nodes));
    for (std::size_t i = 0; i < base.size(); ++i)
      for (std::size_t j = i + 1; j < base.size(); ++j) rows.rows.push_back({{base[i], base[j]}, {}, -1});
    for (int node : body.nodes) {
      if (std::find(base.begin(), base.end(), node) != base.end()) continue;
      const std::vector<double> weights = affine_weights(at, base, at[node]);
      for (int axis = 0; axis < 3; ++axis) {
        std::vector<std::pair<int, double>> terms = {{3 * node + axis, 1.0}};
        for (std::size_t i = 0; i < base.size(); ++i) terms.emplace_back(3 * base[i] + axis, -weights[i]);
        add_linear(std::move(terms), -1, rows);
      }
    }
  }
  for (int i = 0; i < static_cast<int>(model.constraints.size()); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      if (!model.constraints[i].axes[axis]) continue;
      std::vector<std::pair<int, double>> terms;
      for (const auto& [node, coefficient] : model.constraints[i].terms)
        terms.emplace_back(3 * node + axis, coefficient);
      add_linear(std::move(terms), i, rows);
    }
}

}  // namespace

StaticRows static_rows(const Model& model) {
  require_structure(model);
  StaticRows rows;
  add_members(model, rows);
  add_inner(model, rows);
  const int nodes = static_cast<int>(model.nodes.size());
  rows.unknown_of.assign(3 * nodes, -1);
  rows.start.resize(3 * nodes);
  for (int i = 0; i < 3 * nodes; ++i) {
    rows.start[i] = model.nodes[i / 3].position[i % 3];
    if (model.nodes[i / 3].fixed[i % 3]) continue;
    rows.unknown_of[i] = rows.unknowns();
    rows.coordinate_of.push_back(i);
  }
  for (double mass : node_masses(model)) rows.weight.push_back(mass * model.gravity);
  rows.load.assign(nodes, Vec3::Zero());
  for (const Load& load : model.loads)
    if (load.from <= 0.0 && load.to > 0.0) rows.load[load.node] += load.force;
  return rows;
}

std::vector<SparseEntry> gradients(const StaticRows& rows, const Eigen::VectorXd& x) {
  std::vector<SparseEntry> entries;
  for (int k = 0; k < static_cast<int>(rows.rows.size()); ++k) {
    each_piece(rows.rows[k].path, x, [&](int a, int b, const Vec3& u, double) {
      for (int axis = 0; axis < 3; ++axis) {
        entries.push_back({k, 3 * a + axis, -u[axis]});
        entries.push_back({k, 3 * b + axis, u[axis]});
      }
    });
    for (const auto& [coordinate, coefficient] : rows.rows[k].terms) entries.push_back({k, coordinate, coefficient});
  }
  return entries;
}

std::vector<SparseEntry> free_gradients(const StaticRows& rows, const Eigen::VectorXd& x) {
  std::vector<SparseEntry> entries = gradients(rows, x);
  std::erase_if(entries, [&](const SparseEntry& e) { return rows.unknown_of[e.column] < 0; });
  for (SparseEntry& e : entries) e.column = rows.unknown_of[e.column];
  return entries;
}

Eigen::VectorXd row_values(const StaticRows& rows, const Eigen::VectorXd& x) {
  Eigen::VectorXd values = Eigen::VectorXd::Zero(static_cast<long>(rows.rows.size()));
  for (int k = 0; k < static_cast<int>(rows.rows.size()); ++k) {
    each_piece(rows.rows[k].path, x, [&](int, int, const Vec3&, double l) { values[k] += l; });
    for (const auto& [coordinate, coefficient] : rows.rows[k].terms) values[k] += coefficient * x[coordinate];
  }
  return values;
}

std::vector<SparseEntry> transposed(std::vector<SparseEntry> entries) {
  for (SparseEntry& e : entries) std::swap(e.row, e.column);
  return entries;
}

Eigen::VectorXd on_unknowns(const StaticRows& rows, const std::vector<Vec3>& per_node) {
  Eigen::VectorXd f(rows.unknowns());
  for (int i = 0; i < rows.unknowns(); ++i) f[i] = per_node[rows.coordinate_of[i] / 3][rows.coordinate_of[i] % 3];
  return f;
}

}  // namespace taut
