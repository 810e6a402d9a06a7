// What a command line may say, as plain data: commands, their options, and where the values go. command_line.cpp alone
// knows the library that reads it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace taut {

// What is wrong with the text of a value; empty: nothing.
using ValueCheck = std::function<std::string(const std::string& text)>;

// Where the value of an option goes. A bool makes it a flag without a value; a vector lets it be repeated.
using OptionTarget = std::variant<bool*, int*, long*, double*, std::string*, std::optional<long>*,
                                  std::optional<double>*, std::optional<std::string>*, std::vector<std::string>*>;

struct Option {
  std::string names;  // "-o,--output"; "FILE": by its position
  std::string value;  // name of the value in the help
  OptionTarget to;
  std::string help;
  ValueCheck check = {};
  bool required = false;
};
Option required(Option option);

struct Command {
  std::string name, help;
  std::vector<Option> options = {};
  std::string footer = {};
  std::function<int()> run = {};              // the exit code: 0 done, 1 the run failed or was interrupted, 2 bad input
  std::vector<std::string>* given = nullptr;  // gets the options of the command line, "--density"

  void add(const std::vector<Option>& more) { options.insert(options.end(), more.begin(), more.end()); }
};

struct Program {
  std::string name, help, version, footer;
  std::vector<Command> commands;
};

// Reads the command line and runs the command it names; prints help, and what is wrong with the words. The exit code.
// Throws what the command throws, and InputError for misspelt options and commands.
int run_command_line(const Program& program, int argc, char** argv);

// Numbers as options read them; false where the text is none.
bool read_number(const std::string& text, double& value);
bool read_number(const std::string& text, long& value);

}  // namespace taut
