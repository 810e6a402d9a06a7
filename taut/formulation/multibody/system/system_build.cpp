#include <fmt/format.h>

#include <algorithm>

#include "taut/formulation/multibody/system/assemble.h"
#include "taut/formulation/multibody/system/stabilise.h"
#include "taut/formulation/multibody/system/system.h"
#include "taut/solve/dense.h"

namespace taut::multibody {

namespace {

// Below these parts of a typical body's inertia a joint moves nothing, or so little that loops must help to find its
// motion.
constexpr double nothing = 1e-14, little = 1e-8;

LeastInertia operator*(double factor, const LeastInertia& inertia) {
  return {factor * inertia.mass, factor * inertia.turning};
}

// Mean mass and moment of inertia of the bodies that have some.
LeastInertia typical_inertia(const Machine& m, double length) {
  LeastInertia sum;
  int count = 0;
  for (const RigidBody& body : m.bodies)
    if (body.mass > 0.0 || body.inertia.trace() > 0.0) {
      sum.mass += body.mass;
      sum.turning += std::max(body.inertia.trace() / 3.0, 1e-3 * body.mass * length * length);
      ++count;
    }
  if (count == 0 && !m.bodies.empty())
    throw InputError("the machine has no mass: expected at least one body with mass");
  return (1.0 / std::max(count, 1)) * sum;
}

// Mean size of the links that have one, each the largest of: from its parent's joint to its own in the start shape, from
// there to its centre of mass, and its radius of gyration. What rounding leaves of a joint in the centre is no size.
double typical_length(const Machine& m, const Tree& tree, const TreeTerms& placed) {
  constexpr double no_size = 1e-9;  // of the largest
  std::vector<double> sizes;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    const RigidBody& body = m.bodies[link.body];
    const double gyration =
        body.mass > 0.0 && body.idle_turns == 0 ? std::sqrt(0.5 * body.inertia.trace() / body.mass) : 0.0;
    sizes.push_back(std::max({placed.links[i].X.r.norm(), (body.centre - link.from_body.r).norm(), gyration}));
  }
  const double largest = sizes.empty() ? 0.0 : *std::max_element(sizes.begin(), sizes.end());
  double sum = 0.0;
  int count = 0;
  for (const double size : sizes)
    if (size > no_size * largest) sum += size, ++count;
  return count > 0 ? sum / count : 1.0;
}

[[noreturn]] void refuse_undetermined(const System& s, int velocity) {
  const Link& link = s.tree.links[s.tree.link_of_velocity[velocity]];
  const Connection& joint = s.machine.joints[link.joint];
  throw InputError({taut::problem_with(
      "joint", joint.name, joint.place,
      fmt::format("its {} is not determined: body {} and all that it carries have no inertia there and no loop holds "
                  "it; expected a mass or an inertia",
                  velocity_name(joint.joint, velocity - link.v), body_name(s.machine, link.body)))});
}

// What every velocity moves at the start, for measuring rounding; where that is little, what a typical body has.
std::vector<double> inverse_inertias(const Tree& tree, const TreeTerms& placed, const LeastInertia& typical) {
  std::vector<Inertia> composite(tree.links.size());
  for (std::size_t i = 0; i < tree.links.size(); ++i) composite[i] = tree.links[i].inertia;
  for (std::size_t i = tree.links.size(); i-- > 0;)
    if (const int parent = tree.links[i].parent; parent != ground)
      composite[parent] += inertia_back(placed.links[i].X, composite[i]);
  std::vector<double> inverse(tree.nv);
  for (int c = 0; c < tree.nv; ++c) {
    const Vec6& S = placed.S[c];
    const double usual = typical.turning * angular(S).squaredNorm() + typical.mass * linear(S).squaredNorm();
    const double own = S.dot(composite[tree.link_of_velocity[c]] * S);
    inverse[c] = 1.0 / (own > little * usual ? own : usual);
  }
  return inverse;
}

// Entries of H on and below the diagonal.
double mass_entries(const Tree& tree) {
  std::vector<int> above(tree.links.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    const int carried = link.parent == ground ? 0 : above[link.parent];
    above[i] = carried + link.nv;
    sum += link.nv * (carried + 0.5 * (link.nv + 1));
  }
  return sum;
}

// Rows that bind velocities without inertia get a weight.
std::vector<double> supporting_rows(const Loops& loops, const std::vector<char>& light, const LeastInertia& typical) {
  std::vector<double> weight(loops.rows, 0.0);
  for (const RowGroup& group : loops.groups) {
    bool needed = false;
    for (int i = group.first_value; i < group.first_value + group.values; ++i)
      needed = needed || light[loops.pattern[i].second];
    for (int r = group.first_row; needed && r < group.first_row + group.rows; ++r)
      weight[r] = loops.is_turn[r] ? typical.turning : typical.mass;
  }
  return weight;
}

Kkt make_kkt(const System& s, int unknowns, const std::vector<double>& weight) {
  Kkt::Pattern mass, jacobian;
  for (const auto& [i, j] : s.mass_pattern) mass.emplace_back(s.unknown_of[i], s.unknown_of[j]);
  for (const auto& [row, velocity] : s.loops.pattern) jacobian.emplace_back(row, s.unknown_of[velocity]);
  return {unknowns, s.loops.rows, mass, jacobian, weight};
}

// How to solve, and what that needs.
void choose_method(System& s, const std::vector<char>& light, const LeastInertia& typical, std::optional<Method> wish) {
  int unknowns = 0;
  s.unknown_of.assign(s.tree.nv, -1);
  for (int c = 0; c < s.tree.nv; ++c)
    if (!s.tree.imposed[c]) s.unknown_of[c] = unknowns++;
  const bool heavy = std::find(light.begin(), light.end(), 1) == light.end(), closed = s.loops.rows > 0;
  const Method without_matrix = closed ? Method::range : Method::articulated;
  s.method = without_matrix;
  if (wish ? *wish == Method::sparse || (closed && !heavy) : closed) {
    // Multiplications, about; a long chain's H is not even set up.
    const double links = static_cast<double>(s.tree.links.size()), rows = s.loops.rows, entries = mass_entries(s.tree);
    const double range = links * (300.0 + 80.0 * rows) + rows * rows * rows / 6.0,
                 sparse = 200.0 * links + 15.0 * entries;
    if (!wish && heavy && range < sparse) return;
    s.mass_pattern = mass_pattern(s.tree);
    s.kkt = make_kkt(s, unknowns, supporting_rows(s.loops, light, typical));
    s.method = Method::sparse;
    if (!wish && heavy && range < sparse + 2.0 * s.kkt.operations()) {
      s.method = without_matrix;
      s.mass_pattern.clear();
      s.kkt = {};
    }
  }
}

const RowGroup& group_of(const System& s, int row) {
  return *std::find_if(s.loops.groups.begin(), s.loops.groups.end(),
                       [row](const RowGroup& group) { return row < group.first_row + group.rows; });
}

// Motions that are imposed must fit the loops, and rows that depend on others must want the same.
void refuse_contradictions(const System& s, SystemTerms& t) {
  std::vector<double> rows(s.loops.rows), v_rate(s.tree.nv);
  const auto refuse = [&](int row, const char* what, double misfit) {
    throw InputError({problem_with(
        s.machine, group_of(s, row),
        fmt::format("contradicts the other loops and the imposed motions: their {} at the start cannot be met, {:.3g} "
                    "is left",
                    what, misfit))});
  };
  multiply(s.loops, t.loops, s.v.data(), rows.data());
  double speed = 0.0;
  for (const LinkTerms& link : t.tree.links) speed = std::max(speed, link.velocity.cwiseAbs().maxCoeff());
  for (int r = 0; r < s.loops.rows; ++r)
    if (!(std::abs(rows[r]) <= 1e-8 * (1.0 + speed))) refuse(r, "velocities", rows[r]);
  set_weight(s.tree, t.tree);
  accelerate(s, s.q.data(), s.v.data(), {}, t, v_rate.data());
  // accelerate() leaves k without what imposed joints do in it, so their part of K v̇ does not count.
  for (int c = 0; c < s.tree.nv; ++c)
    if (s.tree.imposed[c]) v_rate[c] = 0.0;
  multiply(s.loops, t.loops, v_rate.data(), rows.data());
  double size = speed * speed;
  for (const double a : v_rate) size = std::max(size, std::abs(a));
  for (int r = 0; r < s.loops.rows; ++r)
    if (!(std::abs(rows[r] - t.loops.k[r]) <= 1e-7 * (1.0 + size))) refuse(r, "accelerations", rows[r] - t.loops.k[r]);
}

// Velocities of the joints: as they are given, or so that bodies whose motion is given move like that, as far as their
// joints allow; other bodies are carried along.
void start_velocities(System& s, const TreeTerms& placed) {
  std::vector<Vec6> moving(s.tree.links.size());
  for (std::size_t i = 0; i < s.tree.links.size(); ++i) {
    const Link& link = s.tree.links[i];
    const RigidBody& body = s.machine.bodies[link.body];
    const Connection& joint = s.machine.joints[link.joint];
    const Vec6 carried = link.parent == ground
                             ? Vec6(Vec6::Zero())
                             : placed.links[i].X.motion(moving[static_cast<std::size_t>(link.parent)]);
    if (body.motion && !joint.velocity_given && !link.imposed && link.nv > 0) {
      // The motion in the link's frame, whose origin is off the body's.
      const Transform& world = placed.links[i].world;
      const Vec3 origin = world.point_back(link.from_body.point(Vec3::Zero()));
      const auto& [turn, velocity] = *body.motion;
      const Vec6 wanted = spatial(world.E * turn, world.E * (velocity + turn.cross(world.r - origin)));
      Eigen::Matrix<double, 6, Eigen::Dynamic> S(6, link.nv);
      for (int c = 0; c < link.nv; ++c) S.col(c) = placed.S[link.v + c];
      Eigen::VectorXd::Map(s.v.data() + link.v, link.nv) = PivotedQr(S).solve(wanted - carried);
    }
    moving[i] = carried;
    for (int c = 0; c < link.nv; ++c) moving[i] += s.v[link.v + c] * placed.S[link.v + c];
  }
}

// Velocities that are given stay; the others change as little as the loops allow.
void follow_given_velocities(System& s, const SystemTerms& t) {
  std::vector<int> place(s.tree.nv, -1);
  int others = 0;
  bool any = false;
  for (int c = 0; c < s.tree.nv; ++c) {
    const Connection& joint = s.machine.joints[s.tree.links[s.tree.link_of_velocity[c]].joint];
    any = any || joint.velocity_given;
    if (!joint.velocity_given && !s.tree.imposed[c]) place[c] = others++;
  }
  if (!any || s.loops.rows == 0) return;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(s.loops.rows, others);
  Eigen::VectorXd rows = Eigen::VectorXd::Zero(s.loops.rows);
  for (std::size_t i = 0; i < s.loops.pattern.size(); ++i) {
    const auto& [row, velocity] = s.loops.pattern[i];
    rows[row] -= t.loops.K[i] * s.v[velocity];
    if (place[velocity] >= 0) K(row, place[velocity]) += t.loops.K[i];
  }
  const Eigen::VectorXd change = least_squares(K, rows), left = rows - K * change;
  int worst = 0;
  if (left.cwiseAbs().maxCoeff(&worst) > 1e-8 * (1.0 + rows.cwiseAbs().maxCoeff()))
    throw InputError({problem_with(
        s.machine, group_of(s, worst),
        fmt::format("the velocities that joints are given do not fit each other: {:.3g} is left", left[worst]))});
  for (int c = 0; c < s.tree.nv; ++c)
    if (place[c] >= 0) s.v[c] += change[place[c]];
}

}  // namespace

std::string row_name(const System& s, int row) { return title(s.machine, group_of(s, row)); }

System::System(Machine given, std::optional<Method> wish) : machine(std::move(given)) {
  check(machine);
  topology = choose_tree(machine);
  tree = Tree(machine, topology);
  loops = Loops(machine, topology, tree);
  for (const Link& link : tree.links) has_motion = has_motion || link.imposed;

  // Positions, and the loop joints' own, from which later ones go on.
  q = assemble(machine, tree, loops);
  v.assign(tree.nv, 0.0);
  for (const Link& link : tree.links)
    std::copy_n(machine.joints[link.joint].velocity.begin(), link.nv, v.begin() + link.v);
  TreeTerms placed = make_terms(tree);
  place(tree, q.data(), v.data(), placed);
  length = typical_length(machine, tree, placed);
  LoopTerms closed = make_terms(loops);
  const std::vector<double> ones(tree.nv, 1.0);
  close(loops, tree, placed, ones.data(), closed);
  for (std::size_t i = 0; i < loops.joints.size(); ++i) loops.start[i] = closed.joints[i].q;
  start_velocities(*this, placed);

  // What moves nothing, and how to solve.
  const LeastInertia typical = typical_inertia(machine, length);
  least = nothing * typical;
  inverse_inertia = inverse_inertias(tree, placed, typical);
  ArticulatedTerms articulated = make_articulated(tree);
  articulate(tree, placed, little * typical, articulated);
  std::vector<char> light(tree.nv, 0);
  for (const int c : articulated.undetermined) light[c] = 1;
  choose_method(*this, light, typical, wish);

  // One evaluation: what is singular, redundant or contradictory.
  SystemTerms terms = make_terms(*this);
  drive(*this, 0.0, terms);
  impose(*this, terms, q.data(), v.data());
  place(*this, q.data(), v.data(), terms);
  factorise(*this, terms);
  if (terms.singular) {
    int found = method == Method::sparse ? 0 : terms.articulated.undetermined.back();
    if (method == Method::sparse)
      while (unknown_of[found] != terms.factor.singular) ++found;
    refuse_undetermined(*this, found);
  }
  redundant = terms.left_out;
  degrees_of_freedom = redundant - loops.rows;
  for (const int u : unknown_of) degrees_of_freedom += u >= 0;
  for (const RigidBody& body : machine.bodies) degrees_of_freedom -= body.idle_turns;
  follow_given_velocities(*this, terms);
  filter_velocities(*this, q.data(), v.data(), terms);
  place(*this, q.data(), v.data(), terms);
  refuse_contradictions(*this, terms);
}

}  // namespace taut::multibody
