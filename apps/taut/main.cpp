// The program: reads the command line, runs one command, turns what it throws into a message and an exit code.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "apps/taut/commands.h"
#include "taut/base/error.h"

namespace {

constexpr int failed = 1, bad_input = 2;

// An empty place to write to, or an empty list, is a slip (of a script's variable, say), not the same as none.
void refuse_empty(CLI::App& app) {
  const CLI::Validator given(
      [](std::string& text) { return text.empty() ? std::string("is empty: expected a value") : std::string(); }, "");
  for (CLI::App* command : app.get_subcommands({}))
    for (const char* name : {"--output", "--prestress"})
      if (CLI::Option* option = command->get_option_no_throw(name)) option->check(given);
}

int run_command_line(int argc, char** argv) {
  int exit_code = 0;
  CLI::App app("taut simulates tensegrity structures and robots: a model file in, a motion to trust out.");
  app.name("taut");
  app.set_version_flag("--version", "taut " TAUT_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.failure_message(CLI::FailureMessage::simple);
  app.get_formatter()->column_width(32);
  app.footer(
      "Each command explains itself: taut run --help\n"
      "First steps:\n"
      "  taut examples                     list the built-in models\n"
      "  taut examples six_bar -o a.toml   write one as a model file\n"
      "  taut check a.toml                 is it in balance?\n"
      "  taut run a.toml                   simulate it into a-run/\n"
      "  taut view a-run                   look at it in the browser\n"
      "Exit codes: 0 done, 1 the run failed or was interrupted, 2 bad input.");
  taut::add_run(app, exit_code);
  taut::add_check(app, exit_code);
  taut::add_form(app, exit_code);
  taut::add_statics(app, exit_code);
  taut::add_modes(app, exit_code);
  taut::add_linearise(app, exit_code);
  taut::add_design(app, exit_code);
  taut::add_sweep(app, exit_code);
  taut::add_view(app, exit_code);
  taut::add_plot(app, exit_code);
  taut::add_export(app, exit_code);
  taut::add_examples(app, exit_code);
  taut::add_reproduce(app, exit_code);
  refuse_empty(app);
  // The page of the program itself has short names; those of the commands keep the wide column.
  app.formatter(std::make_shared<CLI::Formatter>());
  app.get_formatter()->column_width(18);

  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) {
      fmt::print(stderr, "{}", app.help());
      return bad_input;
    }
  } catch (const CLI::ParseError& error) {
    // Help and version come this way too, with success.
    return app.exit(error) == 0 ? 0 : bad_input;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  // A file over the size limit is an error to report, not a reason to die.
  std::signal(SIGXFSZ, SIG_IGN);
  int exit_code = failed;
  try {
    exit_code = run_command_line(argc, argv);
  } catch (const taut::InputError& error) {
    for (const taut::Problem& problem : error.problems()) fmt::print(stderr, "{}\n", to_string(problem));
    exit_code = bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  // Text that did not reach its place is a failure as well.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "cannot write to standard output: {}\n", std::strerror(errno));
    if (exit_code == 0) exit_code = failed;
  }
  return exit_code;
}
