#include "taut/analysis/statics.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taut/analysis/statics_loads.h"
#include "taut/base/error.h"

namespace taut {

namespace {

using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

ForceProblem problem_of(const Statics& s, const StaticsOptions& options) {
  ForceProblem problem;
  const long members = static_cast<long>(s.rows.members.size());
  problem.rows = &s.rows;
  problem.self_stress = &s.spaces.self_stress;
  problem.balance = VectorXd::Zero(static_cast<long>(s.rows.rows.size()));
  problem.choice = options.choice;
  problem.least = VectorXd::Constant(members, -infinity);
  problem.most = VectorXd::Constant(members, infinity);
  return problem;
}

// Cables at 1 N or more, whatever else: the sense of a self-stress, its size is free. Cables out of its reach at 0.
ForceProblem unit_problem(const Statics& s, const StaticsOptions& options) {
  ForceProblem problem = problem_of(s, options);
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
    if (s.rows.members[i].pulls_only)
      problem.least[i] = std::binary_search(s.idle.begin(), s.idle.end(), i) ? 0.0 : 1.0;
  return problem;
}

void scale_to_density(Statics& s) {
  double cables = 0.0, all = 0.0;
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i) {
    const double q = std::abs(force_density(s, i, s.self_stress));
    all = std::max(all, q);
    if (s.rows.members[i].cable >= 0) cables = std::max(cables, q);
  }
  const double largest = cables > 1e-9 * all ? cables : all;
  if (largest > 0.0) s.self_stress /= largest;
}

// Of very many states, the one that the tensions at the start are, if they are one: all else follows from them.
void take_start_tensions(Statics& s, double tolerance) {
  std::vector<SparseEntry> others;
  VectorXd pull = VectorXd::Zero(s.rows.unknowns());
  for (const SparseEntry& e : free_gradients(s.rows, s.rows.start)) {
    const bool cable = e.row < static_cast<int>(s.rows.members.size()) && s.rows.members[e.row].cable >= 0;
    if (cable)
      pull[e.column] -= e.value * s.rows.members[e.row].pretension;
    else
      others.push_back({e.column, e.row, e.value});
  }
  const SparseQr rest(s.rows.unknowns(), static_cast<int>(s.rows.rows.size()), others, tolerance);
  if (pull.isZero(0.0) || rest.out_of_reach(pull).norm() > 1e-6 * pull.norm()) return;
  s.self_stress = rest.solve(pull);
  s.sign_feasible = true;
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i) {
    if (s.rows.members[i].cable >= 0) s.self_stress[i] = s.rows.members[i].pretension;
    if (s.rows.members[i].pulls_only && !(s.self_stress[i] > 0.0)) s.sign_feasible = false, s.pushing.push_back(i);
  }
}

void find_self_stress(Statics& s, const StaticsOptions& options) {
  s.self_stress = VectorXd::Zero(static_cast<long>(s.rows.rows.size()));
  if (!s.spaces.states_listed) {
    take_start_tensions(s, options.tolerance);
    scale_to_density(s);
  }
  if (s.spaces.self_stress.cols() == 0) return;
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
    if (s.rows.members[i].pulls_only && !(s.spaces.self_stress.row(i).norm() > 1e-9)) s.idle.push_back(i);
  const ForceProblem problem = unit_problem(s, options);
  ForceAnswer answer = choose_forces(problem);
  s.sign_feasible = answer.feasible;
  s.self_stress = answer.forces;
  // Bars alone have nothing to begin with: any state will do.
  if (s.self_stress.isZero(0.0)) s.self_stress = s.spaces.self_stress.col(0);
  const double largest = s.self_stress.head(static_cast<long>(s.rows.members.size())).cwiseAbs().maxCoeff();
  if (!s.sign_feasible)
    for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
      if (s.rows.members[i].pulls_only && s.self_stress[i] < -1e-9 * largest) s.pushing.push_back(i);
  if (!s.sign_feasible && s.pushing.empty()) s.pushing = answer.conflict;
  scale_to_density(s);
}

// Whether cables that no self-stress reaches are all that holds something: they are slack.
bool leaves_loose(const Model& model, const Statics& s, const StaticsOptions& options) {
  const TangentParts tangent = tangent_parts(model, s.rows, 1e-3 * s.stabilising);
  const StaticStiffness stiffness(s.rows, s.spaces.rigid, tangent, options.tolerance);
  const auto softest = stiffness.softest();
  return softest && softest->eigenvalue <= 1e-10 * stiffness.scale();
}

void judge(const Model& model, Statics& s, const StaticsOptions& options) {
  s.stress_eigenvalues = s.self_stress.isZero(0.0) ? VectorXd() : stress_eigenvalues(model, s.rows, s.self_stress);
  s.stabilising = s.self_stress;
  if (s.spaces.states == 0 || !s.sign_feasible) {
    s.self_stress_stability = "no self-stress";
  } else {
    const Stabilised stabilised = stabilise(s.rows, s.spaces, unit_problem(s, options), s.self_stress);
    s.by_other_forces = stabilised.found && stabilised.forces != s.self_stress;
    s.stabilising = stabilised.forces;
    s.loose = stabilised.found && !s.idle.empty() && leaves_loose(model, s, options);
    s.self_stress_stability = !stabilised.found || s.loose                                       ? "unstable"
                              : is_super_stable(model, s.rows, s.spaces, s.parts, s.stabilising) ? "super-stable"
                                                                                                 : "prestress-stable";
  }
  s.mechanisms = find_mechanisms(s.rows, s.spaces, s.stabilising);
  for (const Mechanism& m : s.mechanisms) {
    s.finite += m.kind == MechanismKind::finite;
    s.infinitesimal += m.kind == MechanismKind::infinitesimal;
    s.undecided += m.kind == MechanismKind::undecided;
  }
  if (!s.spaces.mechanisms_listed) (s.spaces.states == 0 ? s.finite : s.undecided) = s.spaces.mechanisms;
}

// Bounds of the options, cables at their pretension or, if that is too much to ask, in tension.
void set_bounds(const Statics& s, const StaticsOptions& options, bool at_pretension, ForceProblem& problem) {
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i) {
    const StaticMember& member = s.rows.members[i];
    if (options.max_tension) problem.most[i] = *options.max_tension;
    if (options.max_compression) problem.least[i] = -*options.max_compression;
    if (!member.pulls_only) continue;
    const double own = at_pretension ? std::max(0.0, member.pretension) : 0.0;
    problem.least[i] = options.min_tension.value_or(own);
  }
}

bool any_cable(const Statics& s) {
  return std::any_of(s.rows.members.begin(), s.rows.members.end(), [](const StaticMember& m) { return m.pulls_only; });
}

// Without cables nothing asks for a self-stress but elastic bars that are too long or too short: the one nearest to
// their forces.
void fit_elastic_bars(Statics& s) {
  s.forces = VectorXd::Zero(static_cast<long>(s.rows.rows.size()));
  s.forces_feasible = true;
  const long states = s.spaces.self_stress.cols(), members = static_cast<long>(s.rows.members.size());
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(states, states);
  VectorXd right = VectorXd::Zero(states);
  for (long i = 0; i < members; ++i) {
    if (s.rows.members[i].rigid) continue;
    const VectorXd row = s.spaces.self_stress.row(i);
    square += row * row.transpose();
    right += s.rows.members[i].pretension * row;
  }
  if (right.isZero(0.0)) return;
  s.forces = s.spaces.self_stress * square.completeOrthogonalDecomposition().solve(right);
}

// A self-stress of any size is made as small as the bounds of its members ask for. Cables pull, but for rounding.
void fit_size(const ForceProblem& problem, Statics& s) {
  double part = 1.0;
  for (long i = 0; i < problem.most.size(); ++i) {
    if (s.rows.members[i].pulls_only && s.forces[i] <= 0.0) continue;
    const double bound = s.forces[i] > 0.0 ? problem.most[i] : -problem.least[i];
    if (bound >= 0.0 && bound < part * std::abs(s.forces[i])) part = bound / std::abs(s.forces[i]);
  }
  s.forces *= part;
}

// Of an unloaded structure: these cables carry nothing, whatever is asked of them.
void name_unheld(const std::vector<int>& without, const ForceProblem& problem, double asked, Statics& s) {
  for (int i : without)
    if (problem.least[i] > 1e-9 * asked) s.unheld.push_back(i);
  s.offending.insert(s.offending.end(), s.unheld.begin(), s.unheld.end());
  std::sort(s.offending.begin(), s.offending.end());
  if (s.unheld.empty()) return;
  s.forces_feasible = false;
  if (s.conflict.empty()) s.conflict = {s.unheld.front()};
}

void find_forces(Statics& s, const StaticsOptions& options) {
  ForceProblem problem = problem_of(s, options);
  const bool loaded = s.load_state == LoadState::balanced;
  if (loaded) problem.balance = s.spaces.equilibrium->solve(on_unknowns(s.rows, s.external));
  set_bounds(s, options, true, problem);
  // Cables that no self-stress reaches, and no load, have nothing to say.
  for (int i : s.idle)
    if (!loaded) problem.least[i] = 0.0;
  double asked = 0.0;
  for (const StaticMember& member : s.rows.members)
    if (member.pulls_only) asked = std::max(asked, member.pretension);
  asked = options.min_tension.value_or(asked);
  if (!loaded && !any_cable(s)) {
    fit_elastic_bars(s);
    return;
  }
  // Too many states to choose from: as at the start.
  if (!s.spaces.states_listed && !loaded && s.sign_feasible) {
    for (std::size_t i = 0; i < s.rows.members.size(); ++i)
      if (s.rows.members[i].cable >= 0 && s.self_stress[static_cast<long>(i)] != 0.0) {
        s.forces = s.self_stress * (s.rows.members[i].pretension / s.self_stress[static_cast<long>(i)]);
        s.forces_feasible = true;
        return;
      }
  }
  // Without load and pretension, the size of the self-stress is anyone's choice, within its bounds.
  if (!loaded && !(asked > 0.0 && s.sign_feasible)) {
    s.forces = s.self_stress;
    s.forces_feasible = s.sign_feasible || s.spaces.states == 0;
    s.offending = s.pushing;
    if (s.sign_feasible) fit_size(problem, s);
    std::vector<int> cables;
    for (int i = 0; s.spaces.states == 0 && i < static_cast<int>(s.rows.members.size()); ++i)
      if (s.rows.members[i].pulls_only) cables.push_back(i);
    name_unheld(cables, problem, asked, s);
    return;
  }
  ForceAnswer answer = choose_forces(problem);
  if (!answer.feasible && loaded && !options.min_tension) {
    set_bounds(s, options, false, problem);
    ForceAnswer weaker = choose_forces(problem);
    if (weaker.feasible)
      for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
        if (s.rows.members[i].pulls_only && weaker.forces[i] < s.rows.members[i].pretension * (1.0 - 1e-9))
          s.below_pretension.push_back(i);
    answer = std::move(weaker);
  }
  s.forces = answer.forces;
  s.forces_feasible = answer.feasible;
  s.offending = answer.offending;
  s.conflict = answer.conflict;
  set_bounds(s, options, true, problem);
  if (!loaded && s.forces_feasible) name_unheld(s.idle, problem, asked, s);
}

// Forces that rounding leaves are none.
void clear_rounding(Statics& s) {
  const long members = static_cast<long>(s.rows.members.size());
  const double largest = members > 0 ? s.forces.head(members).cwiseAbs().maxCoeff() : 0.0;
  for (long i = 0; i < members; ++i)
    if (std::abs(s.forces[i]) < 1e-14 * largest) s.forces[i] = 0.0;
}

// Squares of forces must be numbers, too.
void require_moderate(const Statics& s) {
  constexpr double most = 1e100;
  if (s.forces.size() == 0 || s.forces.cwiseAbs().maxCoeff() < most) return;
  throw InputError(fmt::format(
      "the members would carry more than {:g} N, which cannot be computed with: expected smaller tensions and loads",
      most));
}

void find_stiffness(const Model& model, const StaticsOptions& options, Statics& s) {
  s.compliances.clear();
  s.tangent = tangent_parts(model, s.rows, s.forces);
  const WholeMotions neutral = neutral_motions(s.rows, s.spaces.rigid, s.forces);
  const StaticStiffness stiffness(s.rows, neutral, s.tangent, options.tolerance);
  s.stiffness_scale = stiffness.scale();
  s.softest = stiffness.softest();
  const bool firm = is_stiff(s);
  for (int node : options.compliance_nodes) {
    Compliance c{node, firm, Mat3::Zero()};
    for (int axis = 0; axis < 3 && c.bounded && s.softest; ++axis) {
      const int k = s.rows.unknown_of[3 * node + axis];
      if (k < 0) continue;
      const auto moved = stiffness.displacement(VectorXd::Unit(s.rows.unknowns(), k));
      c.bounded = moved.has_value();
      for (int other = 0; other < 3 && moved; ++other)
        if (const int i = s.rows.unknown_of[3 * node + other]; i >= 0) c.matrix(other, axis) = (*moved)[i];
    }
    s.compliances.push_back(c);
  }
}

// Without loads, which self-stress its members carry is for us to say: where the smallest does not hold the shape and
// another does, that one, as large as the bounds of its members ask for. False: it cannot be within them.
bool take_stabilising(const StaticsOptions& options, Statics& s) {
  ForceProblem problem = problem_of(s, options);
  set_bounds(s, options, true, problem);
  double factor = 0.0;
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i) {
    if (!s.rows.members[i].pulls_only || std::binary_search(s.idle.begin(), s.idle.end(), i)) continue;
    if (!(s.stabilising[i] > 0.0)) return false;
    factor = std::max(factor, problem.least[i] / s.stabilising[i]);
  }
  const VectorXd before = std::exchange(s.forces, factor > 0.0 ? VectorXd(factor * s.stabilising) : s.stabilising);
  if (!(factor > 0.0)) fit_size(problem, s);
  for (long i = 0; i < problem.most.size(); ++i)
    if (s.forces[i] > problem.most[i] || (s.forces[i] < problem.least[i] && !s.rows.members[i].pulls_only)) {
      s.forces = before;
      return false;
    }
  return true;
}

// The part of the forces, unloaded, up to which nothing gives way: K_material + σ K_geometric for σ below 1.
std::optional<double> bearable_part(const Model& model, const Statics& s) {
  constexpr int most_unknowns = 3000;
  if (s.rows.unknowns() > most_unknowns) return std::nullopt;
  const auto bears = [&](double part) {
    const TangentParts tangent = tangent_parts(model, s.rows, part * s.forces);
    const WholeMotions neutral = neutral_motions(s.rows, s.spaces.rigid, part * s.forces);
    return StaticStiffness(s.rows, neutral, tangent).positive();
  };
  double low = 1e-3, high = 1.0;
  if (!bears(low)) return std::nullopt;
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    (bears(middle) ? low : high) = middle;
  }
  return low;
}

void conclude(const Model& model, Statics& s) {
  s.stability = s.self_stress_stability;
  const bool any = s.stability != "no self-stress", stable = any && s.stability != "unstable", possible = all_pull(s);
  if (possible && gives_way(s)) {
    s.stability = "unstable";
    s.stability_of = VerdictForces::at_hand;
    if (stable && s.load_state != LoadState::balanced) s.stable_up_to = bearable_part(model, s);
  } else if (!any) {
    return;
  } else if (possible && is_stiff(s) && (stable || s.load_state == LoadState::balanced)) {
    if (!stable) s.stability = "prestress-stable";
    s.stability_of = VerdictForces::at_hand;
  } else {
    s.stability_of = stable && s.by_other_forces ? VerdictForces::stabilising : VerdictForces::self_stress;
  }
}

}  // namespace

bool is_stiff(const Statics& s) { return !s.softest || s.softest->eigenvalue > 1e-10 * s.stiffness_scale; }

bool gives_way(const Statics& s) { return s.softest && s.softest->eigenvalue < -1e-10 * s.stiffness_scale; }

bool all_pull(const Statics& s) {
  const long members = static_cast<long>(s.rows.members.size());
  const double largest = members > 0 ? s.forces.head(members).cwiseAbs().maxCoeff() : 0.0;
  for (long i = 0; i < members; ++i)
    if (s.rows.members[i].pulls_only && s.forces[i] < -1e-9 * largest) return false;
  return true;
}

double force_density(const Statics& statics, int member, const VectorXd& forces) {
  const double length = statics.rows.members[member].length;
  return length > 0.0 ? forces[member] / length : 0.0;
}

Statics analyse_statics(const Model& model, const StaticsOptions& options) {
  Statics s;
  s.rows = static_rows(model);
  s.parts = find_parts(model);
  s.spaces = static_spaces(model, s.rows, s.parts, options.tolerance);
  find_self_stress(s, options);
  judge(model, s, options);
  gather_loads(model, s);
  find_forces(s, options);
  require_moderate(s);
  clear_rounding(s);
  s.reactions = support_reactions(s);
  find_stiffness(model, options, s);
  const bool other = s.by_other_forces || (s.forces.isZero(0.0) && s.sign_feasible && !s.stabilising.isZero(0.0));
  if (s.load_state != LoadState::balanced && other && !is_stiff(s) && take_stabilising(options, s)) {
    s.reactions = support_reactions(s);
    find_stiffness(model, options, s);
  }
  conclude(model, s);
  if (s.load_state == LoadState::balanced && s.forces_feasible) s.buckling = loaded_buckling(model, s);
  return s;
}

}  // namespace taut
