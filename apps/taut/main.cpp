// The program: reads the command line, runs one command, turns what it throws into a message and an exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "apps/taut/commands.h"
#include "apps/taut/json.h"
#include "apps/taut/terminal.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/inputs.h"
#include "taut/base/version.h"

namespace {

constexpr int failed = 1, bad_input = 2;

// Every command is watched from its beginning.
taut::Program watched(taut::Program program) {
  for (taut::Command& command : program.commands)
    command.run = [run = std::move(command.run), name = "taut " + command.name] {
      const taut::Watch watch(name);
      return run();
    };
  return program;
}

taut::Program program() {
  using namespace taut;
  return {.name = "taut",
          .help = "taut simulates tensegrity structures and robots: a model file in, a motion to trust out.",
          .version = program_version(),
          .footer =
              "Each command explains itself: taut run --help\n"
              "First steps:\n"
              "  taut examples                     list the built-in models\n"
              "  taut examples six_bar -o a.toml   write one as a model file\n"
              "  taut check a.toml                 is it in balance?\n"
              "  taut run a.toml                   simulate it into a-run/\n"
              "  taut view a-run                   look at it in the browser\n"
              "Exit codes: 0 done, 1 the run failed or was interrupted, 2 bad input.",
          .commands = {run_command(), check_command(), form_command(), statics_command(), modes_command(),
                       linearise_command(), design_command(), gradient_command(), sweep_command(), batch_command(),
                       view_command(), plot_command(), export_command(), examples_command(), reproduce_command()}};
}

// A closed standard stream leaves its number to the next file that is opened, and text would go into results. What
// takes its place cannot be written, so that lost text is noticed as before.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) ::dup2(::open("/dev/null", O_RDONLY), stream);
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_streams();
  // A file over the size limit is an error to report, not a reason to die.
  std::signal(SIGXFSZ, SIG_IGN);
  taut::protect_inputs();
  int exit_code = failed;
  try {
    exit_code = taut::run_command_line(watched(program()), argc, argv);
  } catch (const taut::InputError& error) {
    for (const taut::Problem& problem : error.problems()) taut::message("{}\n", to_string(problem));
    exit_code = bad_input;
  } catch (const std::bad_alloc&) {
    taut::message("out of memory\n");
  } catch (const std::exception& error) {
    taut::message("{}\n", error.what());
  }
  // What is no number is no result.
  if (const std::string& field = taut::field_without_number(); exit_code == 0 && !field.empty()) {
    taut::message("{}\n", taut::without_number_text(field));
    exit_code = failed;
  }
  // Text that did not reach its place is a failure as well.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    taut::message("cannot write to standard output: {}\n", std::strerror(errno));
    if (exit_code == 0) exit_code = failed;
  }
  return exit_code;
}
