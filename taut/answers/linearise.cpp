#include "taut/answers/linearise.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "taut/answers/from_run.h"
#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/formulation/formulation.h"
#include "taut/model/run_words.h"

namespace taut {
namespace {

Json rows_json(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (long i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (long j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Eigen::MatrixXd eigenvalue_rows(const LinearAnswer& r) {
  Eigen::MatrixXd rows(r.linear.eigenvalues.size(), 2);
  rows << r.linear.eigenvalues.real(), r.linear.eigenvalues.imag();
  return rows;
}

// An oscillation over one step is known to rounding times its angle: beyond this angle nothing is left of it.
void require_phase(const Eigen::VectorXcd& eigenvalues, double h) {
  constexpr double largest_angle = 1e12;  // rad
  const double fastest = eigenvalues.size() > 0 ? eigenvalues.imag().cwiseAbs().maxCoeff() : 0.0;
  if (fastest * h > largest_angle)
    throw RunError(0.0,
                   fmt::format("in a step of {:g} s the fastest oscillation turns by {:.2g} rad, and no digit of Ad "
                               "would be right; take a step below {:.1g} s",
                               h, fastest * h, largest_angle / fastest));
}

void require_finite(const LinearModel& linear) {
  if (linear.A.allFinite() && linear.B.allFinite() && linear.eigenvalues.allFinite()) return;
  throw RunError(0.0,
                 "the linear model is not finite at the start state: two nodes joined by a member coincide, or a bar "
                 "stands on a pole of its coordinates");
}

DiscreteModel discretised(const LinearModel& linear, Discretisation how, double h) {
  if (how == Discretisation::exact) require_phase(linear.eigenvalues, h);
  DiscreteModel discrete = discretise(linear, how, h);
  if (discrete.Ad.allFinite() && discrete.Bd.allFinite()) return discrete;
  const double growth = std::max(0.0, linear.eigenvalues.real().maxCoeff());
  throw RunError(
      0.0,
      growth * h > 1.0
          ? fmt::format("over a step of {:g} s the motion grows beyond the largest number: it grows by e in {:.3g} "
                        "s; take a step of that order",
                        h, 1.0 / growth)
          : fmt::format("over a step of {:g} s rounding grows beyond the largest number, and no digit of Ad is "
                        "right; take a smaller step",
                        h));
}

}  // namespace

const Words& input_words() {
  static const Words words = {"cables", "all"};
  return words;
}

const Words& length_words() {
  static const Words words = {"inputs", "states"};
  return words;
}

const Words& discretisation_words() {
  static const Words words = {"euler", "trapezoid", "exact"};
  return words;
}

void require(const LinearSettings& settings) {
  const auto& names = formulation_names();
  if (!settings.formulation.empty()) index_of({names.begin(), names.end()}, settings.formulation, "--formulation");
  if (settings.step) require(rules::positive(), *settings.step, "--step");
}

std::vector<double> LinearAnswer::frequencies_hz() const {
  return freedoms > 0 ? frequencies(linear.eigenvalues) : std::vector<double>{};
}

LinearAnswer answer_linear(const Scenario& scenario, const LinearSettings& settings, const RecordedState* from) {
  require(settings);
  LinearAnswer r;
  r.scenario = scenario;
  const RunSettings& simulation = scenario.simulation;
  r.formulation = !settings.formulation.empty() ? settings.formulation
                  : from                        ? from->formulation
                                                : std::string(leading_formulation(scenario));
  // In its own coordinates the recorded state is taken as it is; others begin from its shape.
  const bool own = from && r.formulation == from->formulation;
  if (own) r.scenario.model = from->scenario.model;
  if (from && !own) start_at(*from, r.scenario);
  // Bar lengths act through the drift correction, whatever the method of a run.
  const ConstraintMethod method = settings.options.bar_lengths ? ConstraintMethod::baumgarte : simulation.constraints;
  const Dynamics dynamics(r.scenario.model, r.formulation, method, {simulation.k_s, simulation.k_d});
  r.freedoms = dynamics.formulation().facts().degrees_of_freedom;
  const State state = own ? state_of(*from) : dynamics.start();
  r.linear = linearise(dynamics, state, settings.options);
  if (settings.matrices) r.full = full_model(dynamics, state);
  if (!has_joints(r.scenario.model)) r.imbalance = start_balance(own ? model_at(*from) : r.scenario.model).imbalance;
  require_finite(r.linear);
  if (settings.discretise)
    r.discrete = discretised(r.linear, *settings.discretise, settings.step.value_or(simulation.step));
  return r;
}

std::vector<NamedMatrix> matrices_of(const LinearAnswer& r) {
  std::vector<NamedMatrix> list = {{"A", r.linear.A}, {"B", r.linear.B}};
  if (r.discrete) {
    list.push_back({"Ad", r.discrete->Ad});
    list.push_back({"Bd", r.discrete->Bd});
  }
  list.push_back({"eigenvalues", eigenvalue_rows(r)});
  if (r.full)
    for (const auto& [name, matrix] :
         {std::pair("M", r.full->M), std::pair("c", Eigen::MatrixXd(r.full->c)), std::pair("B_full", r.full->B),
          std::pair("G", r.full->G), std::pair("gamma", Eigen::MatrixXd(r.full->gamma))})
      if (matrix.rows() > 0) list.push_back({name, matrix});
  return list;
}

Json json_of(const LinearAnswer& r, bool matrices) {
  Json object;
  object["formulation"] = r.formulation;
  object["states"] = r.linear.states;
  object["inputs"] = r.linear.inputs;
  if (r.full) object["velocities"] = r.full->velocities;
  if (matrices)
    for (const NamedMatrix& matrix : matrices_of(r)) object[matrix.name] = rows_json(matrix.values);
  object["frequencies_hz"] = r.frequencies_hz();
  object["degrees_of_freedom"] = r.freedoms;
  object["imbalance"] = r.imbalance;
  return object;
}

}  // namespace taut
