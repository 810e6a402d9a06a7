// The command line, read by CLI11.
#include "apps/taut/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <type_traits>

#include "apps/taut/terminal.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"

namespace taut {

namespace {

constexpr int bad_input = 2;

void set_column(CLI::App& app, std::size_t width) {
  const auto formatter = std::make_shared<CLI::Formatter>();
  formatter->column_width(width);
  app.formatter(formatter);
}

void add_option(CLI::App& app, const Option& option) {
  const auto add = [&](auto* to) {
    if constexpr (std::is_same_v<decltype(to), bool*>)
      return app.add_flag(option.names, *to, option.help);
    else
      return app.add_option(option.names, *to, option.help)->type_name(option.value);
  };
  CLI::Option* added = std::visit(add, option.to)->allow_extra_args(false)->required(option.required);
  if (option.check) added->check(CLI::Validator(option.check, ""));
  // An empty place to write to, or an empty list, is a slip (of a script's variable, say), not the same as none.
  const auto empty = [](const std::string& text) {
    return text.empty() ? "is empty: expected a value" : std::string();
  };
  if (added->check_name("--output") || added->check_name("--prestress")) added->check(CLI::Validator(empty, ""));
}

void add_command(CLI::App& program, const Command& command, int& exit_code) {
  CLI::App* app = program.add_subcommand(command.name, command.help);
  set_column(*app, 32);
  for (const Option& option : command.options) add_option(*app, option);
  app->footer(command.footer);
  app->callback([app, &command, &exit_code] {
    for (const CLI::Option* option : app->get_options())
      if (command.given && option->count() > 0) command.given->push_back(option->get_name());
    exit_code = command.run();
  });
}

// Words that `app` did not take: those that are nearly a command or an option of its own, or else the first one.
void add_misspelt(const CLI::App& app, const std::string& name, bool nearly, std::vector<Problem>& problems) {
  std::vector<std::string> commands, options;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& long_name : option->get_lnames()) options.push_back("--" + long_name);
  for (const std::string& text : app.remaining()) {
    const bool is_option = text.starts_with('-');
    const std::string word = is_option ? text.substr(0, text.find('=')) : text;
    const auto& known = is_option ? options : commands;
    const std::string_view near = nearest_word(word, {known.begin(), known.end()});
    const char* const kind = is_option ? "an option" : commands.empty() ? "expected here" : "a command";
    if (near != word && near.empty() != nearly)
      problems.push_back({{},
                          name,
                          nearly ? fmt::format("{} is not {} (did you mean \"{}\"?)", word, kind, near)
                                 : fmt::format("{} is not {}: \"{} --help\" lists what is", word, kind, name)});
    if (!nearly) return;  // what follows may be its value
    // What follows a word that should be a command belongs to that command.
    if (!is_option && !commands.empty()) return;
  }
}

std::vector<Problem> misspelt(const CLI::App& program) {
  std::vector<Problem> problems;
  for (const bool nearly : {true, false}) {
    if (!problems.empty()) break;
    add_misspelt(program, program.get_name(), nearly, problems);
    for (const CLI::App* command : program.get_subcommands())
      add_misspelt(*command, program.get_name() + " " + command->get_name(), nearly, problems);
  }
  return problems;
}

// Options that take one value and were given more than one. A flag may be repeated.
void add_repeated(const CLI::App& app, std::vector<Problem>& problems) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_type_size() > 0 && option->get_expected_max() == 1 && option->count() > 1)
      problems.push_back({{}, option->get_name(), fmt::format("is given {} times: expected once", option->count())});
}

std::vector<Problem> repeated(const CLI::App& program) {
  std::vector<Problem> problems;
  add_repeated(program, problems);
  for (const CLI::App* command : program.get_subcommands()) add_repeated(*command, problems);
  return problems;
}

}  // namespace

Option required(Option option) {
  option.required = true;
  return option;
}

int run_command_line(const Program& program, int argc, char** argv) {
  int exit_code = 0;
  CLI::App app(program.help);
  app.name(program.name);
  app.set_version_flag("--version", program.version, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(program.footer);
  // The page of the program itself has short names; those of the commands get a wide column.
  set_column(app, 18);
  for (const Command& command : program.commands) add_command(app, command, exit_code);

  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) {
      message("{}", app.help());
      return bad_input;
    }
  } catch (const CLI::ParseError& error) {
    // Help and version come this way too, with success.
    if (error.get_exit_code() != 0) {
      std::vector<Problem> problems = misspelt(app);
      if (problems.empty() && error.get_name() == "ArgumentMismatch") problems = repeated(app);
      if (!problems.empty()) throw InputError(std::move(problems));
    }
    return app.exit(error) == 0 ? 0 : bad_input;
  }
  return exit_code;
}

bool read_number(const std::string& text, double& value) { return CLI::detail::lexical_cast(text, value); }
bool read_number(const std::string& text, long& value) { return CLI::detail::lexical_cast(text, value); }

}  // namespace taut
