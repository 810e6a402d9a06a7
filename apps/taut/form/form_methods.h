// What the methods of `taut form` share.
#pragma once

#include <string>
#include <vector>

#include "apps/taut/command_line.h"
#include "apps/taut/text_file.h"
#include "taut/form/groups.h"
#include "taut/form/relax.h"
#include "taut/model/scenario.h"

namespace taut {

struct FormOptions {
  std::string file, method = "relax", output;
  std::vector<std::string> set;
  long steps = RelaxOptions{}.steps;
  double tolerance = RelaxOptions{}.tolerance;
  double reach = 0.0;          // m; 0: the method's own
  double least_tension = 0.0;  // N
  bool json = false;

  // force_density, optimise
  std::vector<std::string> density, group, maximise, minimise, length;
  std::string groups = "connections";
  double mean_length = 0.0;  // m; 0: the start's
  double pretension = 0.0;   // N, mean over the cables; 0: the start's

  // newton
  std::string path, nodes = "*", record;
  double to = 1.0;
  bool arc_length = false;
  std::vector<std::string> rest_length;
  std::string branch;

  std::vector<std::string> given;  // options of the command line, "--density"
};

// Progress, in the line on a terminal.
void say_steps(long steps, double residual);

int form_prestress(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output);
int form_force_density(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output);
int form_optimise(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output);
int form_newton(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output);

// The options that belong to these methods, for `taut form --help`.
void add_shape_options(Command& command, FormOptions& options);
void add_path_options(Command& command, FormOptions& options);

// Throws InputError for an option that belongs to other methods than the one that was chosen.
void refuse_options_of_others(const FormOptions& options);

// Groups given by --group. Throws InputError where one holds cables and bars, or two hold the same member.
MemberGroups given_groups(const Model& model, const FormOptions& options);

}  // namespace taut
