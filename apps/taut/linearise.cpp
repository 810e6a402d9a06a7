// taut linearise: A and B about the start state, continuous and discrete.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "apps/taut/commands.h"
#include "apps/taut/from_run.h"
#include "apps/taut/in_file.h"
#include "apps/taut/json.h"
#include "apps/taut/text_file.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/csv.h"
#include "taut/equilibrium/balance.h"
#include "taut/file/read/read_toml.h"
#include "taut/model/run_words.h"
#include "taut/modes/full_model.h"
#include "taut/results/hdf5/matrices_hdf5.h"
#include "taut/results/output_dir.h"

namespace taut {
namespace {

struct LineariseOptions {
  std::string file, formulation, inputs = "cables", lengths = "inputs", discretise, output, from;
  std::vector<std::string> set;
  double step = 0.0;
  bool json = false, matrices = false;
};

struct Result {
  Scenario scenario;
  std::string formulation;
  LinearModel linear;
  std::optional<DiscreteModel> discrete;
  std::optional<FullModel> full;
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
  Csv csv;
  for (long i = 0; i < matrix.rows() && matrix.cols() > 0; ++i) {
    for (long j = 0; j < matrix.cols(); ++j) csv.cell(matrix(i, j));
    csv.end_row();
  }
  return csv.take();
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
  if (r.full)
    for (const auto& [name, matrix] :
         {std::pair("M", r.full->M), std::pair("c", Eigen::MatrixXd(r.full->c)), std::pair("B_full", r.full->B),
          std::pair("G", r.full->G), std::pair("gamma", Eigen::MatrixXd(r.full->gamma))})
      if (matrix.rows() > 0) list.push_back({name, matrix});
  return list;
}

std::string json_text(const Result& r) {
  Json object;
  object["formulation"] = r.formulation;
  object["states"] = r.linear.states;
  object["inputs"] = r.linear.inputs;
  if (r.full) object["velocities"] = r.full->velocities;
  for (const NamedMatrix& matrix : matrices(r)) object[matrix.name] = to_json(matrix.values);
  object["frequencies_hz"] = r.frequencies_hz();
  object["degrees_of_freedom"] = r.freedoms;
  object["imbalance"] = r.imbalance;
  return text_of(object, 1);
}

// By the ending: JSON, HDF5, or a folder of CSV files.
void write(const Result& r, const std::filesystem::path& path) {
  if (path.extension() == ".json") return TextFile(path, "json").write(json_text(r));
  if (path.extension() == ".h5") {
    std::vector<NamedTexts> lists = {{"states", r.linear.states}, {"inputs", r.linear.inputs}};
    if (r.full) lists.push_back({"velocities", r.full->velocities});
    return TextFile(path, "h5").write(matrices_hdf5(matrices(r), lists));
  }
  const auto names = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& name : list) text += name + "\n";
    return text;
  };
  // All of them or none.
  std::vector<std::pair<std::string, std::string>> texts;
  for (const NamedMatrix& matrix : matrices(r)) texts.emplace_back(matrix.name + ".csv", to_csv(matrix.values));
  texts.emplace_back("states.txt", names(r.linear.states));
  texts.emplace_back("inputs.txt", names(r.linear.inputs));
  if (r.full) texts.emplace_back("velocities.txt", names(r.full->velocities));
  OutputDir dir(path);
  std::list<OutputFile> files;
  for (const auto& [name, text] : texts) files.emplace_back(dir, name).append(text, 0.0);
  for (OutputFile& file : files) file.finish(0.0);
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
    line("motion", "nothing is free to move: all is held or driven, so there is no stability and no frequency");
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

Result compute(const LineariseOptions& options) {
  Result r;
  doing("reading " + options.file);
  r.scenario = read_scenario(options.file, options.set);
  const RunSettings& simulation = r.scenario.simulation;
  const std::optional<RecordedState> from = recorded_start(options.from, r.scenario);
  r.formulation = !options.formulation.empty() ? options.formulation
                  : from                       ? from->formulation
                                               : std::string(leading_formulation(r.scenario));
  // In its own coordinates the recorded state is taken as it is; others begin from its shape.
  const bool own = from && r.formulation == from->formulation;
  if (own) r.scenario.model = from->scenario.model;
  if (from && !own) start_at(*from, r.scenario);
  doing("linearising " + options.file);
  LinearOptions how;
  how.bar_lengths = options.inputs == "all";
  how.lengths_as_states = options.lengths == "states";
  // Bar lengths act through the drift correction, whatever the method of a run.
  const ConstraintMethod method = how.bar_lengths ? ConstraintMethod::baumgarte : simulation.constraints;
  const Dynamics dynamics(r.scenario.model, r.formulation, method, {simulation.k_s, simulation.k_d});
  r.freedoms = dynamics.formulation().facts().degrees_of_freedom;
  const State state = own ? state_of(*from) : dynamics.start();
  r.linear = linearise(dynamics, state, how);
  if (options.matrices) r.full = full_model(dynamics, state);
  if (!has_joints(r.scenario.model)) r.imbalance = start_balance(own ? model_at(*from) : r.scenario.model).imbalance;
  if (!r.linear.A.allFinite() || !r.linear.B.allFinite() || !r.linear.eigenvalues.allFinite())
    throw RunError(0.0,
                   "the linear model is not finite at the start state: two nodes joined by a member coincide, or a bar "
                   "stands on a "
                   "pole of its coordinates");
  if (!options.discretise.empty()) {
    const Discretisation d = options.discretise == "euler"       ? Discretisation::euler
                             : options.discretise == "trapezoid" ? Discretisation::trapezoid
                                                                 : Discretisation::exact;
    const double h = options.step > 0.0 ? options.step : simulation.step;
    if (d == Discretisation::exact) require_phase(r.linear.eigenvalues, h);
    r.discrete = discretise(r.linear, d, h);
    if (!r.discrete->Ad.allFinite() || !r.discrete->Bd.allFinite()) {
      const double growth = std::max(0.0, r.linear.eigenvalues.real().maxCoeff());
      throw RunError(0.0, growth * h > 1.0
                              ? fmt::format("over a step of {:g} s the motion grows beyond the largest number: it "
                                            "grows by e in {:.3g} s; take a step of that order",
                                            h, 1.0 / growth)
                              : fmt::format("over a step of {:g} s rounding grows beyond the largest number, and no "
                                            "digit of Ad is right; take a smaller step",
                                            h));
    }
  }
  return r;
}

int run_linearise(const LineariseOptions& options) {
  const Result result = in_file(options.file, [&] { return compute(options); });
  if (!options.output.empty()) {
    doing("writing " + options.output);
    write(result, options.output);
  }
  no_line();
  if (options.json)
    fmt::print("{}", json_text(result));
  else
    print_text(result, options);
  return 0;
}

}  // namespace

Command linearise_command() {
  const auto options = std::make_shared<LineariseOptions>();
  Command command{"linearise", "The motion near the start state as a linear system, x' = A x + B u"};
  command.options = {
      required({"FILE", "", &options->file, "The model file (TOML)"}),
      {"--formulation", "F", &options->formulation,
       "nodal | minimal | quaternion | point_mass | multibody [as the model file says]", a_formulation()},
      {"--inputs", "I", &options->inputs,
       "cables: their rest lengths, and torques of joints | all: the lengths of bars too (nodal, point_mass) [cables]",
       one_of({"cables", "all"})},
      {"--lengths", "L", &options->lengths,
       "inputs | states: the lengths are states and their rates the inputs [inputs]", one_of({"inputs", "states"})},
      {"--discretise", "D", &options->discretise, "euler | trapezoid | exact: adds Ad and Bd",
       one_of({"euler", "trapezoid", "exact"})},
      {"--step", "S", &options->step, "Step of the discretisation, s [as the model file says]", positive_number()},
      {"-o,--output", "PATH", &options->output, "Write the matrices: PATH.json, PATH.h5, or a folder of CSV files"},
      from_option(&options->from),
      {"--matrices", "", &options->matrices,
       "Also M, c, B_full, G, gamma of the whole: M v' + c = B_full du + G' lambda, G v' = gamma"},
      {"--set", "KEY=VALUE", &options->set, "Override any key of the model file; may be repeated"},
      {"--json", "", &options->json,
       "One JSON object on standard output: A, B, states, inputs, eigenvalues, Ad, Bd, frequencies_hz"},
  };
  command.footer =
      "States are the coordinates of the formulation and their rates; inputs are named like the cables, driven joints "
      "(and bars). "
      "Where the\n"
      "start shape is not in balance, A is that of the motion through it. `taut form` finds the equilibrium first.\n"
      "Examples:\n"
      "  taut linearise six-bar.toml\n"
      "  taut linearise six-bar.toml --formulation minimal --discretise exact --step 0.01 -o six-bar.h5\n"
      "  taut linearise six-bar.toml --formulation point_mass --inputs all --lengths states --json";
  command.run = [options] { return run_linearise(*options); };
  return command;
}

}  // namespace taut
