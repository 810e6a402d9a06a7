// The commands of the program, one per file. Each adds its subcommand; the callback does the work, sets the exit code
// (0 done, 1 the run failed or was interrupted, 2 bad input) or throws, which main turns into one.
#pragma once

#include <CLI/CLI.hpp>

namespace taut {

void add_run(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_view(CLI::App& app, int& exit_code);
void add_plot(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_examples(CLI::App& app, int& exit_code);
void add_form(CLI::App& app, int& exit_code);
void add_statics(CLI::App& app, int& exit_code);
void add_linearise(CLI::App& app, int& exit_code);
void add_design(CLI::App& app, int& exit_code);
void add_modes(CLI::App& app, int& exit_code);
void add_sweep(CLI::App& app, int& exit_code);
void add_reproduce(CLI::App& app, int& exit_code);

}  // namespace taut
