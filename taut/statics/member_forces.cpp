#include "taut/statics/member_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/base/error.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

using Eigen::VectorXd;

ForceProblem problem_of(const Statics& s, const StaticsOptions& options) {
  ForceProblem problem;
  const long members = static_cast<long>(s.rows.members.size());
  problem.rows = &s.rows;
  problem.self_stress = &s.spaces.self_stress;
  problem.balance = VectorXd::Zero(static_cast<long>(s.rows.rows.size()));
  problem.choice = options.choice;
  problem.least = VectorXd::Constant(members, -INFINITY);
  problem.most = VectorXd::Constant(members, INFINITY);
  return problem;
}

void scale_to_density(Statics& s) {
  double cables = 0.0, all = 0.0;
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i) {
    const double q = std::abs(force_density(s, i, s.self_stress));
    all = std::max(all, q);
    if (s.rows.members[i].cable >= 0) cables = std::max(cables, q);
  }
  const double largest = cables > no_force * all ? cables : all;
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
  if (pull.isZero(0.0) || rest.out_of_reach(pull).norm() > not_carried * pull.norm()) return;
  s.self_stress = rest.solve(pull);
  s.sign_feasible = true;
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i) {
    if (s.rows.members[i].cable >= 0) s.self_stress[i] = s.rows.members[i].pretension;
    if (s.rows.members[i].pulls_only && !(s.self_stress[i] > 0.0)) s.sign_feasible = false, s.pushing.push_back(i);
  }
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
  s.forces = s.spaces.self_stress * least_squares(square, right);
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
    if (problem.least[i] > no_force * asked) s.unheld.push_back(i);
  s.offending.insert(s.offending.end(), s.unheld.begin(), s.unheld.end());
  std::sort(s.offending.begin(), s.offending.end());
  if (s.unheld.empty()) return;
  s.forces_feasible = false;
  if (s.conflict.empty()) s.conflict = {s.unheld.front()};
}

// What the forces are sought by.
struct Search {
  Statics& s;
  const StaticsOptions& options;
  bool loaded;
  ForceProblem problem;
  double asked;  // N: the largest tension that a cable is to have
};

Search search_of(Statics& s, const StaticsOptions& options) {
  Search search{s, options, s.load_state == LoadState::balanced, problem_of(s, options), 0.0};
  if (search.loaded) search.problem.balance = s.spaces.equilibrium->solve(on_unknowns(s.rows, s.external));
  set_bounds(s, options, true, search.problem);
  // Cables that no self-stress reaches, and no load, ask for nothing.
  for (int i : s.idle)
    if (!search.loaded) search.problem.least[i] = 0.0;
  for (const StaticMember& member : s.rows.members)
    if (member.pulls_only) search.asked = std::max(search.asked, member.pretension);
  search.asked = options.min_tension.value_or(search.asked);
  return search;
}

// The cases, each of which says whether it applies, and if so, sets the forces.

bool bars_alone(Search& search) {
  const auto pulls = [](const StaticMember& member) { return member.pulls_only; };
  if (search.loaded || std::any_of(search.s.rows.members.begin(), search.s.rows.members.end(), pulls)) return false;
  fit_elastic_bars(search.s);
  return true;
}

// Too many states to choose from: the tensions of the start, if they are a self-stress.
bool as_at_the_start(Search& search) {
  Statics& s = search.s;
  if (s.spaces.states_listed || search.loaded || !s.sign_feasible) return false;
  for (std::size_t i = 0; i < s.rows.members.size(); ++i)
    if (s.rows.members[i].cable >= 0 && s.self_stress[static_cast<long>(i)] != 0.0) {
      s.forces = s.self_stress * (s.rows.members[i].pretension / s.self_stress[static_cast<long>(i)]);
      s.forces_feasible = true;
      return true;
    }
  return false;
}

// Without load and pretension the size of the self-stress is free, within its bounds.
bool of_any_size(Search& search) {
  Statics& s = search.s;
  if (search.loaded || (search.asked > 0.0 && s.sign_feasible)) return false;
  s.forces = s.self_stress;
  s.forces_feasible = s.sign_feasible || s.spaces.states == 0;
  s.offending = s.pushing;
  if (s.sign_feasible) fit_size(search.problem, s);
  std::vector<int> cables;
  for (int i = 0; s.spaces.states == 0 && i < static_cast<int>(s.rows.members.size()); ++i)
    if (s.rows.members[i].pulls_only) cables.push_back(i);
  name_unheld(cables, search.problem, search.asked, s);
  return true;
}

// The choice of the options within bounds; where the loads ask for it, below the pretension.
void within_bounds(Search& search) {
  Statics& s = search.s;
  ForceAnswer answer = choose_forces(search.problem);
  if (!answer.feasible && search.loaded && !search.options.min_tension) {
    set_bounds(s, search.options, false, search.problem);
    answer = choose_forces(search.problem);
    for (int i = 0; answer.feasible && i < static_cast<int>(s.rows.members.size()); ++i)
      if (s.rows.members[i].pulls_only && answer.forces[i] < s.rows.members[i].pretension * (1.0 - no_force))
        s.below_pretension.push_back(i);
  }
  s.forces = answer.forces;
  s.forces_feasible = answer.feasible;
  s.offending = answer.offending;
  s.conflict = answer.conflict;
  set_bounds(s, search.options, true, search.problem);
  if (!search.loaded && s.forces_feasible) name_unheld(s.idle, search.problem, search.asked, s);
}

// Forces that are only rounding become 0.
void clear_rounding(Statics& s) {
  const long members = static_cast<long>(s.rows.members.size());
  const double largest = members > 0 ? s.forces.head(members).cwiseAbs().maxCoeff() : 0.0;
  for (long i = 0; i < members; ++i)
    if (std::abs(s.forces[i]) < cleared_force * largest) s.forces[i] = 0.0;
}

void require_moderate(const Statics& s) {
  constexpr double most = 1e100;
  if (s.forces.size() == 0 || s.forces.cwiseAbs().maxCoeff() < most) return;
  throw InputError(fmt::format(
      "the members would carry more than {:g} N, too much to compute with: expected smaller tensions and loads", most));
}

}  // namespace

ForceProblem unit_problem(const Statics& s, const StaticsOptions& options) {
  ForceProblem problem = problem_of(s, options);
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
    if (s.rows.members[i].pulls_only)
      problem.least[i] = std::binary_search(s.idle.begin(), s.idle.end(), i) ? 0.0 : 1.0;
  return problem;
}

void find_self_stress(const StaticsOptions& options, Statics& s) {
  s.self_stress = VectorXd::Zero(static_cast<long>(s.rows.rows.size()));
  if (!s.spaces.states_listed) {
    take_start_tensions(s, options.tolerance);
    scale_to_density(s);
  }
  if (s.spaces.self_stress.cols() == 0) return;
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
    if (s.rows.members[i].pulls_only && !(s.spaces.self_stress.row(i).norm() > no_force)) s.idle.push_back(i);
  const ForceProblem problem = unit_problem(s, options);
  ForceAnswer answer = choose_forces(problem);
  s.sign_feasible = answer.feasible;
  s.self_stress = answer.forces;
  // Bars alone have nothing to begin with: any state will do.
  if (s.self_stress.isZero(0.0)) s.self_stress = s.spaces.self_stress.col(0);
  const double largest = s.self_stress.head(static_cast<long>(s.rows.members.size())).cwiseAbs().maxCoeff();
  if (!s.sign_feasible)
    for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
      if (s.rows.members[i].pulls_only && s.self_stress[i] < -no_force * largest) s.pushing.push_back(i);
  if (!s.sign_feasible && s.pushing.empty()) s.pushing = answer.conflict;
  scale_to_density(s);
}

void find_forces(const StaticsOptions& options, Statics& s) {
  Search search = search_of(s, options);
  if (!bars_alone(search) && !as_at_the_start(search) && !of_any_size(search)) within_bounds(search);
  require_moderate(s);
  clear_rounding(s);
}

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

}  // namespace taut
