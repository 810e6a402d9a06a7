// taut examples: lists the structures that taut can generate, or prints one as a plain model file.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "apps/taut/commands.h"
#include "apps/taut/shipped_models.h"
#include "apps/taut/terminal.h"
#include "apps/taut/text_file.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/file/write/write_toml.h"
#include "taut/generators/generators.h"

namespace taut {
namespace {

struct ExampleOptions {
  std::string kind;
  std::string file;
  std::vector<std::string> set;
  bool parameters = false;
};

// What can be set, and its standard value.
void print_parameters(const Generator& generator) {
  fmt::print("{}: {}\n", generator.kind, generator.help);
  for (const Parameter& parameter : generator.parameters) {
    const std::string standard = parameter.standard ? fmt::format("{}", *parameter.standard) : "";
    fmt::print("    {:<11} {:>6}  {}\n", parameter.key, standard, parameter.help);
  }
}

// A line for each, by families.
void print_list() {
  for (const std::string& family : families()) {
    fmt::print("{}:\n", family);
    for (const Generator& generator : generators())
      if (family_of(generator) == family) fmt::print("    {:<24} {}\n", generator.kind, generator.help);
    fmt::print("\n");
  }
  fmt::print("Ready-made:\n");
  for (const ShippedModel& model : shipped_models()) {
    // Its first line of comment says what it is.
    const std::string_view first = model.text.substr(0, model.text.find('\n'));
    fmt::print("    {:<24} {}\n", model.file, first.substr(0, 2) == "# " ? first.substr(2) : "");
  }
  fmt::print(
      "\nWhat can be set: taut examples prism --parameters. Print one as a model file: taut examples prism --set "
      "bars=4, "
      "taut examples {}\n",
      shipped_models().front().file);
}

const Generator& generator_named(const std::string& kind) {
  if (const Generator* found = find_generator(kind)) return *found;
  std::vector<std::string_view> kinds;
  for (const Generator& generator : generators()) kinds.push_back(generator.kind);
  for (const ShippedModel& model : shipped_models()) kinds.push_back(model.file);
  throw InputError("examples: " + unknown_word(kind, kinds));
}

// The texts "key=value" of --set; the last one counts.
Parameters parse_settings(const std::vector<std::string>& texts) {
  Parameters parameters;
  std::vector<Problem> problems;
  for (const std::string& text : texts) {
    const size_t split = text.find('=');
    if (split == std::string::npos || split == 0) {
      problems.push_back({{}, "--set " + text, "expected key=value, such as bars=4"});
      continue;
    }
    const std::string key = text.substr(0, split);
    const char *first = text.data() + split + 1, *last = text.data() + text.size();
    if (first != last && *first == '+') ++first;
    double value = 0.0;
    const auto [end, error] = std::from_chars(first, last, value);
    if (error != std::errc{} || end != last) {
      problems.push_back({{}, key, fmt::format("expected a number, got \"{}\"", text.substr(split + 1))});
    }
    parameters[key] = value;
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return parameters;
}

// A generated model; or, where no generator has the name, a ready-made one.
std::string example_text(const ExampleOptions& options) {
  const ShippedModel* shipped = find_generator(options.kind) ? nullptr : find_shipped_model(options.kind);
  if (!shipped) return to_toml(generate(generator_named(options.kind), parse_settings(options.set)));
  if (!options.set.empty())
    throw InputError(fmt::format(
        "{} is a ready-made file: --set belongs to the command that takes it, such as taut run", shipped->file));
  return std::string(shipped->text);
}

void examples(const ExampleOptions& options) {
  if (options.parameters) {
    if (!options.file.empty() || !options.set.empty())
      throw InputError("--parameters lists what can be set: it goes without --output and --set");
    if (!options.kind.empty()) return print_parameters(generator_named(options.kind));
    for (const Generator& generator : generators()) print_parameters(generator);
    return;
  }
  if (options.kind.empty()) {
    if (!options.file.empty() || !options.set.empty()) {
      throw InputError("which example? --output and --set need a NAME, such as: taut examples prism");
    }
    return print_list();
  }
  const std::string text = example_text(options);
  no_line();
  if (options.file.empty()) {
    fmt::print("{}", text);
  } else {
    TextFile(options.file, "toml").write(text);
    message("wrote {}\n", options.file);
  }
}

}  // namespace

Command examples_command() {
  const auto options = std::make_shared<ExampleOptions>();
  Command command{"examples", "List the built-in models, or print one as a model file"};
  command.options = {
      {"NAME", "", &options->kind, "The model to print; without it they are listed"},
      {"-o,--output", "FILE", &options->file, "Write the model into this file"},
      {"--set", "KEY=VALUE", &options->set, "Set a parameter of the model; may be repeated"},
      {"--parameters", "", &options->parameters, "List what can be set, of NAME or of all models"},
  };
  command.footer =
      "Examples:\n"
      "  taut examples\n"
      "  taut examples prism --parameters\n"
      "  taut examples prism --set bars=4 --set pretension=80\n"
      "  taut examples six_bar -o six-bar.toml\n"
      "  taut examples six_bar_drop.toml -o drop.toml";
  command.run = [options] {
    examples(*options);
    return 0;
  };
  return command;
}

}  // namespace taut
