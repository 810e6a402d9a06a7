// The commands of the program, one per file. What they throw, main turns into an exit code.
#pragma once

#include "apps/taut/command_line.h"

namespace taut {

Command run_command();
Command check_command();
Command view_command();
Command plot_command();
Command export_command();
Command examples_command();
Command form_command();
Command statics_command();
Command linearise_command();
Command design_command();
Command modes_command();
Command sweep_command();
Command gradient_command();
Command batch_command();
Command reproduce_command();

}  // namespace taut
