// bench-work-precision: what accuracy costs. The free six-bar and the dropped six-bar by every integrator, formulation
// and way to keep bar lengths; the error at the end against a converged run, processor time and evaluations of the
// right-hand side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "taut/base/error.h"
#include "taut/formulation/formulation.h"
#include "taut/generators/generators.h"
#include "taut/integrate/integrator.h"

namespace taut::bench {
namespace {

struct Case {
  std::string title;
  Model model;
  double duration;
};

// Dumbbell rods, so that point_mass describes the same motion as the others.
Model six_bar(const Parameters& parameters) {
  Model model = generate(*find_generator("six_bar"), parameters).model;
  for (Bar& bar : model.bars) bar.inertia = 0.25 * bar.mass * bar.rest_length * bar.rest_length;
  return model;
}

std::vector<Case> cases() {
  Case flight{"free six-bar, one cable 5 cm short, spinning, 2 s",
              six_bar({{"spin_x", 1.0}, {"spin_y", 0.7}, {"spin_z", 0.4}}), 2.0};
  flight.model.cables.front().rest_length -= 0.05;

  Case drop{"dropped six-bar, smooth contact with friction, damped cables, 0.5 s",
            six_bar({{"velocity_x", 0.5},
                     {"velocity_z", -1.0},
                     {"spin_x", 0.4},
                     {"spin_y", 0.9},
                     {"damping", 5.0},
                     {"beta", 1e-3}}),
            0.5};
  drop.model.gravity = {0.0, 0.0, -9.81};
  Ground& ground = drop.model.ground.emplace();
  ground.height = -0.6;
  ground.law = PressKind::smooth;
  ground.beta = 1e-3;
  ground.stiffness = 2e4;
  ground.friction = 0.5;
  ground.slip_speed = 1e-2;
  return {flight, drop};
}

struct Method {
  std::string integrator, formulation;
  ConstraintMethod constraints;
};

struct Point {
  double setting, error, seconds;  // step or tolerance; m; s of processor time
  long rhs;
};

bool adaptive(const std::string& integrator) { return integrator == "dopri5" || integrator == "cvode"; }

// Node positions at the end; none when the run fails or the formulation refuses.
std::optional<Eigen::VectorXd> end_of(const Case& c, const Method& m, double setting, double& seconds, long& rhs) {
  try {
    const Dynamics dynamics(c.model, m.formulation, m.constraints);
    State state = dynamics.start();
    const auto integrator = make_integrator(m.integrator, dynamics, {.step = setting, .tolerance = setting});
    Outputs outputs(c.duration, c.duration, [](const State&) {});
    outputs.emit(state);
    const double start = core_seconds();
    integrator->restart(state);
    integrator->advance(state, c.duration, outputs);
    seconds = core_seconds() - start;
    rhs = integrator->log.counts.rhs;
    Terms terms = dynamics.make_terms();
    dynamics.formulation().place_nodes(state.q(), state.v(), terms);
    Eigen::VectorXd nodes(3 * c.model.nodes.size());
    for (std::size_t i = 0; i < c.model.nodes.size(); ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) nodes[static_cast<long>(3 * i + axis)] = terms.x[4 * i + axis];
    return nodes;
  } catch (const RunError&) {
    return std::nullopt;
  }
}

double distance(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  double largest = 0.0;
  for (long i = 0; i < a.size(); i += 3) largest = std::max(largest, (a - b).segment<3>(i).norm());
  return largest;
}

// Coarse to fine, until a run is as good as it gets or takes longer than `most` seconds.
std::vector<Point> curve(const Case& c, const Method& m, const Eigen::VectorXd& reference, double most) {
  std::vector<Point> points;
  double setting = adaptive(m.integrator) ? 1e-3 : 1e-2;
  const double factor = adaptive(m.integrator) ? std::sqrt(0.1) : 0.5, least = adaptive(m.integrator) ? 1e-13 : 1e-7;
  for (; setting > least; setting *= factor) {
    Point point{setting, INFINITY, INFINITY, 0};
    double spent = 0.0;
    for (int repeat = 0; repeat < 5 && spent < 0.3; ++repeat) {
      double seconds = 0.0;
      const auto nodes = end_of(c, m, setting, seconds, point.rhs);
      if (!nodes) break;
      point.error = distance(*nodes, reference);
      if (!std::isfinite(point.error)) break;
      point.seconds = std::min(point.seconds, seconds);
      spent += seconds;
    }
    if (std::isfinite(point.error)) points.push_back(point);
    if (point.error < 3e-11 || spent > most) break;
  }
  return points;
}

// The cheapest point that reaches the accuracy together with all finer ones that were tried.
std::optional<Point> cheapest(const std::vector<Point>& points, double accuracy) {
  std::optional<Point> best;
  for (std::size_t i = points.size(); i-- > 0 && points[i].error <= accuracy;)
    if (!best || points[i].seconds < best->seconds) best = points[i];
  return best;
}

std::vector<Method> methods() {
  std::vector<Method> list;
  for (const IntegratorKind& kind : integrator_kinds())
    for (const char* formulation : {"nodal", "point_mass", "minimal", "quaternion"}) {
      const bool constrained = formulation[0] == 'n' || formulation[0] == 'p';
      // The leapfrog ends every step on the constraints by itself.
      const bool choice = constrained && kind.name != "symplectic";
      list.push_back({std::string(kind.name), formulation, ConstraintMethod::projection});
      if (!choice) continue;
      list.push_back({std::string(kind.name), formulation, ConstraintMethod::baumgarte});
      list.push_back({std::string(kind.name), formulation, ConstraintMethod::none});
    }
  return list;
}

std::string constraint_word(const Method& m) {
  if (m.formulation == "minimal" || m.formulation == "quaternion") return "-";
  return m.integrator == "symplectic" ? "exact" : name(m.constraints);
}

void run(const Case& c, double most, bool every_point) {
  double seconds = 0.0;
  long rhs = 0;
  const Method first{"dopri5", "nodal", ConstraintMethod::projection},
      second{"dopri5", "quaternion", ConstraintMethod::none};
  const auto reference = end_of(c, first, 1e-13, seconds, rhs), other = end_of(c, second, 1e-13, seconds, rhs);
  if (!reference || !other) throw std::runtime_error("the reference failed");
  fmt::print("\n{}\n  reference: dopri5 at 1e-13, nodal; quaternion is {:.1e} m away\n", c.title,
             distance(*reference, *other));

  constexpr double accuracies[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
  fmt::print("  {:<11}{:<12}{:<11}", "integrator", "formulation", "lengths");
  for (const double accuracy : accuracies) fmt::print("{:>18}", fmt::format("{:.0e} m", accuracy));
  fmt::print("\n  {:<34}{:>18}\n", "", "ms (rhs)");
  for (const Method& m : methods()) {
    const std::vector<Point> points = curve(c, m, *reference, most);
    fmt::print("  {:<11}{:<12}{:<11}", m.integrator, m.formulation, constraint_word(m));
    for (const double accuracy : accuracies) {
      const auto point = cheapest(points, accuracy);
      fmt::print("{:>18}", point ? fmt::format("{:.3g} ({})", 1e3 * point->seconds, point->rhs) : "-");
    }
    fmt::print("\n");
    if (every_point)
      for (const Point& p : points)
        fmt::print("    {:<9} {:.1e}  error {:.2e} m  {:>9.4g} ms  {:>8} rhs\n",
                   adaptive(m.integrator) ? "tolerance" : "step", p.setting, p.error, 1e3 * p.seconds, p.rhs);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace taut::bench

int main(int argc, char** argv) {
  bool points = false;
  double most = 0.5;
  CLI::App app(
      "Error against a converged run, processor time and evaluations, for every integrator, formulation and way to "
      "keep bar lengths");
  app.add_flag("--points", points, "Print every run, not only the cheapest that reach an accuracy");
  app.add_option("--most", most, "Give a method up when one setting has taken longer than this, s [0.5]")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const taut::bench::Case& c : taut::bench::cases()) taut::bench::run(c, most, points);
}
