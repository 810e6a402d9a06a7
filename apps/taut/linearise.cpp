// taut linearise: A and B about the start state, continuous and discrete.
#include "taut/analysis/linearise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/taut/blame_file.h"
#include "apps/taut/commands.h"
#include "apps/taut/number_checks.h"
#include "apps/taut/text_file.h"
#include "taut/analysis/balance.h"
#include "taut/base/error.h"
#include "taut/model/read_toml.h"
#include "taut/run/matrices_hdf5.h"

namespace taut {
namespace {

using Json = nlohmann::ordered_json;

struct LineariseOptions {
  std::string file, formulation, inputs = "cables", lengths = "inputs", discretise, output;
  std::vector<std::string> set;
  double step = 0.0;
  bool json = false;
};

struct Result {
  Scenario scenario;
  std::string formulation;
  LinearModel linear;
  std::optional<DiscreteModel> discrete;
  int freedoms = 0;
  double imbalance = 0.0;  // of a structure: largest net node force at the start, over the mean member force

  // With no motion free, what A has are not frequencies: only how errors of the constraints would drift.
  std::vector<double> frequencies_hz() const {
    return freedoms > 0 ? frequencies(linear.eigenvalues) : std::vector<double>{};
  }
};

Json to_json(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (long i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (long j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string to_csv(const Eigen::MatrixXd& matrix) {
  std::string text;
  for (long i = 0; i < matrix.rows(); ++i)
    for (long j = 0; j < matrix.cols(); ++j)
      text += fmt::format("{:.17g}{}", matrix(i, j), j + 1 < matrix.cols() ? ',' : '\n');
  return text;
}

Eigen::MatrixXd eigenvalue_rows(const Result& r) {
  Eigen::MatrixXd rows(r.linear.eigenvalues.size(), 2);
  rows << r.linear.eigenvalues.real(), r.linear.eigenvalues.imag();
  return rows;
}

std::vector<NamedMatrix> matrices(const Result& r) {
  std::vector<NamedMatrix> list = {{"A", r.linear.A}, {"B", r.linear.B}};
  if (r.discrete) {
    list.push_back({"Ad", r.discrete->Ad});
    list.push_back({"Bd", r.discrete->Bd});
  }
  list.push_back({"eigenvalues", eigenvalue_rows(r)});
  return list;
}

std::string json_text(const Result& r) {
  Json object;
  object["formulation"] = r.formulation;
  object["states"] = r.linear.states;
  object["inputs"] = r.linear.inputs;
  for (const NamedMatrix& matrix : matrices(r)) object[matrix.name] = to_json(matrix.values);
  object["frequencies_hz"] = r.frequencies_hz();
  object["degrees_of_freedom"] = r.freedoms;
  object["imbalance"] = r.imbalance;
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// By the ending: JSON, HDF5, or a folder of CSV files.
void write(const Result& r, const std::filesystem::path& path) {
  if (path.extension() == ".json") return TextFile(path).write(json_text(r));
  if (path.extension() == ".h5")
    return TextFile(path).write(matrices_hdf5(matrices(r), {{"states", r.linear.states}, {"inputs", r.linear.inputs}}));
  const auto names = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& name : list) text += name + "\n";
    return text;
  };
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) throw InputError(fmt::format("{}: cannot make this folder: {}", path.string(), failed.message()));
  for (const NamedMatrix& matrix : matrices(r)) TextFile(path / (matrix.name + ".csv")).write(to_csv(matrix.values));
  TextFile(path / "states.txt").write(names(r.linear.states));
  TextFile(path / "inputs.txt").write(names(r.linear.inputs));
}

void print_text(const Result& r, const LineariseOptions& options) {
  const auto line = [](std::string_view name, const std::string& value) { fmt::print("  {:<18}{}\n", name, value); };
  if (!r.scenario.model.name.empty()) fmt::print("{}\n", r.scenario.model.name);
  line("formulation", r.formulation);
  line("states", fmt::format("{}", r.linear.states.size()));
  line("inputs", fmt::format("{}", r.linear.inputs.size()));
  if (r.imbalance > 1e-6)
    line("start shape",
         fmt::format("out of balance by {:.3g} of the mean member force: these numbers are of a shape that "
                     "moves; taut form finds the equilibrium",
                     r.imbalance));
  const std::vector<double> list = r.frequencies_hz();
  if (r.freedoms > 0) {
    double growth = 0.0;
    for (const auto& value : r.linear.eigenvalues) growth = std::max(growth, value.real());
    // A zero that comes twice splits by the root of rounding.
    const double noise = 1e-6 * r.linear.eigenvalues.cwiseAbs().maxCoeff();
    line("stability",
         growth > noise ? fmt::format("unstable: a motion grows by e in {:.4g} s", 1.0 / growth) : "no growing motion");
    line("frequencies", list.empty() ? "none" : fmt::format("{}, Hz:", list.size()));
  } else {
    line("motion", "nothing is free to move: all is held or driven, so there is no stability and no frequency to tell");
  }
  for (std::size_t i = 0; i < list.size(); i += 6) {
    std::string row = "   ";
    for (std::size_t j = i; j < std::min(list.size(), i + 6); ++j) row += fmt::format(" {:>11.6g}", list[j]);
    fmt::print("{}\n", row);
  }
  if (!options.output.empty())
    line("written", options.output);
  else
    line("matrices", "--json prints them, -o writes them (.json, .h5, or a folder of CSV files)");
}

Result compute(const LineariseOptions& options) {
  Result r;
  r.scenario = read_scenario(options.file, options.set);
  const Simulation& simulation = r.scenario.simulation;
  r.formulation = options.formulation.empty() ? simulation.formulation : options.formulation;
  LinearOptions how;
  how.bar_lengths = options.inputs == "all";
  how.lengths_as_states = options.lengths == "states";
  // Bar lengths act through the drift correction, whatever the method of a run.
  const ConstraintMethod method = how.bar_lengths ? ConstraintMethod::baumgarte : simulation.constraints;
  const Dynamics dynamics(r.scenario.model, r.formulation, method, {simulation.k_s, simulation.k_d});
  r.freedoms = dynamics.formulation().degrees_of_freedom();
  r.linear = linearise(dynamics, dynamics.start(), how);
  if (!is_mechanism(r.scenario.model)) r.imbalance = start_balance(r.scenario.model).imbalance;
  if (!r.linear.A.allFinite() || !r.linear.B.allFinite())
    throw RunError(0.0,
                   "the linear model is not finite at the start state: two nodes joined by a member coincide, or a bar "
                   "stands on a "
                   "pole of its coordinates");
  if (!options.discretise.empty()) {
    const Discretisation d = options.discretise == "euler"       ? Discretisation::euler
                             : options.discretise == "trapezoid" ? Discretisation::trapezoid
                                                                 : Discretisation::exact;
    r.discrete = discretise(r.linear, d, options.step > 0.0 ? options.step : simulation.step);
  }
  return r;
}

int run_linearise(const LineariseOptions& options) {
  if (!options.output.empty()) keep_input(options.output, options.file);
  const Result result = blaming(options.file, [&] { return compute(options); });
  if (!options.output.empty()) write(result, options.output);
  if (options.json)
    fmt::print("{}", json_text(result));
  else
    print_text(result, options);
  return 0;
}

}  // namespace

void add_linearise(CLI::App& app, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("linearise", "The motion near the start state as a linear system, x' = A x + B u");
  const auto options = std::make_shared<LineariseOptions>();
  const auto option = [&](const char* names, auto& to, const char* value, const char* help) {
    return command.add_option(names, to, help)->type_name(value);
  };
  option("FILE", options->file, "", "The model file (TOML)")->required();
  option("--formulation", options->formulation, "F",
         "nodal | minimal | quaternion | point_mass | multibody [as the model file says]");
  option(
      "--inputs", options->inputs, "I",
      "cables: their rest lengths, and torques of joints | all: the lengths of bars too (nodal, point_mass) [cables]")
      ->check(CLI::IsMember({"cables", "all"}));
  option("--lengths", options->lengths, "L",
         "inputs | states: the lengths are states and their rates the inputs [inputs]")
      ->check(CLI::IsMember({"inputs", "states"}));
  option("--discretise", options->discretise, "D", "euler | trapezoid | exact: adds Ad and Bd")
      ->check(CLI::IsMember({"euler", "trapezoid", "exact"}));
  option("--step", options->step, "S", "Step of the discretisation, s [as the model file says]")
      ->check(positive_number());
  option("-o,--output", options->output, "PATH", "Write the matrices: PATH.json, PATH.h5, or a folder of CSV files");
  option("--set", options->set, "KEY=VALUE", "Override any key of the model file; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--json", options->json,
                   "One JSON object on standard output: A, B, states, inputs, eigenvalues, Ad, Bd, frequencies_hz");
  command.footer(
      "States are the coordinates of the formulation and their rates; inputs are named like the cables, driven joints "
      "(and bars). "
      "Where the\n"
      "start shape is not in balance, A is that of the motion through it. `taut form` finds the equilibrium first.\n"
      "Examples:\n"
      "  taut linearise six-bar.toml\n"
      "  taut linearise six-bar.toml --formulation minimal --discretise exact --step 0.01 -o six-bar.h5\n"
      "  taut linearise six-bar.toml --formulation point_mass --inputs all --lengths states --json");
  command.callback([options, &exit_code] { exit_code = run_linearise(*options); });
}

}  // namespace taut
