// Assembly of the nodal formulation: constraints, and the split of nodes and bars into lone and coupled ones.
#include <fmt/format.h>

#include <algorithm>

#include "taut/base/connected.h"
#include "taut/base/error.h"
#include "taut/formulation/nodal/nodal.h"

namespace taut {

namespace {

bool fully_fixed(const Node& node) { return node.fixed[0] && node.fixed[1] && node.fixed[2]; }

}  // namespace

Nodal::Nodal(const Model& model) : model_(&model) {
  facts_.name = "nodal";
  facts_.nq = facts_.nv = 3 * static_cast<int>(model.nodes.size());
  assemble_mass();
  collect_constraints();
  split_into_kinds();
  find_homes();
  fill_facts();
}

void Nodal::collect_constraints() {
  const Model& model = *model_;
  for (int i = 0; i < facts_.nq; ++i)
    if (model.nodes[i / 3].fixed[i % 3]) still_.push_back(i);
  // Bars with others to spare are replaced by what they amount to.
  std::vector<int> candidates;
  for (const RigidBar& bar : model_bars_) candidates.push_back(bar.bar);
  rigid_groups_ = find_rigid_groups(model, candidates);
  std::vector<char> replaced(model.bars.size(), 0);
  for (const RigidGroup& group : rigid_groups_) {
    refuse_driven(group);
    for (int bar : group.bars) replaced[bar] = 1;
    constrain_base(group);
    constrain_followers(group);
  }
  for (const RigidBar& bar : model_bars_)
    if (!replaced[bar.bar]) rigid_.push_back(bar);
  for (const Constraint& constraint : model.constraints)
    for (int axis = 0; axis < 3; ++axis) {
      if (!constraint.axes[axis]) continue;
      LinearRow row{{}, constraint.value[axis], -1};
      for (const auto& [node, coefficient] : constraint.terms) row.terms.emplace_back(3 * node + axis, coefficient);
      linear_.push_back(std::move(row));
    }
  int row = 0;
  for (RigidBar& bar : rigid_) bar.row = row++;
  for (LinearRow& linear : linear_) linear.row = row++;
}

// What moves as one body cannot hold a bar that changes its length.
void Nodal::refuse_driven(const RigidGroup& group) const {
  for (const RigidBar& bar : model_bars_) {
    if (bar.drive < 0 || std::find(group.bars.begin(), group.bars.end(), bar.bar) == group.bars.end()) continue;
    const BarDrive& drive = model_->bar_drives[bar.drive];
    const std::string& name = model_->bars[bar.bar].name;
    throw InputError(
        drive.place, name,
        fmt::format("the length of bar \"{}\" is driven, but {} hold{} its ends at a fixed distance: it is part of a "
                    "rigid group",
                    name, group.body ? "a body" : "other bars or fixed nodes", group.body ? "s" : ""));
  }
}

// The nodes of a rigid group's base keep their distances.
void Nodal::constrain_base(const RigidGroup& group) {
  for (int i = 0; i < group.base; ++i)
    for (int j = i + 1; j < group.base; ++j) {
      const int a = group.nodes[i], b = group.nodes[j];
      rigid_.push_back({a, b, -1, (model_->nodes[b].position - model_->nodes[a].position).norm()});
      if (group.body) body_distances_.push_back(rigid_.back());
    }
}

// Its other nodes follow the base, each by its weights.
void Nodal::constrain_followers(const RigidGroup& group) {
  for (std::size_t k = 0; k < group.weights.size(); ++k)
    for (int axis = 0; axis < 3; ++axis) {
      LinearRow row{{{3 * group.nodes[group.base + static_cast<int>(k)] + axis, 1.0}}, 0.0, -1};
      for (int i = 0; i < group.base; ++i)
        if (group.weights[k][i] != 0.0) row.terms.emplace_back(3 * group.nodes[i] + axis, -group.weights[k][i]);
      row.rigid_group = static_cast<int>(&group - rigid_groups_.data());
      // The start fits to the last digit, whatever the weights are rounded to.
      for (const auto& [coordinate, weight] : row.terms)
        row.value += weight * model_->nodes[coordinate / 3].position[axis];
      linear_.push_back(std::move(row));
    }
}

// What moves together: nodes that bars, masses or linear rows join. Nodes that cannot move do not couple what is attached
// to them.
struct Nodal::Coupling {
  std::vector<char> fixed;
  Connected nodes;

  int root(int i) { return nodes.root(i); }
  int part_of(int a, int b) { return root(fixed[a] ? b : a); }  // of nodes that are not both fixed
  void unite(int a, int b) {
    if (!fixed[a] && !fixed[b]) nodes.join(a, b);
  }
};

Nodal::Coupling Nodal::find_coupling() const {
  const int n = static_cast<int>(model_->nodes.size());
  Coupling coupling{std::vector<char>(n), Connected(model_->nodes.size())};
  for (int i = 0; i < n; ++i) coupling.fixed[i] = fully_fixed(model_->nodes[i]);
  for (const RigidBar& bar : rigid_) coupling.unite(bar.a, bar.b);
  for (const MassPair& pair : mass_pairs_) coupling.unite(pair.a, pair.b);
  for (const LinearRow& row : linear_) {
    int first = -1;
    for (const auto& [coordinate, unused] : row.terms) {
      if (coupling.fixed[coordinate / 3]) continue;
      if (first >= 0) coupling.unite(first, coordinate / 3);
      first = coordinate / 3;
    }
  }
  return coupling;
}

// A part is a lone node, a lone bar, or belongs to the group. Notes the lone nodes; returns whether each node is in the
// group.
std::vector<char> Nodal::find_lone(Coupling& coupling) {
  const int n = static_cast<int>(model_->nodes.size());
  const std::vector<char>& fixed = coupling.fixed;
  // Count what each part contains.
  std::vector<int> nodes_in(n, 0), bars_in(n, 0), rows_in(n, 0), bar_ends_in(n, 0), driven_in(n, 0);
  for (int i = 0; i < n; ++i)
    if (!fixed[i]) ++nodes_in[coupling.root(i)];
  for (const RigidBar& bar : rigid_)
    if (!fixed[bar.a] || !fixed[bar.b]) {
      const int part = coupling.part_of(bar.a, bar.b);
      ++bars_in[part];
      driven_in[part] += bar.drive >= 0;
      bar_ends_in[part] += !fixed[bar.a] + !fixed[bar.b];
    }
  for (const LinearRow& row : linear_)
    for (const auto& [coordinate, unused] : row.terms)
      if (!fixed[coordinate / 3]) ++rows_in[coupling.root(coordinate / 3)];

  std::vector<char> in_group(n, 0);
  for (int i = 0; i < n; ++i) {
    if (fixed[i]) continue;
    const int part = coupling.root(i);
    const bool lone_node = nodes_in[part] == 1 && bars_in[part] == 0 && rows_in[part] == 0;
    const bool lone_bar =
        bars_in[part] == 1 && rows_in[part] == 0 && nodes_in[part] == bar_ends_in[part] && driven_in[part] == 0;
    if (lone_node) add_lone_node(i);
    in_group[i] = !lone_node && !lone_bar;
  }
  return in_group;
}

void Nodal::split_into_kinds() {
  Coupling coupling = find_coupling();
  const std::vector<char>& fixed = coupling.fixed;
  const std::vector<char> in_group = find_lone(coupling);
  // Between the ends of a lone bar there may be several mass terms (the bar's own, a heavy cable's).
  std::vector<double> pair_mass(model_->nodes.size(), 0.0);
  for (const MassPair& pair : mass_pairs_)
    if (!fixed[pair.a] && !fixed[pair.b]) pair_mass[coupling.root(pair.a)] += pair.mass;
  std::vector<RigidBar> coupled;
  for (const RigidBar& bar : rigid_) {
    if (fixed[bar.a] && fixed[bar.b]) continue;
    if (in_group[fixed[bar.a] ? bar.b : bar.a])
      coupled.push_back(bar);
    else
      add_lone_bar(bar, pair_mass[coupling.part_of(bar.a, bar.b)]);
  }
  build_group(in_group, coupled);
}

void Nodal::refuse_singular(int bar) const {
  if (bar < 0) throw InputError("formulation nodal: the mass matrix of a body is singular; give it an inertia above 0");
  throw InputError(
      model_->bars[bar].place, model_->bars[bar].name,
      fmt::format("formulation nodal: bar \"{}\" has no transverse inertia, so its rotation is undetermined; "
                  "give it an inertia above 0 or its nodes a mass",
                  model_->bars[bar].name));
}

void Nodal::add_lone_node(int node) {
  Vec4 inverse{};
  for (int axis = 0; axis < 3; ++axis)
    if (!model_->nodes[node].fixed[axis]) inverse[axis] = 1.0 / node_mass_[node];
  lone_nodes_.push_back({node, inverse});
}

void Nodal::add_lone_bar(const RigidBar& bar, double mab) {
  const Node& na = model_->nodes[bar.a];
  const Node& nb = model_->nodes[bar.b];
  const double maa = node_mass_[bar.a], mbb = node_mass_[bar.b], determinant = maa * mbb - mab * mab;
  LoneBar<Vec4> guided{bar.a, bar.b, bar.row, bar.length, {}, {}, {}};
  for (int axis = 0; axis < 3; ++axis) {
    const bool free_a = !na.fixed[axis], free_b = !nb.fixed[axis];
    if (free_a && free_b) {
      if (!(determinant > 1e-13 * maa * mbb)) refuse_singular(bar.bar);
      guided.aa[axis] = mbb / determinant;
      guided.ab[axis] = -mab / determinant;
      guided.bb[axis] = maa / determinant;
    } else if (free_a || free_b) {
      if (!((free_a ? maa : mbb) > 0.0)) refuse_singular(bar.bar);
      if (free_a) guided.aa[axis] = 1.0 / maa;
      if (free_b) guided.bb[axis] = 1.0 / mbb;
    }
  }
  const bool free = na.fixed == Axes{} && nb.fixed == Axes{};
  if (free)
    free_bars_.push_back({bar.a, bar.b, bar.row, bar.length, guided.aa[0], guided.ab[0], guided.bb[0]});
  else
    guided_bars_.push_back(guided);
}

// Unknowns are the free coordinates of the group's nodes. Returns the unknown of each coordinate, -1 for the others.
std::vector<int> Nodal::number_unknowns(const std::vector<char>& node_in_group) {
  std::vector<int> unknown_of(facts_.nq, -1);
  for (int i = 0; i < static_cast<int>(model_->nodes.size()); ++i)
    for (int axis = 0; axis < 3 && node_in_group[i]; ++axis)
      if (!model_->nodes[i].fixed[axis]) {
        unknown_of[3 * i + axis] = static_cast<int>(unknowns_.size());
        unknowns_.push_back(3 * i + axis);
      }
  return unknown_of;
}

// Constraints of the group: bars first, then linear rows. Returns how many.
int Nodal::collect_group_rows(const std::vector<int>& unknown_of) {
  int row = 0;
  for (int k = 0; k < static_cast<int>(group_bars_.size()); ++k, ++row)
    for (int axis = 0; axis < 3; ++axis)
      for (const auto& [node, sign] : {std::pair{group_bars_[k].a, -1.0}, std::pair{group_bars_[k].b, 1.0}}) {
        const int i = unknown_of[3 * node + axis];
        if (i < 0) continue;
        group_entries_.push_back({row, i, sign});
        entry_source_.emplace_back(k, axis);
      }
  for (const LinearRow& linear : linear_) {
    bool touches = false;
    for (const auto& [coordinate, coefficient] : linear.terms) {
      if (unknown_of[coordinate] < 0) continue;
      touches = true;
      group_entries_.push_back({row, unknown_of[coordinate], coefficient});
      entry_source_.emplace_back(-1, 0);
    }
    if (!touches) continue;
    group_rows_.push_back(linear);
    ++row;
  }
  return row;
}

void Nodal::build_group(const std::vector<char>& node_in_group, const std::vector<RigidBar>& bars) {
  const std::vector<int> unknown_of = number_unknowns(node_in_group);
  if (unknowns_.empty()) return;
  std::vector<SparseEntry> mass;
  for (int k = 0; k < static_cast<int>(unknowns_.size()); ++k) mass.push_back({k, k, node_mass_[unknowns_[k] / 3]});
  for (const MassPair& pair : mass_pairs_)
    for (int axis = 0; axis < 3; ++axis) {
      const int i = unknown_of[3 * pair.a + axis], j = unknown_of[3 * pair.b + axis];
      if (i >= 0 && j >= 0) mass.push_back({std::min(i, j), std::max(i, j), pair.mass});
    }
  group_bars_ = bars;
  for (int k = 0; k < static_cast<int>(bars.size()); ++k)
    if (bars[k].drive >= 0) driven_.push_back(k);
  const int rows = collect_group_rows(unknown_of);
  // Stages of a step lie off the constraints by up to 1e-4 of a length, where a dependent row is only nearly so: its
  // pivot, the square of that, must still count as zero.
  std::vector<char> constant(rows, 1);
  std::fill_n(constant.begin(), group_bars_.size(), 0);
  saddle_ = Saddle(static_cast<int>(unknowns_.size()), rows, mass, group_entries_, 1e-8, constant);
  // Rank at the start.
  const Terms terms = make_terms();
  left_out_ = coupled(terms).factor.left_out;
  if (!saddle_.positive(coupled(terms).factor))
    throw InputError(
        "formulation nodal: the mass matrix of bars and bodies that share nodes is singular; "
        "give every bar an inertia above 0 or its nodes a mass");
}

}  // namespace taut
