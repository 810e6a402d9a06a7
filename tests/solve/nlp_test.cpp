// Nonlinear programmes: optima that are known, the conditions of optimality, convex problems beside solve/qp, which
// shares nothing with this solver, and problems that have no solution or no sense.
#include "taut/solve/nlp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taut/control/targets/jet.h"
#include "taut/solve/qp/qp.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Jets = std::vector<Jet>;
using Function = std::function<Jet(const Jets&)>;

Jet number(double value) { return {value, 0.0, 0.0}; }
Jet log(const Jet& a) {
  const double rate = a.rate / a.value;
  return {std::log(a.value), rate, a.second / a.value - rate * rate};
}

// f along x + t d: value, first and second derivative at t = 0, exact.
Jet along(const Function& f, const VectorXd& x, const VectorXd& d) {
  Jets jets;
  for (long i = 0; i < x.size(); ++i) jets.push_back({x[i], d[i], 0.0});
  return f(jets);
}
VectorXd gradient_of(const Function& f, const VectorXd& x) {
  VectorXd out(x.size());
  for (long i = 0; i < x.size(); ++i) out[i] = along(f, x, VectorXd::Unit(x.size(), i)).rate;
  return out;
}
MatrixXd hessian_of(const Function& f, const VectorXd& x) {
  const long n = x.size();
  MatrixXd out(n, n);
  const auto second = [&](const VectorXd& d) { return along(f, x, d).second; };
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j)
      out(i, j) = 0.5 * (second(VectorXd::Unit(n, i) + VectorXd::Unit(n, j)) - second(VectorXd::Unit(n, i)) -
                         second(VectorXd::Unit(n, j)));
  return out;
}

Nlp make(int variables, const Function& f, const std::vector<Function>& g, const std::vector<Function>& h) {
  Nlp p;
  p.variables = variables;
  p.equalities = static_cast<int>(g.size());
  p.inequalities = static_cast<int>(h.size());
  const VectorXd still = VectorXd::Zero(variables);
  p.objective = [=](const VectorXd& x) { return along(f, x, still).value; };
  p.gradient = [=](const VectorXd& x, VectorXd& out) { out = gradient_of(f, x); };
  p.constraints = [=](const VectorXd& x, VectorXd& go, VectorXd& ho) {
    for (std::size_t i = 0; i < g.size(); ++i) go[static_cast<long>(i)] = along(g[i], x, still).value;
    for (std::size_t i = 0; i < h.size(); ++i) ho[static_cast<long>(i)] = along(h[i], x, still).value;
  };
  p.jacobians = [=](const VectorXd& x, MatrixXd& Jg, MatrixXd& Jh) {
    for (std::size_t i = 0; i < g.size(); ++i) Jg.row(static_cast<long>(i)) = gradient_of(g[i], x);
    for (std::size_t i = 0; i < h.size(); ++i) Jh.row(static_cast<long>(i)) = gradient_of(h[i], x);
  };
  p.hessian = [=](const VectorXd& x, double weight, const VectorXd& y, const VectorXd& z, MatrixXd& H) {
    H = weight * hessian_of(f, x);
    for (std::size_t i = 0; i < g.size(); ++i) H -= y[static_cast<long>(i)] * hessian_of(g[i], x);
    for (std::size_t i = 0; i < h.size(); ++i) H -= z[static_cast<long>(i)] * hessian_of(h[i], x);
  };
  return p;
}

VectorXd vec(const std::vector<double>& v) { return VectorXd::Map(v.data(), static_cast<long>(v.size())); }
Function at_least(std::size_t i, double least) {
  return [=](const Jets& x) { return x[i] - number(least); };
}
Function at_most(std::size_t i, double most) {
  return [=](const Jets& x) { return number(most) - x[i]; };
}

// Optimality by its definition, whatever the solver says of itself.
void expect_optimal(const Nlp& p, const NlpSolution& s, double tolerance) {
  ASSERT_EQ(s.status, NlpStatus::optimal) << name(s.status) << " after " << s.iterations;
  VectorXd gradient(p.variables), g(p.equalities), h(p.inequalities);
  MatrixXd Jg(p.equalities, p.variables), Jh(p.inequalities, p.variables);
  p.gradient(s.x, gradient);
  p.constraints(s.x, g, h);
  p.jacobians(s.x, Jg, Jh);
  const double size = 1.0 + gradient.cwiseAbs().maxCoeff();
  EXPECT_LT((gradient - Jg.transpose() * s.y - Jh.transpose() * s.z).cwiseAbs().maxCoeff(), tolerance * size);
  EXPECT_LT(g.lpNorm<Eigen::Infinity>(), tolerance);
  if (h.size() > 0) {
    EXPECT_GT(h.minCoeff(), -tolerance);
    EXPECT_GE(s.z.minCoeff(), 0.0);
    EXPECT_LT(h.cwiseProduct(s.z).cwiseAbs().maxCoeff(), tolerance * size);
  }
}

struct Known {
  const char* what;
  Nlp problem;
  VectorXd start, optimum;
};

std::vector<Known> known_problems() {
  const auto rosenbrock = [](const Jets& x) {
    const Jet a = number(1.0) - x[0], b = x[1] - x[0] * x[0];
    return a * a + 100.0 * (b * b);
  };
  std::vector<Known> list;
  list.push_back({"Rosenbrock's valley", make(2, rosenbrock, {}, {}), vec({-1.2, 1.0}), vec({1.0, 1.0})});
  list.push_back({"the valley under a cubic and a line, which meet at its floor",
                  make(2, rosenbrock, {},
                       {[](const Jets& x) {
                          const Jet a = x[0] - number(1.0);
                          return x[1] - number(1.0) - a * a * a;
                        },
                        [](const Jets& x) { return number(2.0) - x[0] - x[1]; }}),
                  vec({0.8, 1.1}), vec({1.0, 1.0})});
  // The line x + y = 1 cuts the valley: d/dx of (1 - x)² + 100 (1 - x - x²)² vanishes.
  double x = 0.6;
  for (int i = 0; i < 50; ++i) {
    const double b = 1.0 - x - x * x, b1 = -1.0 - 2.0 * x;
    x -= (-2.0 * (1.0 - x) + 200.0 * b * b1) / (2.0 + 200.0 * (b1 * b1 - 2.0 * b));
  }
  list.push_back({"the valley on a line",
                  make(2, rosenbrock, {[](const Jets& v) { return v[0] + v[1] - number(1.0); }}, {}), vec({3.0, 3.0}),
                  vec({x, 1.0 - x})});
  list.push_back({"Hock and Schittkowski 6",
                  make(2, [](const Jets& v) { return (number(1.0) - v[0]) * (number(1.0) - v[0]); },
                       {[](const Jets& v) { return 10.0 * (v[1] - v[0] * v[0]); }}, {}),
                  vec({-1.2, 1.0}), vec({1.0, 1.0})});
  list.push_back({"Hock and Schittkowski 7",
                  make(2, [](const Jets& v) { return log(number(1.0) + v[0] * v[0]) - v[1]; }, {[](const Jets& v) {
                         const Jet a = number(1.0) + v[0] * v[0];
                         return a * a + v[1] * v[1] - number(4.0);
                       }},
                       {}),
                  vec({2.0, 2.0}), vec({0.0, std::sqrt(3.0)})});
  list.push_back({"Hock and Schittkowski 21",
                  make(2, [](const Jets& v) { return 0.01 * (v[0] * v[0]) + v[1] * v[1] - number(100.0); }, {},
                       {[](const Jets& v) { return 10.0 * v[0] - v[1] - number(10.0); }, at_least(0, 2.0),
                        at_most(0, 50.0), at_least(1, -50.0), at_most(1, 50.0)}),
                  vec({-1.0, -1.0}), vec({2.0, 0.0})});
  list.push_back({"Hock and Schittkowski 35",
                  make(3,
                       [](const Jets& v) {
                         return number(9.0) - 8.0 * v[0] - 6.0 * v[1] - 4.0 * v[2] + 2.0 * (v[0] * v[0]) +
                                2.0 * (v[1] * v[1]) + v[2] * v[2] + 2.0 * (v[0] * v[1]) + 2.0 * (v[0] * v[2]);
                       },
                       {},
                       {[](const Jets& v) { return number(3.0) - v[0] - v[1] - 2.0 * v[2]; }, at_least(0, 0.0),
                        at_least(1, 0.0), at_least(2, 0.0)}),
                  vec({0.5, 0.5, 0.5}), vec({4.0 / 3.0, 7.0 / 9.0, 4.0 / 9.0})});
  list.push_back(
      {"Hock and Schittkowski 43 (Rosen and Suzuki)",
       make(4,
            [](const Jets& v) {
              return v[0] * v[0] + v[1] * v[1] + 2.0 * (v[2] * v[2]) + v[3] * v[3] - 5.0 * v[0] - 5.0 * v[1] -
                     21.0 * v[2] + 7.0 * v[3];
            },
            {},
            {[](const Jets& v) {
               return number(8.0) - v[0] * v[0] - v[1] * v[1] - v[2] * v[2] - v[3] * v[3] - v[0] + v[1] - v[2] + v[3];
             },
             [](const Jets& v) {
               return number(10.0) - v[0] * v[0] - 2.0 * (v[1] * v[1]) - v[2] * v[2] - 2.0 * (v[3] * v[3]) + v[0] +
                      v[3];
             },
             [](const Jets& v) {
               return number(5.0) - 2.0 * (v[0] * v[0]) - v[1] * v[1] - v[2] * v[2] - 2.0 * v[0] + v[1] + v[3];
             }}),
       vec({0.0, 0.0, 0.0, 0.0}), vec({0.0, 1.0, 2.0, -1.0})});
  return list;
}

TEST(Nlp, FindsKnownOptima) {
  for (const Known& known : known_problems()) {
    SCOPED_TRACE(known.what);
    const NlpSolution s = solve_nlp(known.problem, known.start);
    expect_optimal(known.problem, s, 1e-9);
    EXPECT_LT((s.x - known.optimum).cwiseAbs().maxCoeff(), 1e-8) << s.x.transpose();
  }
}

TEST(Nlp, HockAndSchittkowski71) {
  const Nlp p =
      make(4, [](const Jets& v) { return v[0] * v[3] * (v[0] + v[1] + v[2]) + v[2]; },
           {[](const Jets& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3] - number(40.0); }},
           {[](const Jets& v) { return v[0] * v[1] * v[2] * v[3] - number(25.0); }, at_least(0, 1.0), at_least(1, 1.0),
            at_least(2, 1.0), at_least(3, 1.0), at_most(0, 5.0), at_most(1, 5.0), at_most(2, 5.0), at_most(3, 5.0)});
  const NlpSolution s = solve_nlp(p, vec({1.0, 5.0, 5.0, 1.0}));
  expect_optimal(p, s, 1e-9);
  EXPECT_NEAR(s.objective, 17.0140173, 5e-8);  // as published
  // A multiplier is the rate of the objective with the right-hand side: of the sphere, 40 -> 40 ± 1e-4.
  const auto with_sphere = [&](double square) {
    Nlp other = p;
    other.constraints = [=, &p](const VectorXd& x, VectorXd& g, VectorXd& h) {
      p.constraints(x, g, h);
      g[0] += 40.0 - square;
    };
    return solve_nlp(other, s.x).objective;
  };
  EXPECT_NEAR((with_sphere(40.0 + 1e-4) - with_sphere(40.0 - 1e-4)) / 2e-4, s.y[0], 1e-6);
}

TEST(Nlp, WhereConstraintsAreTangentTheAnswerIsHonest) {
  // Hock and Schittkowski 13: no multipliers exist at the optimum (1, 0).
  const Nlp p = make(2,
                     [](const Jets& v) {
                       const Jet a = v[0] - number(2.0);
                       return a * a + v[1] * v[1];
                     },
                     {},
                     {[](const Jets& v) {
                        const Jet a = number(1.0) - v[0];
                        return a * a * a - v[1];
                      },
                      at_least(0, 0.0), at_least(1, 0.0)});
  const NlpSolution s = solve_nlp(p, vec({0.0, 0.0}));
  EXPECT_TRUE(s.x.allFinite());
  EXPECT_LT((s.x - vec({1.0, 0.0})).cwiseAbs().maxCoeff(), 0.05) << s.x.transpose();
  if (s.status == NlpStatus::optimal) expect_optimal(p, s, 1e-8);
}

TEST(Nlp, SaysWhatCannotBe) {
  const Function square = [](const Jets& v) { return v[0] * v[0] + v[1] * v[1]; };
  const Function less = [](const Jets& v) { return number(-1.0) - v[0] * v[0]; };
  const Function line = [](const Jets& v) { return v[0] + v[1] - number(1.0); };
  const Function other_line = [](const Jets& v) { return v[0] + v[1] - number(2.0); };
  const Function disk = [](const Jets& v) { return number(1.0) - v[0] * v[0] - v[1] * v[1]; };
  const Function far = [](const Jets& v) { return v[0] + v[1] - number(5.0); };
  const VectorXd start = vec({0.3, -0.7});
  EXPECT_EQ(solve_nlp(make(2, square, {}, {less}), start).status, NlpStatus::infeasible);
  EXPECT_EQ(solve_nlp(make(2, square, {line, other_line}, {}), start).status, NlpStatus::infeasible);
  EXPECT_EQ(solve_nlp(make(2, square, {far}, {disk}), start).status, NlpStatus::infeasible);
  EXPECT_EQ(solve_nlp(make(2, square, {}, {far, disk}), start).status, NlpStatus::infeasible);
  // The point of least violation of the two lines lies half way.
  const NlpSolution between = solve_nlp(make(2, square, {line, other_line}, {}), start);
  EXPECT_NEAR(between.x.sum(), 1.5, 1e-6);
  EXPECT_NEAR(between.infeasibility, 0.5, 1e-6);
  const NlpSolution down = solve_nlp(make(2, [](const Jets& v) { return -v[0]; }, {}, {at_least(0, 0.0)}), start);
  EXPECT_TRUE(down.status == NlpStatus::unbounded || down.status == NlpStatus::iteration_limit) << name(down.status);
  EXPECT_TRUE(down.x.allFinite());
}

TEST(Nlp, SameEquationsTwiceAreOne) {
  const Function line = [](const Jets& v) { return v[0] + 2.0 * v[1] - number(5.0); };
  const Nlp p = make(2, [](const Jets& v) { return v[0] * v[0] + v[1] * v[1]; }, {line, line}, {});
  const NlpSolution s = solve_nlp(p, vec({0.0, 0.0}));
  expect_optimal(p, s, 1e-8);
  EXPECT_LT((s.x - vec({1.0, 2.0})).norm(), 1e-8);
}

TEST(Nlp, NonsenseIsRefused) {
  const Function root = [](const Jets& v) { return sqrt(v[0]) + number(1.0) / v[0]; };
  const Nlp p = make(1, root, {}, {});
  EXPECT_EQ(solve_nlp(p, vec({-1.0})).status, NlpStatus::invalid);
  EXPECT_EQ(solve_nlp(p, vec({1.0, 2.0})).status, NlpStatus::invalid);
  EXPECT_EQ(solve_nlp(p, vec({NAN})).status, NlpStatus::invalid);
  EXPECT_EQ(solve_nlp(Nlp{}, VectorXd()).status, NlpStatus::invalid);
  // From a start that is right, steps out of the domain are cut short: √x + 1/x is least where x^(3/2) = 2.
  const NlpSolution s = solve_nlp(p, vec({0.01}));
  ASSERT_EQ(s.status, NlpStatus::optimal);
  EXPECT_NEAR(s.x[0], std::pow(2.0, 2.0 / 3.0), 1e-9);
  NlpOptions hurry;
  hurry.iteration_limit = 2;
  EXPECT_EQ(solve_nlp(p, vec({0.01}), hurry).status, NlpStatus::iteration_limit);
}

// Convex quadratic problems of both kinds: the two solvers must agree on what has a solution, and on the solution.
TEST(Nlp, ConvexProblemsAgreeWithTheActiveSet) {
  Random random(7);
  int optimal = 0, infeasible = 0;
  for (int round = 0; round < 400; ++round) {
    const int n = 1 + random.below(8), m = random.below(std::min(3, n)), p = random.below(2 * n + 3);
    const auto filled = [&](int rows, int columns) {
      MatrixXd M(rows, columns);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) M(i, j) = random.between(-1.0, 1.0);
      return M;
    };
    Qp qp;
    const MatrixXd root = filled(n, n);
    qp.P = root.transpose() * root + 0.1 * MatrixXd::Identity(n, n);
    qp.q = 3.0 * filled(n, 1);
    qp.A = filled(m, n);
    qp.b = filled(m, 1);
    qp.C = filled(p, n);
    qp.l = filled(p, 1) + VectorXd::Constant(p, random.between(-1.0, 0.3));
    const QpSolution exact = solve_qp(qp);
    Nlp nlp;
    nlp.variables = n;
    nlp.equalities = m;
    nlp.inequalities = p;
    nlp.objective = [&](const VectorXd& x) { return 0.5 * x.dot(qp.P * x) + qp.q.dot(x); };
    nlp.gradient = [&](const VectorXd& x, VectorXd& out) { out = qp.P * x + qp.q; };
    nlp.constraints = [&](const VectorXd& x, VectorXd& g, VectorXd& h) {
      g = qp.A * x - qp.b;
      h = qp.C * x - qp.l;
    };
    nlp.jacobians = [&](const VectorXd&, MatrixXd& Jg, MatrixXd& Jh) {
      Jg = qp.A;
      Jh = qp.C;
    };
    nlp.hessian = [&](const VectorXd&, double weight, const VectorXd&, const VectorXd&, MatrixXd& H) {
      H = weight * qp.P;
    };
    const NlpSolution s = solve_nlp(nlp, VectorXd::Zero(n));
    if (exact.status == QpStatus::optimal) {
      ++optimal;
      ASSERT_EQ(s.status, NlpStatus::optimal) << round << " " << name(s.status);
      EXPECT_LT((s.x - exact.x).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + exact.x.cwiseAbs().maxCoeff())) << round;
    } else {
      ASSERT_EQ(exact.status, QpStatus::infeasible) << round;
      ++infeasible;
      ASSERT_EQ(s.status, NlpStatus::infeasible) << round << " " << name(s.status);
    }
  }
  EXPECT_GT(optimal, 50);
  EXPECT_GT(infeasible, 50);
}

}  // namespace
}  // namespace taut::testing
