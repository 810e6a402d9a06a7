// Self-stress states and mechanisms counted against a dense oracle that shares nothing with taut/statics: singular
// values of the matrix of length changes, taken by differences. Tangent stiffness against differences of forces.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "taut/equilibrium/static_forces.h"
#include "taut/solve/dense.h"
#include "taut/statics/statics.h"
#include "tests/formulation/random_structure.h"
#include "tests/support/dense.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Rows: members' lengths, then what linear constraints keep; columns: free coordinates.
MatrixXd length_changes(const Model& model, int& members) {
  std::vector<int> free;
  for (int i = 0; i < 3 * static_cast<int>(model.nodes.size()); ++i)
    if (!model.nodes[i / 3].fixed[i % 3]) free.push_back(i);
  const auto values = [&](const VectorXd& x) {
    const auto distance = [&](int a, int b) { return (x.segment<3>(3 * b) - x.segment<3>(3 * a)).norm(); };
    std::vector<double> v;
    for (const Cable& cable : model.cables) {
      v.push_back(0.0);
      for (std::size_t k = 1; k < cable.path.size(); ++k) v.back() += distance(cable.path[k - 1], cable.path[k]);
    }
    for (const Bar& bar : model.bars)
      if (bar.attached.empty()) v.push_back(distance(bar.a, bar.b));
    members = static_cast<int>(v.size());
    // Bodies by all their distances and, since flat ones need it, by their volumes with every three nodes.
    for (const Body& body : model.bodies)
      for (std::size_t i = 0; i < body.nodes.size(); ++i)
        for (std::size_t j = i + 1; j < body.nodes.size(); ++j) {
          v.push_back(distance(body.nodes[i], body.nodes[j]));
          for (std::size_t k = j + 1; k < body.nodes.size(); ++k)
            for (std::size_t l = k + 1; l < body.nodes.size(); ++l) {
              Mat3 d;
              for (int c = 0; c < 3; ++c)
                d.col(c) = x.segment<3>(3 * body.nodes[c == 0 ? j : c == 1 ? k : l]) - x.segment<3>(3 * body.nodes[i]);
              v.push_back(d.determinant());
            }
        }
    for (const Constraint& constraint : model.constraints)
      for (int axis = 0; axis < 3; ++axis) {
        if (!constraint.axes[axis]) continue;
        v.push_back(0.0);
        for (const auto& [node, coefficient] : constraint.terms) v.back() += coefficient * x[3 * node + axis];
      }
    return VectorXd(Eigen::Map<VectorXd>(v.data(), static_cast<long>(v.size())));
  };
  const VectorXd x = positions_of(model);
  MatrixXd J(values(x).size(), static_cast<long>(free.size()));
  for (std::size_t k = 0; k < free.size(); ++k) {
    VectorXd up = x, down = x;
    up[free[k]] += 1e-5, down[free[k]] -= 1e-5;
    J.col(static_cast<long>(k)) = (values(up) - values(down)) / 2e-5;
  }
  return J;
}

// Singular values above 1e-7 of the largest: differences leave 1e-10.
int rank_of(const MatrixXd& J) {
  if (J.size() == 0) return 0;
  const VectorXd values = singular_values(J);
  return static_cast<int>((values.array() > 1e-7 * values[0]).count());
}

// Rigid fields of each part that supports and constraints keep, by singular values above 1e-9 of the structure's size.
int rigid_motions_of(const Model& model) {
  const Parts parts = find_parts(model);
  const int n = static_cast<int>(model.nodes.size());
  const auto rank = [](const MatrixXd& m) { return m.size() == 0 ? 0L : (singular_values(m).array() > 1e-9).count(); };
  int total = 0;
  for (int part = 0; part < parts.count; ++part) {
    MatrixXd fields = MatrixXd::Zero(3 * n, 6);
    for (int i = 0; i < n; ++i) {
      if (parts.of_node[i] != part) continue;
      fields.block<3, 3>(3 * i, 0).setIdentity();
      for (int turn = 0; turn < 3; ++turn)
        fields.block<3, 1>(3 * i, 3 + turn) = Vec3::Unit(turn).cross(model.nodes[i].position);
    }
    std::vector<Eigen::RowVectorXd> felt;
    for (int i = 0; i < 3 * n; ++i)
      if (model.nodes[i / 3].fixed[i % 3]) felt.emplace_back(fields.row(i));
    for (const Constraint& c : model.constraints)
      for (int axis = 0; axis < 3; ++axis) {
        if (!c.axes[axis]) continue;
        felt.emplace_back(Eigen::RowVectorXd::Zero(6));
        for (const auto& [node, coefficient] : c.terms) felt.back() += coefficient * fields.row(3 * node + axis);
      }
    MatrixXd supports(static_cast<long>(felt.size()), 6);
    for (std::size_t k = 0; k < felt.size(); ++k) supports.row(static_cast<long>(k)) = felt[k];
    MatrixXd both(supports.rows() + fields.rows(), 6);
    both << supports, fields;
    // Of the fields that differ, those that the supports do not feel.
    total += static_cast<int>(rank(both) - rank(supports));
  }
  return total;
}

void expect_counts(const Model& model, const char* what) {
  SCOPED_TRACE(what);
  int members = 0;
  const MatrixXd J = length_changes(model, members);
  const int rank = rank_of(J), inner = rank_of(J.bottomRows(J.rows() - members));
  const Statics s = analyse_statics(model);
  EXPECT_EQ(s.spaces.rank, rank);
  // members + inner rows, less the rank, less what inner rows do among themselves.
  EXPECT_EQ(s.spaces.states, members - (rank - inner));
  EXPECT_EQ(s.spaces.mechanisms, static_cast<int>(J.cols()) - rank - rigid_motions_of(model));
  // The lists are what they say.
  if (s.spaces.self_stress.cols() > 0 && J.rows() == members) {
    EXPECT_LT((J.transpose() * s.spaces.self_stress).norm(), 1e-5);
  }
  if (s.spaces.mechanism.cols() > 0) {
    EXPECT_LT((J * s.spaces.mechanism).cwiseAbs().maxCoeff(), 1e-5);
  }
  EXPECT_EQ(s.finite + s.infinitesimal + s.undecided, s.spaces.mechanisms);
}

TEST(StaticsCounts, RandomStructures) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Model model = random_structure(seed);
    expect_counts(model, std::to_string(seed).c_str());
  }
}

TEST(StaticsCounts, EveryGenerator) {
  int structures = 0;
  for (const Generator& generator : generators()) {
    const Model model = generate(generator, {}).model;
    if (has_joints(model) || model.nodes.size() > 120) continue;
    expect_counts(model, std::string(generator.kind).c_str());
    ++structures;
  }
  EXPECT_GE(structures, 9);
}

TEST(StaticsCounts, SeveralPartsAndNodesOnALine) {
  Model m;
  for (int i = 0; i < 3; ++i) add_node(m, {1.0 * i, 0, 0}, 1.0);
  add_bar(m, 0, 1, 1.0);
  add_bar(m, 1, 2, 1.0);
  for (int i = 0; i < 2; ++i) add_node(m, {0, 5, 1.0 * i}, 1.0);
  add_bar(m, 3, 4, 1.0);
  expect_counts(m, "line");
  EXPECT_EQ(analyse_statics(m).parts.count, 2);
}

// Bars joined by a constraint, b - b2 = 0, and by a common node: the same, wherever they are.
TEST(StaticsCounts, JoinedByAConstraintOrByANode) {
  Random random(4);
  const auto somewhere = [&] { return Vec3(random.between(-3, 3), random.between(-3, 3), random.between(-3, 3)); };
  for (int trial = 0; trial < 20; ++trial) {
    Model shared;
    for (int i = 0; i < 3; ++i) add_node(shared, somewhere(), 1.0);
    Model apart = shared;
    add_bar(shared, 0, 1, 1.0), add_bar(shared, 1, 2, 1.0);
    const int twin = add_node(apart, apart.nodes[1].position, 1.0);
    add_bar(apart, 0, 1, 1.0), add_bar(apart, twin, 2, 1.0);
    apart.constraints.push_back({"", {{1, 1.0}, {twin, -1.0}}, Vec3::Zero(), {true, true, true}});
    for (const Model* model : {&shared, &apart}) {
      const Statics s = analyse_statics(*model);
      EXPECT_EQ(s.spaces.rigid.count, 6) << trial;
      EXPECT_EQ(s.spaces.mechanisms, 1) << trial;
      EXPECT_EQ(find_parts(*model).total_rigid_motions(), 6) << trial;
      expect_counts(*model, "joined");
    }
    // Half way between two others, and off it: 6 as well, since all move along.
    Model middle = shared;
    const Vec3 half = 0.5 * (middle.nodes[0].position + middle.nodes[2].position);
    const int node = add_node(middle, half, 1.0);
    middle.constraints.push_back({"", {{0, 1e3}, {2, 1e3}, {node, -2e3}}, Vec3::Zero(), {true, true, true}});
    EXPECT_EQ(find_parts(middle).total_rigid_motions(), 6) << trial;
    expect_counts(middle, "middle");
  }
}

// A cable without length pulls nowhere: no state of its own, and no failure.
TEST(StaticsCounts, MembersWithoutLength) {
  Model m;
  for (int i = 0; i < 2; ++i) add_node(m, {0, 0, 0}, 1.0);
  add_cable(m, {0, 1}, linear_law(1.0), 1.0);
  const Statics s = analyse_statics(m);
  EXPECT_EQ(s.spaces.rank, 0);
}

// A triangle of bars and a rigid plate are the same to all that hangs on them.
TEST(StaticsCounts, PlatesAsBodiesAndAsBars) {
  const Statics bars = analyse_statics(generate(*find_generator("stacked"), {{"plates", 0.0}}).model);
  const Statics bodies = analyse_statics(generate(*find_generator("stacked"), {{"plates", 1.0}}).model);
  EXPECT_EQ(bars.spaces.states, bodies.spaces.states);
  EXPECT_EQ(bars.spaces.mechanisms, bodies.spaces.mechanisms);
  EXPECT_EQ(bars.load_state, LoadState::balanced);
  EXPECT_EQ(bodies.load_state, LoadState::balanced);
  ASSERT_TRUE(bars.softest && bodies.softest);
  EXPECT_NEAR(bodies.softest->eigenvalue, bars.softest->eigenvalue, 1e-8 * bars.softest->eigenvalue);
  for (std::size_t i = 0; i < bars.reactions.size(); ++i)
    EXPECT_LT((bars.reactions[i] - bodies.reactions[i]).norm(), 1e-9 * 300.0);
}

// K against central differences of the internal forces, at the tensions of the model itself.
TEST(StaticsStiffness, IsTheDerivativeOfTheForces) {
  int tried = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Model model = random_structure(seed);
    model.bars.erase(std::remove_if(model.bars.begin(), model.bars.end(), [](const Bar& b) { return !b.elastic; }),
                     model.bars.end());
    model.constraints.clear();
    model.ground.reset();
    for (Node& node : model.nodes) node.mass += 1.0;
    const StaticRows rows = static_rows(model);
    VectorXd tensions = VectorXd::Zero(static_cast<long>(rows.rows.size()));
    for (std::size_t i = 0; i < rows.members.size(); ++i) tensions[static_cast<long>(i)] = rows.members[i].pretension;
    if (tensions.size() == 0 || rows.unknowns() == 0 || tensions.isZero(0.0)) continue;
    const TangentParts parts = tangent_parts(model, rows, tensions);
    MatrixXd K = MatrixXd::Zero(rows.unknowns(), rows.unknowns());
    for (const auto& list : {parts.material, parts.geometric})
      for (const SparseEntry& e : list) {
        K(e.row, e.column) += e.value;
        if (e.row != e.column) K(e.column, e.row) += e.value;
      }
    StaticForces forces(model);
    MatrixXd differences(rows.unknowns(), rows.unknowns());
    for (int j = 0; j < rows.unknowns(); ++j) {
      VectorXd up = rows.start, down = rows.start, f_up, f_down;
      const double h = 1e-5;
      up[rows.coordinate_of[j]] += h, down[rows.coordinate_of[j]] -= h;
      forces.forces(up, f_up), forces.forces(down, f_down);
      for (int i = 0; i < rows.unknowns(); ++i) differences(i, j) = -(f_up - f_down)[rows.coordinate_of[i]] / (2.0 * h);
    }
    EXPECT_LT((K - differences).cwiseAbs().maxCoeff(), 1e-7 * K.cwiseAbs().maxCoeff()) << "seed " << seed;
    ++tried;
  }
  EXPECT_GT(tried, 10);
}

// The lowest eigenvalue by sparse iteration against a dense one, over motions that keep rigid bars and no rigid motion.
TEST(StaticsStiffness, LowestEigenvalue) {
  for (const char* kind : {"prism", "six_bar", "class2_tower"}) {
    Model model = generate(*find_generator(kind), {}).model;
    const Statics s = analyse_statics(model);
    MatrixXd K = MatrixXd::Zero(s.rows.unknowns(), s.rows.unknowns());
    for (const auto& list : {s.tangent.material, s.tangent.geometric})
      for (const SparseEntry& e : list) {
        K(e.row, e.column) += e.value;
        if (e.row != e.column) K(e.column, e.row) += e.value;
      }
    // What must not move becomes very stiff, far above the rest.
    MatrixXd kept = s.spaces.rigid.dense(s.rows.unknowns()) * s.spaces.rigid.dense(s.rows.unknowns()).transpose();
    MatrixXd rows = MatrixXd::Zero(static_cast<long>(s.rows.rows.size()), s.rows.unknowns());
    for (const SparseEntry& e : free_gradients(s.rows, s.rows.start))
      if (s.rows.members[e.row].rigid) rows(e.row, e.column) += e.value;
    kept += rows.transpose() * rows;
    const SymmetricEigen split = symmetric_eigen(kept);
    long first = 0;
    while (first < kept.rows() && split.values[first] < 1e-9) ++first;
    const MatrixXd free = split.vectors.leftCols(first);
    const double lowest = symmetric_eigenvalues(free.transpose() * K * free)[0];
    ASSERT_TRUE(s.softest);
    EXPECT_NEAR(s.softest->eigenvalue, lowest, 1e-8 * std::abs(lowest)) << kind;
  }
}

// A large net around a sphere: counts fit together.
TEST(StaticsCounts, LargeNet) {
  Model m;
  m.gravity.setZero();
  const int rings = 16, around = 40;
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < around; ++j) {
      const double polar = M_PI * (i + 1.0) / (rings + 1.0),
                   angle = 2.0 * M_PI * (j + 0.5 * (i % 2) + 0.1 * i * i) / around;
      add_node(m, {std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle), std::cos(polar)}, 1.0);
    }
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < around; ++j) {
      const int n = around * i + j;
      add_cable(m, {n, around * i + (j + 1) % around}, linear_law(10.0), 0.01);
      if (i + 1 < rings) add_cable(m, {n, n + around}, linear_law(10.0), 0.01);
      if (i + 2 < rings && j % 2 == 0) add_bar(m, n, around * (i + 2) + (j + 7) % around, 0.1);
    }
  const StaticRows rows = static_rows(m);
  const StaticSpaces spaces = static_spaces(m, rows, find_parts(m), 1e-6);
  EXPECT_EQ(spaces.rigid.count, 6);
  EXPECT_EQ(spaces.rank + spaces.rigid.count + spaces.mechanisms, rows.unknowns());
  EXPECT_EQ(spaces.states, static_cast<int>(rows.members.size()) - spaces.rank);
  EXPECT_GT(spaces.mechanisms, 0);
}

}  // namespace
}  // namespace taut::testing
