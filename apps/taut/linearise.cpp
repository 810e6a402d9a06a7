// taut linearise: A and B about the start state, continuous and discrete.
#include "taut/answers/linearise.h"

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
#include "taut/base/text/csv.h"
#include "taut/file/read/read_toml.h"
#include "taut/results/output_dir.h"

namespace taut {
namespace {

struct LineariseOptions {
  std::string file, formulation, inputs = "cables", lengths = "inputs", discretise, output, from;
  std::vector<std::string> set;
  std::optional<double> step;
  bool json = false, matrices = false;
};

std::string to_csv(const Eigen::MatrixXd& matrix) {
  Csv csv;
  for (long i = 0; i < matrix.rows() && matrix.cols() > 0; ++i) {
    for (long j = 0; j < matrix.cols(); ++j) csv.cell(matrix(i, j));
    csv.end_row();
  }
  return csv.take();
}

// By the ending: JSON, HDF5, or a folder of CSV files.
void write(const LinearAnswer& r, const std::filesystem::path& path) {
  if (path.extension() == ".json") return TextFile(path, "json").write(result_text(json_of(r), 1));
  if (path.extension() == ".h5") {
    std::vector<NamedTexts> lists = {{"states", r.linear.states}, {"inputs", r.linear.inputs}};
    if (r.full) lists.push_back({"velocities", r.full->velocities});
    return TextFile(path, "h5").write(matrices_hdf5(matrices_of(r), lists));
  }
  const auto names = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& name : list) text += name + "\n";
    return text;
  };
  // All of them or none.
  std::vector<std::pair<std::string, std::string>> texts;
  for (const NamedMatrix& matrix : matrices_of(r)) texts.emplace_back(matrix.name + ".csv", to_csv(matrix.values));
  texts.emplace_back("states.txt", names(r.linear.states));
  texts.emplace_back("inputs.txt", names(r.linear.inputs));
  if (r.full) texts.emplace_back("velocities.txt", names(r.full->velocities));
  OutputDir dir(path);
  std::list<OutputFile> files;
  for (const auto& [name, text] : texts) files.emplace_back(dir, name).append(text, 0.0);
  for (OutputFile& file : files) file.finish(0.0);
}

void print_text(const LinearAnswer& r, const LineariseOptions& options) {
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

LinearAnswer compute(const LineariseOptions& options) {
  doing("reading " + options.file);
  const Scenario scenario = read_scenario(options.file, options.set);
  const std::optional<RecordedState> from = recorded_start(options.from, scenario);
  doing("linearising " + options.file);
  LinearSettings how;
  how.formulation = options.formulation;
  how.options.bar_lengths = options.inputs == "all";
  how.options.lengths_as_states = options.lengths == "states";
  if (!options.discretise.empty())
    how.discretise = static_cast<Discretisation>(index_of(discretisation_words(), options.discretise, "--discretise"));
  how.step = options.step;
  how.matrices = options.matrices;
  return answer_linear(scenario, how, from ? &*from : nullptr);
}

int run_linearise(const LineariseOptions& options) {
  const LinearAnswer result = in_file(options.file, [&] { return compute(options); });
  if (!options.output.empty()) {
    doing("writing " + options.output);
    write(result, options.output);
  }
  no_line();
  if (options.json)
    fmt::print("{}", result_text(json_of(result), 1));
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
       one_of(input_words())},
      {"--lengths", "L", &options->lengths,
       "inputs | states: the lengths are states and their rates the inputs [inputs]", one_of(length_words())},
      {"--discretise", "D", &options->discretise, "euler | trapezoid | exact: adds Ad and Bd",
       one_of(discretisation_words())},
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
