// The coupled part of a plan: LDLᵀ of the mass matrix per axis, rows of constraints, C_ij = g_iᵀ M⁻¹ g_j, and the pattern
// of S = G M⁻¹ Gᵀ with what the elimination fills in.
#include <Eigen/Core>
#include <algorithm>
#include <map>
#include <set>

#include "taut/base/connected.h"
#include "taut/base/error.h"
#include "taut/batch/plan/parts.h"

namespace taut::batch {

namespace {

// A symmetric pattern, eliminated in an order of few fills: entries of L below the diagonal, column by column.
struct Elimination {
  std::vector<int> order;                 // old index by place
  std::vector<std::vector<int>> columns;  // per place the places below, ascending
};

// Minimum degree; ties go to the first, so that the order does not depend on anything else.
Elimination eliminate(std::vector<std::set<int>> near) {
  const int n = static_cast<int>(near.size());
  std::vector<char> gone(near.size(), 0);
  std::vector<int> place(near.size(), 0);
  Elimination e;
  std::vector<std::set<int>> below;
  for (int step = 0; step < n; ++step) {
    int best = -1;
    for (int i = 0; i < n; ++i)
      if (!gone[i] && (best < 0 || near[i].size() < near[best].size())) best = i;
    gone[best] = 1;
    place[best] = step;
    e.order.push_back(best);
    below.push_back(near[best]);
    for (const int i : near[best]) {
      near[i].erase(best);
      for (const int j : near[best])
        if (i != j) near[i].insert(j);
    }
  }
  for (const std::set<int>& rows : below) {
    std::vector<int>& column = e.columns.emplace_back();
    for (const int i : rows) column.push_back(place[i]);
    std::sort(column.begin(), column.end());
  }
  return e;
}

// The mass matrix of the group, per axis; fixed coordinates are left out of it.
class GroupMass {
 public:
  GroupMass(const Model& model, const NodalParts& parts)
      : nodes_(parts.group), index_(model.nodes.size(), -1), moves_(Connected(parts.group.size())) {
    const int n = static_cast<int>(nodes_.size());
    for (int i = 0; i < n; ++i) index_[nodes_[i]] = i;
    std::vector<std::set<int>> near(nodes_.size());
    for (Eigen::MatrixXd& m : mass_) m = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i)
      for (int axis = 0; axis < 3; ++axis)
        if (!fixed(model, i, axis)) mass_[axis](i, i) = parts.node_mass[nodes_[i]];
    for (const NodalParts::MassPair& pair : parts.mass_pairs) {
      const int i = index_[pair.a], j = index_[pair.b];
      if (i < 0 || j < 0) continue;
      near[i].insert(j);
      near[j].insert(i);
      moves_.join(i, j);
      for (int axis = 0; axis < 3; ++axis)
        if (!fixed(model, i, axis) && !fixed(model, j, axis)) {
          mass_[axis](i, j) += pair.mass;
          mass_[axis](j, i) += pair.mass;
        }
    }
    elimination_ = eliminate(std::move(near));
    factorise();
  }

  int size() const { return static_cast<int>(nodes_.size()); }
  int index(int node) const { return index_[node]; }
  int part(int i) { return moves_.root(i); }

  // M⁻¹ g along an axis.
  Eigen::VectorXd solve(int axis, const Eigen::VectorXd& g) const {
    Eigen::VectorXd y(g.size());
    for (int k = 0; k < size(); ++k) y[k] = g[elimination_.order[k]];
    const Eigen::MatrixXd& L = lower_[axis];
    for (int j = 0; j < size(); ++j)
      for (const int i : elimination_.columns[j]) y[i] -= L(i, j) * y[j];
    y = y.cwiseProduct(inverse_[axis]);
    for (int j = size() - 1; j >= 0; --j)
      for (const int i : elimination_.columns[j]) y[j] -= L(i, j) * y[i];
    Eigen::VectorXd x(g.size());
    for (int k = 0; k < size(); ++k) x[elimination_.order[k]] = y[k];
    return x;
  }

  void add_to(Plan& plan) const {
    std::vector<double> lower, inverse;
    for (int j = 0; j < size(); ++j)
      for (const int i : elimination_.columns[j]) {
        plan.tables.mass_row.push_back(node(i));
        plan.tables.mass_column.push_back(node(j));
        for (int axis = 0; axis < 3; ++axis) lower.push_back(lower_[axis](i, j));
      }
    for (int k = 0; k < size(); ++k) {
      plan.tables.group_node.push_back(node(k));
      for (int axis = 0; axis < 3; ++axis) inverse.push_back(inverse_[axis][k]);
    }
    plan.sizes.group_nodes = size();
    plan.sizes.mass_entries = static_cast<int>(plan.tables.mass_row.size());
    plan.sizes.at_mass = add_numbers(plan, lower);
    plan.sizes.at_inverse = add_numbers(plan, inverse);
  }

 private:
  bool fixed(const Model& model, int i, int axis) const { return model.nodes[nodes_[i]].fixed[axis]; }
  int node(int place) const { return nodes_[elimination_.order[place]]; }

  void factorise() {
    const int n = size();
    for (int axis = 0; axis < 3; ++axis) {
      Eigen::MatrixXd a(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) a(i, j) = mass_[axis](elimination_.order[i], elimination_.order[j]);
      lower_[axis] = Eigen::MatrixXd::Zero(n, n);
      inverse_[axis] = Eigen::VectorXd::Zero(n);
      for (int j = 0; j < n; ++j) {
        if (!(a(j, j) > 0.0)) continue;  // fixed along this axis
        inverse_[axis][j] = 1.0 / a(j, j);
        for (const int i : elimination_.columns[j]) {
          lower_[axis](i, j) = a(i, j) * inverse_[axis][j];
          for (const int k : elimination_.columns[j])
            if (k <= i) a(i, k) -= lower_[axis](i, j) * a(k, j), a(k, i) = a(i, k);
        }
      }
    }
  }

  std::vector<int> nodes_, index_;
  Connected moves_;  // nodes that masses couple
  Eigen::MatrixXd mass_[3], lower_[3];
  Eigen::VectorXd inverse_[3];
  Elimination elimination_;
};

// What constraint i is along an axis: a column over the group's nodes.
Eigen::VectorXd column_of(const NodalParts::Row& row, int axis, const GroupMass& mass) {
  Eigen::VectorXd g = Eigen::VectorXd::Zero(mass.size());
  const auto put = [&](int node, double value) {
    if (mass.index(node) >= 0) g[mass.index(node)] += value;
  };
  if (row.a >= 0) {
    put(row.a, -1.0);
    put(row.b, 1.0);
  } else if (axis == row.axis) {
    for (const auto& [node, coefficient] : row.terms) put(node, coefficient);
  }
  return g;
}

// Whether two constraints act on each other at all: through some mass, along some axis.
class Couplings {
 public:
  Couplings(const std::vector<NodalParts::Row>& rows, GroupMass& mass) : rows_(rows) {
    for (const NodalParts::Row& row : rows) {
      std::set<int>& parts = parts_.emplace_back();
      const auto add = [&](int node) {
        if (mass.index(node) >= 0) parts.insert(mass.part(mass.index(node)));
      };
      if (row.a >= 0) {
        add(row.a);
        add(row.b);
      }
      for (const auto& [node, coefficient] : row.terms) add(node);
    }
  }
  bool couple(std::size_t i, std::size_t j) const {
    if (rows_[i].a < 0 && rows_[j].a < 0 && rows_[i].axis != rows_[j].axis) return false;
    return std::any_of(parts_[i].begin(), parts_[i].end(), [&](int part) { return parts_[j].contains(part); });
  }

 private:
  const std::vector<NodalParts::Row>& rows_;
  std::vector<std::set<int>> parts_;
};

void add_rows(const std::vector<NodalParts::Row>& rows, Plan& plan) {
  std::vector<double> target, scale, coefficient;
  Plan::Tables& t = plan.tables;
  for (const NodalParts::Row& row : rows) {
    t.row_a.push_back(row.a);
    t.row_b.push_back(row.b);
    t.row_axis.push_back(row.axis);
    t.row_begin.push_back(static_cast<int>(t.row_node.size()));
    for (const auto& [node, c] : row.terms) {
      t.row_node.push_back(node);
      coefficient.push_back(c);
    }
    target.push_back(row.a >= 0 ? row.length * row.length : row.value);
    scale.push_back(row.a >= 0 ? 1.0 / (row.length * row.length) : 1.0);
  }
  t.row_begin.push_back(static_cast<int>(t.row_node.size()));
  plan.sizes.rows = static_cast<int>(rows.size());
  plan.sizes.at_target = add_numbers(plan, target);
  plan.sizes.at_scale = add_numbers(plan, scale);
  plan.sizes.at_coefficient = add_numbers(plan, coefficient);
}

}  // namespace

void add_group(const Model& model, const NodalParts& parts, Plan& plan) {
  GroupMass mass(model, parts);
  mass.add_to(plan);
  const int m = static_cast<int>(parts.rows.size());
  constexpr int most_rows = 1024;
  if (m > most_rows)
    throw InputError("a batch takes up to 1024 coupled constraints; this model has " + std::to_string(m) +
                     ": taut run moves it");
  // The order of elimination, and with it that of the rows.
  const Couplings couplings(parts.rows, mass);
  std::vector<std::set<int>> near(parts.rows.size());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < i; ++j)
      if (couplings.couple(static_cast<std::size_t>(i), static_cast<std::size_t>(j))) {
        near[i].insert(j);
        near[j].insert(i);
      }
  const std::vector<std::set<int>> coupled = near;
  const Elimination e = eliminate(std::move(near));
  std::vector<NodalParts::Row> rows;
  for (const int i : e.order) rows.push_back(parts.rows[i]);
  add_rows(rows, plan);

  Plan::Tables& t = plan.tables;
  std::map<std::pair<int, int>, int> place;  // (row, column) in the factor
  for (int j = 0; j < m; ++j) {
    t.factor_begin.push_back(static_cast<int>(t.factor_row.size()));
    place[{j, j}] = static_cast<int>(t.factor_row.size());
    t.factor_row.push_back(j);
    for (const int i : e.columns[j]) {
      place[{i, j}] = static_cast<int>(t.factor_row.size());
      t.factor_row.push_back(i);
    }
  }
  t.factor_begin.push_back(static_cast<int>(t.factor_row.size()));
  plan.sizes.factor_entries = static_cast<int>(t.factor_row.size());
  // Updates in the order in which kernel/group.h makes them.
  for (int j = 0; j < m; ++j)
    for (const int i : e.columns[j])
      for (const int k : e.columns[j])
        if (k <= i) t.update_place.push_back(place[{i, k}]);
  // What S is made of.
  std::vector<double> coupling;
  std::vector<Eigen::VectorXd> column[3], solved[3];
  for (int axis = 0; axis < 3; ++axis)
    for (const NodalParts::Row& row : rows) {
      column[axis].push_back(column_of(row, axis, mass));
      solved[axis].push_back(mass.solve(axis, column[axis].back()));
    }
  for (int j = 0; j < m; ++j)
    for (int i = j; i < m; ++i) {
      if (i != j && !coupled[e.order[i]].contains(e.order[j])) continue;
      t.coupling_row.push_back(i);
      t.coupling_column.push_back(j);
      t.coupling_place.push_back(place[{i, j}]);
      for (int axis = 0; axis < 3; ++axis) coupling.push_back(column[axis][i].dot(solved[axis][j]));
    }
  plan.sizes.coupling_entries = static_cast<int>(t.coupling_row.size());
  plan.sizes.at_coupling = add_numbers(plan, coupling);
}

}  // namespace taut::batch
