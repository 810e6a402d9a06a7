// What the command line of `taut form` says.
#pragma once

#include <string>
#include <vector>

#include "apps/taut/command_line.h"
#include "taut/answers/form/form.h"

namespace taut {

struct FormOptions {
  std::string file, output, record;
  std::vector<std::string> set;
  bool json = false;
  FormSettings settings;  // what is a value as it is typed

  // Words and texts for the others.
  std::string method = "relax", groups = "connections", path, branch;
  std::vector<std::string> density, length, rest_length;  // MEMBERS=NUMBER

  std::vector<std::string> given;  // options of the command line, "--density"
};

// The options that belong to some methods, for `taut form --help`.
void add_shape_options(Command& command, FormOptions& options);
void add_path_options(Command& command, FormOptions& options);

FormSettings settings_of(const FormOptions& options);

}  // namespace taut
