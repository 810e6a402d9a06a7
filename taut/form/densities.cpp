#include "taut/form/densities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/tolerances.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

double share(const DensityProblem& problem, int member) { return problem.share.empty() ? 1.0 : problem.share[member]; }

// Densities of groups spread over their members.
Eigen::VectorXd spread(const DensityProblem& problem, const Eigen::VectorXd& of_group) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(static_cast<long>(problem.members.size()));
  for (std::size_t g = 0; g < problem.groups.size(); ++g)
    for (int m : problem.groups[g].members) q[m] = share(problem, m) * of_group[static_cast<long>(g)];
  return q;
}

bool any_given(const DensityProblem& problem) {
  return std::any_of(problem.groups.begin(), problem.groups.end(), [](const auto& g) { return g.given.has_value(); });
}

// Rows w_iᵀ S_g w_j, right sides -λ_i δ_ij, and the scale that stays; columns of given densities vanish.
void fill_equations(const DensityProblem& problem, const LowestEigenvectors& lowest, Eigen::MatrixXd& a,
                    Eigen::VectorXd& b) {
  const int d = problem.dimension, groups = static_cast<int>(problem.groups.size());
  a.setZero(d * (d + 1) / 2 + 1, groups);
  b.setZero(a.rows());
  int row = 0;
  for (int i = 0; i < d; ++i) {
    for (int j = i; j < d; ++j, ++row)
      for (int g = 0; g < groups; ++g)
        for (int m : problem.groups[g].members) {
          if (problem.groups[g].given) break;
          const auto [s, t] = problem.members[m];
          a(row, g) += share(problem, m) * (lowest.vectors(s, i) - lowest.vectors(t, i)) *
                       (lowest.vectors(s, j) - lowest.vectors(t, j));
        }
    b[row - (d - i)] = -lowest.values[i];
  }
  for (int g = 0; g < groups && !any_given(problem); ++g)
    for (int m : problem.groups[g].members)
      if (problem.groups[g].pulls) a(row, g) += share(problem, m);
  // Equations of like size.
  if (const double size = a.row(row).norm(); size > 0.0) a.row(row) /= size;
}

// Whether a group loses more than four fifths of its density by a step, its sign almost.
bool turns(const DensityGroup& group, double q, double step, bool keep_bars) {
  return (group.pulls || (keep_bars && q < 0.0)) && -step / q > 0.8;
}

// The part of a step after which every cable still carries a fifth of what it carried.
double longest_part(const DensityProblem& problem, const Eigen::VectorXd& q, const Eigen::VectorXd& step,
                    bool keep_bars) {
  double part = 1.0;
  for (std::size_t g = 0; g < problem.groups.size(); ++g)
    if (const long k = static_cast<long>(g); turns(problem.groups[g], q[k], step[k], keep_bars))
      part = std::min(part, 0.8 * q[k] / -step[k]);
  return part;
}

// The step of least norm; groups that would turn stay as they are, as long as the others can do without them.
Eigen::VectorXd least_step(const DensityProblem& problem, const Eigen::VectorXd& q, Eigen::MatrixXd a,
                           const Eigen::VectorXd& b, bool keep_bars) {
  LeastSquares solver(1e-9);
  Eigen::VectorXd step, narrower;
  while (true) {
    solver.compute(a);
    narrower = solver.solve(b);
    if (step.size() > 0 && (a * narrower - b).norm() > 1e-6 * b.norm()) return step;
    step = narrower;
    bool held = false;
    for (std::size_t g = 0; g < problem.groups.size(); ++g)
      if (const long k = static_cast<long>(g); turns(problem.groups[g], q[k], step[k], keep_bars)) {
        a.col(k).setZero();
        held = true;
      }
    if (!held) return step;
  }
}

}  // namespace

Eigen::VectorXd start_densities(const DensityProblem& problem, const Eigen::VectorXd& x) {
  const long groups = static_cast<long>(problem.groups.size());
  Eigen::VectorXd q(groups);
  for (long g = 0; g < groups; ++g) q[g] = problem.groups[g].given.value_or(problem.groups[g].pulls ? 1.0 : -1.0);
  if (groups > 300) return q;
  // Net forces of unit densities, group by group.
  Eigen::MatrixXd forces = Eigen::MatrixXd::Zero(x.size(), groups);
  for (long g = 0; g < groups; ++g)
    for (int m : problem.groups[g].members) {
      const auto [a, b] = problem.members[m];
      const Eigen::Vector3d along = share(problem, m) * (x.segment<3>(3 * b) - x.segment<3>(3 * a));
      forces.col(g).segment<3>(3 * a) += along;
      forces.col(g).segment<3>(3 * b) -= along;
    }
  const Eigen::MatrixXd gram = forces.transpose() * forces;
  const double faint = 1e-3 * gram.diagonal().mean();
  const Eigen::VectorXd wanted = q;
  // Least squares with signs kept, one density after the other.
  for (int pass = 0; pass < 300; ++pass)
    for (long g = 0; g < groups; ++g) {
      if (problem.groups[g].given) continue;
      const double slope = gram.row(g).dot(q) + faint * (q[g] - wanted[g]);
      const double next = q[g] - slope / (gram(g, g) + faint);
      q[g] = wanted[g] > 0.0 ? std::max(next, 0.05) : std::min(next, -0.05);
    }
  return q;
}

namespace {

constexpr int most_nodes_by_shape = 400;  // all eigenvectors, densely

// The d eigenvectors that have most of the shape in them, before the others, which follow by their values.
LowestEigenvectors nearest_to_shape(const DensityProblem& problem, const Eigen::VectorXd& q, const Eigen::VectorXd& x) {
  LowestEigenvectors all =
      lowest_eigenvectors(problem.nodes, problem.members, q, problem.nodes - 1, {}, EigenMethod::dense);
  const Eigen::Map<const Eigen::Matrix3Xd> at(x.data(), 3, x.size() / 3);
  const Eigen::VectorXd part = (at * all.vectors).colwise().norm();
  std::vector<long> order(all.values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<long>(i);
  const long d = std::min<long>(problem.dimension, all.values.size());
  std::partial_sort(order.begin(), order.begin() + d, order.end(), [&](long i, long j) { return part[i] > part[j]; });
  std::sort(order.begin() + d, order.end());
  LowestEigenvectors chosen = all;
  for (std::size_t i = 0; i < order.size(); ++i) {
    chosen.values[static_cast<long>(i)] = all.values[order[i]];
    chosen.vectors.col(static_cast<long>(i)) = all.vectors.col(order[i]);
  }
  return chosen;
}

// x empty: the lowest eigenvectors of D are to be null vectors; else those that are nearest to this shape.
SolvedDensities solve(const DensityProblem& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& x,
                      int iterations, bool keep_bars) {
  SolvedDensities result;
  const int d = problem.dimension;
  Eigen::VectorXd q = start, best = q;
  Eigen::MatrixXd a, guess;
  Eigen::VectorXd b;
  double nearest = INFINITY;
  int idle = 0;
  for (; result.iterations < iterations && idle < 40; ++result.iterations) {
    result.q = spread(problem, q);
    result.lowest = x.size() > 0 ? nearest_to_shape(problem, result.q, x)
                                 : lowest_eigenvectors(problem.nodes, problem.members, result.q, d + 1, guess);
    guess = result.lowest.vectors;
    const double off = result.lowest.values.head(d).cwiseAbs().maxCoeff() / result.lowest.size;
    if (!(off < 0.9 * nearest)) ++idle;
    if (off < nearest) nearest = off, best = q, idle = off < 0.5 * nearest ? 0 : idle;
    if (nearest < 1e-14 && idle > 0) break;
    fill_equations(problem, result.lowest, a, b);
    const Eigen::VectorXd step = least_step(problem, q, a, b, keep_bars);
    if (!step.allFinite()) break;
    const double part = longest_part(problem, q, step, keep_bars);
    q += part * step;
    if (part * step.norm() <= 1e-16 * q.norm()) break;
  }
  result.q = spread(problem, best);
  result.lowest = x.size() > 0 ? nearest_to_shape(problem, result.q, x)
                               : lowest_eigenvectors(problem.nodes, problem.members, result.q, d + 1, guess);
  const double off = result.lowest.values.head(d).cwiseAbs().maxCoeff() / result.lowest.size;
  result.found = off < no_density_stiffness;
  if (!result.found)
    result.reason = fmt::format(
        "no force densities were found that let these {} of members balance: at the nearest, the stress matrix has the "
        "eigenvalues {} besides the 0 of a common shift, over its size, and needs {} zeros; {}",
        problem.groups.size() == 1 ? "groups" : fmt::format("{} groups", problem.groups.size()),
        [&] {
          std::string text;
          for (int i = 0; i < d; ++i)
            text += fmt::format("{}{:.2g}", i == 0 ? "" : ", ", result.lowest.values[i] / result.lowest.size);
          return text;
        }(),
        d,
        std::all_of(problem.groups.begin(), problem.groups.end(), [](const DensityGroup& g) { return g.given; })
            ? "give fewer densities, or other ones"
            : "other groups (--group, --groups none), or another shape of the net");
  return result;
}

}  // namespace

SolvedDensities solve_densities(const DensityProblem& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& x,
                                int iterations) {
  const auto pushes = [&](const SolvedDensities& solved) {
    return std::none_of(problem.groups.begin(), problem.groups.end(), [&](const DensityGroup& g) {
      return !g.pulls && !g.given && solved.q[g.members.front()] > 0.0;
    });
  };
  // The lowest eigenvalue that is not of the shape, over the size; not where one of the shape is negative.
  const auto firm = [&](const SolvedDensities& solved) {
    const Eigen::VectorXd values = solved.lowest.values / solved.lowest.size;
    if (!solved.found || !(values[0] > -no_density_stiffness)) return 0.0;
    return values.size() > problem.dimension ? values[problem.dimension] : 1.0;
  };
  const Eigen::VectorXd none;
  SolvedDensities free = solve(problem, start, none, iterations, false);
  if (free.found && (pushes(free) || iterations <= 1)) return free;
  // Bars that pull: another answer is better only if it is about as firm.
  if (iterations > 1) {
    SolvedDensities pushing = solve(problem, start, none, iterations, true);
    const bool better = pushing.found && (!free.found || (pushes(pushing) && firm(pushing) > 0.1 * firm(free)));
    if (better) return pushing;
  }
  if (free.found || problem.nodes > most_nodes_by_shape) return free;
  // A shape that is in balance without being the least of its energy.
  const SolvedDensities balanced = solve(problem, start, x, iterations, true);
  return balanced.found ? balanced : free;
}

}  // namespace taut
