// Linear constraints at the start. One that the start positions do not meet may be one that no positions can meet: then
// it is said what it contradicts.
//
// Fixed nodes, bodies (whose nodes are affine combinations of a few of them) and constraints are eliminated one after
// another, each row with the multiples of the sources that made it. A row that vanishes but for its value is a
// contradiction of its sources; a difference x_a - x_b that the rows give as a number is compared with the bar or body
// that keeps its length.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "taut/base/text/text.h"
#include "taut/model/check/check_values.h"
#include "taut/model/shape/body_mass.h"

namespace taut {

namespace {

constexpr size_t most_explained = 2000;  // constraints, and distances

// Σ terms x = value along one axis.
struct Row {
  std::map<int, double> terms;  // by node
  double value = 0.0;
  std::map<int, double> sources;  // number of a source, multiple

  void subtract(const Row& other, double factor) {
    double largest = 0.0;
    for (const auto& [node, c] : terms) largest = std::max(largest, std::abs(c));
    const auto add = [&](std::map<int, double>& to, int key, double change, double rounding) {
      double& c = to[key];
      c += change;
      if (std::abs(c) <= rounding) to.erase(key);
    };
    for (const auto& [node, c] : other.terms) add(terms, node, -factor * c, 1e-11 * largest);
    for (const auto& [source, c] : other.sources) add(sources, source, -factor * c, 1e-11);
    value -= factor * other.value;
  }
};

class Elimination {
 public:
  // Takes out every node that earlier rows determine.
  void reduce(Row& row) const {
    for (auto term = row.terms.begin(); term != row.terms.end();) {
      const auto known = rows_.find(term->first);
      if (known == rows_.end()) {
        ++term;
        continue;
      }
      const int node = term->first;
      row.subtract(known->second, term->second);
      row.terms.erase(node);
      term = row.terms.begin();
    }
  }
  // A reduced row that is not empty.
  void take(Row row) {
    const auto largest = std::max_element(row.terms.begin(), row.terms.end(), [](const auto& a, const auto& b) {
      return std::abs(a.second) < std::abs(b.second);
    });
    const auto [pivot, scale] = *largest;
    for (auto& [node, c] : row.terms) c /= scale;
    for (auto& [source, c] : row.sources) c /= scale;
    row.value /= scale;
    rows_.emplace(pivot, std::move(row));
  }

 private:
  std::unordered_map<int, Row> rows_;  // by the node that each determines, with coefficient 1
};

class Contradictions {
 public:
  Contradictions(const Model& model, double tolerance) : model_(model), tolerance_(tolerance) {
    if (model.constraints.size() > most_explained) return;
    for (const Body& body : rigid_bodies(model)) bodies_.push_back(body);
    for (int axis = 0; axis < 3; ++axis) eliminate(axis);
    compare_distances();
  }

  // What constraint i contradicts along an axis, or by a distance; empty: nothing.
  std::string linear(int i, int axis) const {
    const auto found = linear_[axis].find(i);
    return found == linear_[axis].end() ? "" : found->second;
  }
  std::string by_distance(int i) const {
    const auto found = distance_.find(i);
    return found == distance_.end() ? "" : found->second;
  }

 private:
  int constraints() const { return static_cast<int>(model_.constraints.size()); }
  int node_source(int node) const { return constraints() + node; }
  int body_source(int body) const { return constraints() + static_cast<int>(model_.nodes.size()) + body; }

  Row row_of(int i, int axis) const {
    Row row;
    for (const auto& [node, coefficient] : model_.constraints[i].terms) row.terms[node] = coefficient;
    row.value = model_.constraints[i].value[axis];
    row.sources[i] = 1.0;
    return row;
  }
  bool met(const Row& row, int axis) const {
    double sum = -row.value;
    for (const auto& [node, c] : row.terms) sum += c * model_.nodes[node].position[axis];
    return std::abs(sum) <= tolerance_;
  }

  void eliminate(int axis) {
    Elimination& rows = rows_[axis];
    for (int i = 0; i < static_cast<int>(model_.nodes.size()); ++i)
      if (model_.nodes[i].fixed[axis]) rows.take({{{i, 1.0}}, model_.nodes[i].position[axis], {{node_source(i), 1.0}}});
    for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
      const BodyMass mass = body_mass(model_, bodies_[b]);
      for (std::size_t k = 0; k < mass.others.size(); ++k) {
        Row row{{{mass.others[k], 1.0}}, model_.nodes[mass.others[k]].position[axis], {{body_source(b), 1.0}}};
        for (std::size_t i = 0; i < mass.base.size(); ++i) {
          const double beta = mass.beta[k][static_cast<long>(i)];
          row.terms[mass.base[i]] -= beta;
          row.value -= beta * model_.nodes[mass.base[i]].position[axis];
        }
        rows.reduce(row);
        if (!row.terms.empty()) rows.take(std::move(row));
      }
    }
    // Those that are met agree with each other; then the others in their order.
    std::vector<int> order;
    for (bool wanted : {true, false})
      for (int i = 0; i < constraints(); ++i)
        if (model_.constraints[i].axes[axis] && met(row_of(i, axis), axis) == wanted) order.push_back(i);
    for (int i : order) {
      Row row = row_of(i, axis);
      rows.reduce(row);
      if (!row.terms.empty())
        rows.take(std::move(row));
      else if (std::abs(row.value) > tolerance_)
        linear_[axis][i] =
            fmt::format("cannot be met together with {}: off by {:.6g} m along {}, wherever the nodes are",
                        names(row, i), std::abs(row.value), "xyz"[axis]);
    }
  }

  void compare_distances() {
    std::vector<char> named(model_.nodes.size(), 0);
    for (const Constraint& constraint : model_.constraints)
      for (const auto& [node, c] : constraint.terms) named[node] = 1;
    size_t told = 0;
    for (const Bar& bar : model_.bars)
      if (!bar.elastic && (named[bar.a] || named[bar.b]) && ++told <= most_explained)
        compare(bar.a, bar.b, fmt::format("bar \"{}\"", bar.name));
    for (const Body& body : bodies_)
      for (std::size_t i = 0; i < body.nodes.size(); ++i)
        for (std::size_t j = 0; j < i && named[body.nodes[i]]; ++j)
          if (named[body.nodes[j]] && ++told <= most_explained)
            compare(body.nodes[j], body.nodes[i], fmt::format("body \"{}\"", body.name));
  }

  // The distance of two nodes as far as the rows give it, against the one that is kept.
  void compare(int a, int b, const std::string& keeper) {
    const double kept = (model_.nodes[a].position - model_.nodes[b].position).norm();
    double square = 0.0;
    int axes = 0, culprit = -1;
    Row all;
    for (int axis = 0; axis < 3; ++axis) {
      Row row{{{a, 1.0}, {b, -1.0}}, 0.0, {}};
      rows_[axis].reduce(row);
      if (!row.terms.empty()) continue;
      ++axes;
      square += row.value * row.value;
      for (const auto& [source, c] : row.sources) {
        all.sources[source] = 1.0;
        if (source < constraints() && !met(row_of(source, axis), axis)) culprit = std::max(culprit, source);
      }
    }
    const double given = std::sqrt(square);
    if (culprit < 0 || !(axes == 3 ? std::abs(given - kept) > tolerance_ : given > kept + tolerance_)) return;
    all.sources.erase(culprit);
    const std::string with = all.sources.empty() ? "" : fmt::format(" (with {})", names(all, culprit));
    distance_[culprit] = fmt::format(
        "cannot be met{}: it puts nodes \"{}\" and \"{}\" {}{:.6g} m apart, and {} keeps them {:.6g} m apart", with,
        model_.nodes[a].name, model_.nodes[b].name, axes == 3 ? "" : "at least ", given, keeper, kept);
  }

  // The sources of a row but for constraint i.
  std::string names(const Row& row, int i) const {
    std::vector<std::string> list;
    for (const auto& [source, c] : row.sources) {
      if (source == i) continue;
      if (source < constraints()) {
        const std::string& name = model_.constraints[source].name;
        list.push_back(name.empty() ? fmt::format("constraints[{}]", source) : fmt::format("constraint \"{}\"", name));
      } else if (source < body_source(0)) {
        list.push_back(fmt::format("the fixed node \"{}\"", model_.nodes[source - constraints()].name));
      } else {
        list.push_back(fmt::format("body \"{}\"", bodies_[source - body_source(0)].name));
      }
    }
    return list.empty() ? "itself" : listed(list, 8, " and ");
  }

  const Model& model_;
  double tolerance_;
  std::vector<Body> bodies_;
  Elimination rows_[3];
  std::map<int, std::string> linear_[3], distance_;
};

}  // namespace

void check_constraints(const Model& model, std::vector<Finding>& findings) {
  double size = 0.0;
  for (const Node& node : model.nodes) size = std::max(size, node.position.cwiseAbs().maxCoeff());
  const double tolerance = 1e-9 * size;
  std::optional<Contradictions> contradictions;
  for (int i = 0; i < static_cast<int>(model.constraints.size()); ++i) {
    const Constraint& constraint = model.constraints[i];
    Vec3 sum = -constraint.value;
    for (const auto& [node, coefficient] : constraint.terms) sum += coefficient * model.nodes[node].position;
    std::string far_apart;
    for (int axis = 0; axis < 3; ++axis) {
      if (!constraint.axes[axis] || std::abs(sum[axis]) <= tolerance) continue;
      if (!contradictions) contradictions.emplace(model, tolerance);
      std::string wrong = contradictions->linear(i, axis);
      if (wrong.empty() && !contradictions->by_distance(i).empty()) {
        if (!far_apart.empty()) continue;  // said already
        wrong = far_apart = contradictions->by_distance(i);
      }
      if (wrong.empty())
        wrong = fmt::format("is not met by the start positions: off by {:.3g} m along {}", sum[axis], "xyz"[axis]);
      findings.push_back({EntityKind::constraint, i, "sum", wrong});
    }
  }
}

}  // namespace taut
