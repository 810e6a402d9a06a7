#include "apps/taut/studies/savin_prism.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "taut/base/error.h"
#include "taut/base/text/text.h"
#include "taut/dynamics/dynamics.h"
#include "taut/formulation/matrices.h"
#include "taut/sweep/sweep.h"

namespace taut::reproduce {
namespace {

using std::numbers::pi;
using std::numbers::sqrt3;

constexpr double to_radians = pi / 180.0;

Vec3 at(double radius, double azimuth, double z) { return {radius * std::cos(azimuth), radius * std::sin(azimuth), z}; }

// Nodes a1 a2 a3 (lower), b1 b2 b3 (upper).
constexpr int lower_end(int rod) { return rod % 3; }
constexpr int upper_end(int rod) { return 3 + rod % 3; }

// The rows of a sweep; a run that fails ends it all.
std::vector<TableRow> rows_of(SweepFile sweep, const char* what) {
  std::vector<TableRow> rows = run_rows(std::move(sweep), 0, nullptr);
  for (const TableRow& row : rows)
    if (row.status != RowStatus::done) throw RunError(0.0, fmt::format("{}: run {}: {}", what, row.run, row.reason));
  return rows;
}

// The larger root of a² ∓ c a + c² = r² as a tilt.
std::optional<double> tilt_for(const Prism& prism, double ring, double sign) {
  const double c = prism.radius, rest = ring * ring - 0.75 * c * c;
  if (rest < 0.0) return std::nullopt;
  const double sine = (0.5 * sign * c + std::sqrt(rest)) / (0.5 * prism.length);
  if (!(sine >= 0.0 && sine <= 1.0)) return std::nullopt;
  return std::asin(sine) / to_radians;
}

}  // namespace

Prism prism_of(const Settings& s) {
  return {s.number("length"),        s.number("radius"),
          s.number("rest_length"),   s.number("stiffness"),
          s.number("mass"),          s.number("inertia"),
          s.number("drag"),          s.number("turning_drag"),
          s.number("cable_damping"), s.number("duration"),
          s.number("tolerance"),     s.word("formulation"),
          s.word("integrator"),      s.word("damping_model") == "vector" ? DampingModel::vector : DampingModel::axial};
}

Scenario tilted(const Prism& prism, double psi_degrees) {
  Scenario scenario;
  Model& model = scenario.model;
  model.name = fmt::format("3-prism, tilt {:g}°", psi_degrees);
  model.gravity = Vec3::Zero();
  const double psi = psi_degrees * to_radians;
  const double a = 0.5 * prism.length * std::sin(psi), z = 0.5 * prism.length * std::cos(psi), turn = 2.0 * pi / 3.0;
  model.nodes.resize(6);
  for (int j = 0; j < 3; ++j) {
    const Vec3 centre = at(prism.radius, turn * j, 0.0), half = at(a, turn * (j + 1), z);
    model.nodes[lower_end(j)] = {fmt::format("a{}", j + 1), centre - half};
    model.nodes[upper_end(j)] = {fmt::format("b{}", j + 1), centre + half};
    Bar rod;
    rod.name = fmt::format("rod{}", j + 1);
    rod.a = lower_end(j);
    rod.b = upper_end(j);
    rod.mass = prism.mass;
    rod.inertia = prism.inertia;
    rod.drag = prism.drag;
    rod.turning_drag = prism.turning_drag;
    rod.rest_length = prism.length;
    model.bars.push_back(rod);
  }
  for (int j = 0; j < 3; ++j)
    for (const std::array<int, 2> ends : {std::array{upper_end(j), upper_end(j + 1)},
                                          {lower_end(j), lower_end(j + 1)},
                                          {lower_end(j), upper_end(j + 2)}}) {
      Cable cable;
      cable.name = fmt::format("{}-{}", model.nodes[ends[0]].name, model.nodes[ends[1]].name);
      cable.path = {ends[0], ends[1]};
      cable.law.stiffness = prism.stiffness;
      cable.law.damping = prism.cable_damping;
      cable.law.damping_model = prism.damping_model;
      cable.law.clip = prism.damping_model == DampingModel::axial;
      cable.rest_length = prism.rest_length;
      model.cables.push_back(cable);
    }
  scenario.simulation.formulation = prism.formulation;
  scenario.simulation.integrator = prism.integrator;
  scenario.simulation.tolerance = prism.tolerance;
  scenario.simulation.duration = prism.duration;
  scenario.simulation.output_step = prism.duration / 500.0;
  return scenario;
}

double strain(const Prism& prism, const RunRow& row, Triple triple, int member) {
  return 100.0 * (row.lengths[static_cast<std::size_t>(triple + 3 * member)] / prism.rest_length - 1.0);
}

double strain_rate(const Scenario& scenario, const RunRow& row, Triple triple) {
  const Cable& cable = scenario.model.cables[triple];
  const Vec3 d = position(row, cable.path[1]) - position(row, cable.path[0]);
  return 100.0 / cable.rest_length * d.normalized().dot(velocity(row, cable.path[1]) - velocity(row, cable.path[0]));
}

double start_curvature(const Prism& prism, double psi_degrees, Triple triple) {
  const Scenario scenario = tilted(prism, psi_degrees);
  const Dynamics dynamics(scenario.model, prism.formulation, ConstraintMethod::projection);
  const State state = dynamics.start();
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size());
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  // At rest node accelerations are X v̇.
  const Formulation& formulation = dynamics.formulation();
  const Eigen::VectorXd acceleration = formulation.matrices(state.q(), nullptr, {.X = true}).X *
                                       rate.segment(formulation.facts().nq, formulation.facts().nv);
  const Cable& cable = scenario.model.cables[triple];
  const auto& nodes = scenario.model.nodes;
  const Vec3 along = (nodes[cable.path[1]].position - nodes[cable.path[0]].position).normalized();
  const Vec3 difference = acceleration.segment<3>(3 * cable.path[1]) - acceleration.segment<3>(3 * cable.path[0]);
  return 100.0 / cable.rest_length * along.dot(difference);
}

SweepFile tilt_sweep(const Prism& prism) {
  SweepFile sweep;
  sweep.file = sweep.model = "prism.toml";
  sweep.scenario = tilted(prism, 50.0);
  const double turn = 2.0 * pi / 3.0, half = 0.5 * prism.length;
  const auto derive = [&](std::string key, std::string expression) {
    SweepParameter parameter;
    parameter.name = key;
    parameter.keys = {std::move(key)};
    parameter.kind = ParameterKind::derived;
    parameter.expression = std::move(expression);
    sweep.parameters.push_back(std::move(parameter));
  };
  const auto sum = [](double a, double b) {
    return fmt::format("({}) + ({})*sin(psi*pi/180)", exact_number(a), exact_number(b));
  };
  // As tilted() places them.
  for (int j = 0; j < 3; ++j)
    for (const auto& [end, sign] : {std::pair('a', -1.0), std::pair('b', 1.0)}) {
      const Vec3 centre = at(prism.radius, turn * j, 0.0), across = at(sign * half, turn * (j + 1), 0.0);
      derive(fmt::format("nodes.{}{}.at.x", end, j + 1), sum(centre.x(), across.x()));
      derive(fmt::format("nodes.{}{}.at.y", end, j + 1), sum(centre.y(), across.y()));
      derive(fmt::format("nodes.{}{}.at.z", end, j + 1),
             fmt::format("({})*cos(psi*pi/180)", exact_number(sign * half)));
    }
  return sweep;
}

std::vector<std::vector<double>> over_tilts(const Prism& prism, int first, int last,
                                            const std::vector<std::string>& records, const char* what) {
  SweepFile sweep = tilt_sweep(prism);
  SweepParameter psi;
  psi.name = "psi";
  for (int degrees = first; degrees <= last; ++degrees) psi.numbers.push_back(degrees);
  sweep.parameters.insert(sweep.parameters.begin(), psi);
  for (const std::string& record : records) sweep.records.push_back({record, record, {}});
  std::vector<std::vector<double>> columns(records.size());
  for (const TableRow& row : rows_of(std::move(sweep), what))
    for (std::size_t i = 0; i < records.size(); ++i)
      columns[i].push_back(row.values[row.values.size() - records.size() + i]);
  return columns;
}

std::optional<double> turning_point(double low, double high, const std::function<bool(double)>& condition) {
  const bool at_low = condition(low);
  if (at_low == condition(high)) return std::nullopt;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (condition(middle) == at_low ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::optional<std::pair<double, double>> working_range(const Prism& prism) {
  constexpr int first = 1, last = 89;
  // No cable slack and no strain over 100 %, from the start to the end.
  const std::string within =
      fmt::format("min(cables.*.length) >= {0:.17g} and max(cables.*.length) <= 2*{0:.17g}", prism.rest_length);
  const std::vector<double> works = over_tilts(prism, first, last, {within}, "working range").front();
  int best = 0, best_end = 0, run = 0;
  for (int psi = first; psi <= last; ++psi) {
    run = works[static_cast<std::size_t>(psi - first)] == 1.0 ? run + 1 : 0;
    if (run > best) best = run, best_end = psi;
  }
  if (best == 0) return std::nullopt;
  const auto limit = [&](int low, bool largest) {
    SweepFile sweep = tilt_sweep(prism);
    sweep.bisect = Bisection{.name = "psi",
                             .keys = {},
                             .low = static_cast<double>(low),
                             .high = low + 1.0,
                             .tolerance = 1e-9,
                             .largest = largest,
                             .scan = 1,
                             .holds = within,
                             .place = {}};
    return rows_of(std::move(sweep), "working range").front().values.back();
  };
  const int begin = best_end - best + 1;
  return std::pair{begin == first ? first : limit(begin - 1, false), best_end == last ? last : limit(best_end, true)};
}

std::optional<double> slack_tilt(const Prism& prism) { return tilt_for(prism, prism.rest_length / sqrt3, 1.0); }
std::optional<double> strained_tilt(const Prism& prism) {
  return tilt_for(prism, 2.0 * prism.rest_length / sqrt3, -1.0);
}

std::optional<Strains> closed_form(const Prism& prism, const std::function<double(double length)>& tension) {
  const double l0 = prism.rest_length, L = prism.length;
  const auto side_of = [&](double R) { return std::sqrt(L * L - 2.0 * sqrt3 * R * R); };
  const auto excess = [&](double R) {
    const double base = sqrt3 * R, s = side_of(R);
    return tension(s) / s - sqrt3 * tension(base) / base;
  };
  // Base and side cables are taut between these radii.
  double low = l0 / sqrt3, high = std::sqrt((L * L - l0 * l0) / (2.0 * sqrt3));
  if (!(high > low) || excess(low) <= 0.0) return std::nullopt;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0.0 ? low : high) = middle;
  }
  const double R = 0.5 * (low + high);
  return Strains{100.0 * (sqrt3 * R / l0 - 1.0), 100.0 * (side_of(R) / l0 - 1.0)};
}

}  // namespace taut::reproduce
