#include "taut/solve/nlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/text/enum_name.h"
#include "taut/solve/nlp_search.h"

namespace taut {

using Eigen::VectorXd;

std::string_view name(NlpStatus status) {
  return enum_name<NlpStatus::invalid>(
      status, {"optimal", "infeasible", "unbounded", "iteration limit", "inaccurate", "invalid"});
}

namespace {

constexpr double most_multiplier = 1e10;  // beyond, the constraints are asked whether they can be met at all

double largest(const VectorXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0; }

// The longest part of a step, at most 1, that keeps v above (1 - τ) of itself.
double within(const VectorXd& v, const VectorXd& step, double tau) {
  double part = 1.0;
  for (long i = 0; i < v.size(); ++i)
    if (step[i] < 0.0) part = std::min(part, -tau * v[i] / step[i]);
  return part;
}

struct Residuals {
  double stationarity, violation, complementarity;  // the last: largest |s z - μ|
};

Residuals residuals(const NlpPoint& at, double mu) {
  const double count = static_cast<double>(std::max<long>(1, at.y.size() + at.z.size()));
  const double mean = (at.y.lpNorm<1>() + at.z.lpNorm<1>()) / count;
  return {largest(at.gradient - at.Jg.transpose() * at.y - at.Jh.transpose() * at.z) / std::max(1.0, mean),
          std::max(largest(at.g), largest(at.h - at.s)), largest((at.s.cwiseProduct(at.z).array() - mu).matrix())};
}

double barrier(const NlpPoint& at, double mu) {
  double sum = at.f;
  for (const double s : at.s) sum -= mu * std::log(s);
  return sum;
}

// The penalty function's line search; false: no step is left.
class LineSearch {
 public:
  LineSearch(NlpSearch& search, double mu, double tolerance) : search_(search), mu_(mu), tolerance_(tolerance) {}

  bool move(NlpPoint& at, NlpStep& step, double tau, double& penalty) {
    const double violation = at.violation();
    const double fall = at.gradient.dot(step.x) - mu_ * step.s.cwiseQuotient(at.s).sum();
    if (violation > 0.01 * tolerance_) {  // what is less is rounding
      const double least = (fall + 0.5 * std::max(0.0, step.curvature)) / (0.9 * violation);
      if (penalty < least) penalty = 2.0 * least;
    }
    const double now = barrier(at, mu_) + penalty * violation, slope = fall - penalty * violation;
    const double rounding = 1e-14 * (1.0 + std::abs(now) + penalty);
    double part = within(at.s, step.s, tau);
    NlpPoint next = at;
    for (int halvings = 0; halvings < 45; ++halvings, part *= 0.5) {
      next.x = at.x + part * step.x;
      next.s = at.s + part * step.s;
      if (next.x == at.x && next.s == at.s) break;
      const bool finite = search_.values(next);
      if (finite && good(next, now + 1e-4 * part * slope + rounding, penalty)) return take(at, next, step, part, tau);
      // Once, a step that bends with the constraints.
      if (finite && halvings == 0 && next.violation() >= violation) {
        NlpStep bent = step;
        search_.correct(at, mu_, next.g + part * at.g, next.h - next.s + part * (at.h - at.s), bent);
        const double bent_part = within(at.s, bent.s, tau);
        NlpPoint other = at;
        other.x = at.x + bent_part * bent.x;
        other.s = at.s + bent_part * bent.s;
        if (other.x.allFinite() && other.s.allFinite() && search_.values(other) &&
            good(other, now + 1e-4 * bent_part * slope + rounding, penalty))
          return take(at, other, bent, bent_part, tau);
      }
    }
    return near_the_end(at, step, tau);
  }

 private:
  // Where all that is left is below the rounding of the penalty function, or only multipliers move: a step that lessens
  // what is above the tolerances.
  bool near_the_end(NlpPoint& at, const NlpStep& step, double tau) {
    const double part = within(at.s, step.s, tau);
    NlpPoint next = at;
    next.x += part * step.x;
    next.s += part * step.s;
    const Residuals r = residuals(at, mu_);
    const bool still = next.x == at.x && next.s == at.s;
    if ((!still && std::max(r.stationarity, r.violation) > 1e-6) || !search_.values(next)) return false;
    if (!complete(at, next, step, part, tau) || !(excess(next) <= 0.9 * excess(at))) return false;
    at = std::move(next);
    return true;
  }
  double excess(const NlpPoint& at) const {
    const Residuals r = residuals(at, mu_);
    return std::max(
        {1.0, r.stationarity / tolerance_, r.violation / tolerance_, r.complementarity / std::pow(tolerance_, 1.5)});
  }

  bool good(const NlpPoint& next, double most, double penalty) const {
    return next.s.size() == 0 || next.s.minCoeff() > 0.0 ? barrier(next, mu_) + penalty * next.violation() <= most
                                                         : false;
  }

  // Multipliers and slopes of the next point.
  bool complete(const NlpPoint& at, NlpPoint& next, const NlpStep& step, double part, double tau) const {
    next.y = at.y + part * step.y;
    next.z = at.z + within(at.z, step.z, tau) * step.z;
    // Multipliers not too far from μ/s.
    for (long i = 0; i < next.z.size(); ++i)
      next.z[i] = std::clamp(next.z[i], 1e-10 * mu_ / next.s[i], 1e10 * mu_ / next.s[i]);
    return search_.slopes(next);
  }

  bool take(NlpPoint& at, NlpPoint& next, const NlpStep& step, double part, double tau) const {
    if (!complete(at, next, step, part, tau)) return false;
    at = std::move(next);
    return true;
  }

  NlpSearch& search_;
  double mu_, tolerance_;
};

void begin(NlpPoint& at, double mu) {
  at.s = at.h.cwiseMax(0.01);
  at.z = mu * at.s.cwiseInverse();
  at.y.setZero(at.g.size());
}

std::string what_is_wrong(const Nlp& p, const VectorXd& start) {
  if (p.variables < 0 || p.equalities < 0 || p.inequalities < 0) return "numbers must not be negative";
  if (start.size() != p.variables) return fmt::format("{} variables, a start of {}", p.variables, start.size());
  if (!p.objective || !p.gradient || !p.hessian ||
      (p.equalities + p.inequalities > 0 && (!p.constraints || !p.jacobians)))
    return "a function is missing";
  return start.allFinite() ? "" : "the start is not finite";
}

}  // namespace

NlpSolution solve_nlp(const Nlp& problem, const VectorXd& start, const NlpOptions& options) {
  NlpSolution out;
  out.x = start;
  out.message = what_is_wrong(problem, start);
  if (!out.message.empty()) return out;
  NlpSearch search(problem, start);
  NlpPoint at;
  at.x = start;
  if (!search.values(at) || !search.slopes(at)) {
    out.message = "the problem is not finite at the start";
    return out;
  }
  const double tolerance = options.tolerance, complementary = std::pow(tolerance, 1.5), least_mu = 0.1 * complementary;
  double mu = 0.1, penalty = 1.0;
  begin(at, mu);
  int restorations = 0;
  out.status = NlpStatus::iteration_limit;
  bool done = false;
  for (; !done && out.iterations < options.iteration_limit; ++out.iterations) {
    Residuals r = residuals(at, 0.0);
    if (r.stationarity <= tolerance && r.violation <= tolerance && r.complementarity <= complementary) {
      out.status = NlpStatus::optimal;
      break;
    }
    if (at.f < -1e20 && r.violation <= 1e-6 * std::max(1.0, largest(at.x))) {
      out.status = NlpStatus::unbounded;
      break;
    }
    // A smaller barrier, once this one's centre is near.
    for (r = residuals(at, mu); mu > least_mu; r = residuals(at, mu)) {
      if (std::max({r.stationarity, r.violation, r.complementarity}) > 10.0 * mu) break;
      mu = std::max(least_mu, std::min(0.2 * mu, std::pow(mu, 1.5)));
      penalty = 1.0;
    }
    const double tau = std::max(0.99, 1.0 - mu);
    NlpStep step;
    const bool hopeless =
        r.violation > tolerance && std::max({largest(at.y), largest(at.z), penalty}) > most_multiplier;
    if (!hopeless && search.newton(at, mu, step) && LineSearch(search, mu, tolerance).move(at, step, tau, penalty))
      continue;
    // No step: are the constraints in the way?
    const double violation = std::max(largest(at.g), largest(at.h.cwiseMin(0.0)));
    if (violation <= 1e3 * tolerance || ++restorations > 5) {
      out.status = NlpStatus::inaccurate;
      done = true;
    } else if (!search.restore(at, 0.1 * tolerance)) {
      out.status = NlpStatus::infeasible;
      done = true;
    } else {
      mu = std::max(mu, 1e-2);
      penalty = 1.0;
      begin(at, mu);
    }
  }
  if (out.status == NlpStatus::iteration_limit) {
    NlpPoint other = at;
    if (std::max(largest(at.g), largest(at.h.cwiseMin(0.0))) > 1e3 * tolerance && !search.restore(other, tolerance)) {
      out.status = NlpStatus::infeasible;
      at.x = other.x;
    }
  }
  // In the problem's own scales.
  search.values(at);
  search.slopes(at);
  const Residuals r = residuals(at, 0.0);
  out.x = at.x;
  out.y = at.y.cwiseProduct(search.g_scale()) / search.objective_scale();
  out.z = at.z.cwiseProduct(search.h_scale()) / search.objective_scale();
  out.objective = at.f / search.objective_scale();
  out.stationarity = r.stationarity / search.objective_scale();
  out.infeasibility = std::max(largest(at.g.cwiseQuotient(search.g_scale())),
                               largest(at.h.cwiseMin(0.0).cwiseQuotient(search.h_scale())));
  out.complementarity = r.complementarity / search.objective_scale();
  return out;
}

}  // namespace taut
