// `taut examples`: the list, plain model files that read back to the same scenario, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/generators/generators.h"
#include "tests/apps/program.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using testing::contents;
using testing::names_in;
using testing::Outcome;
using testing::run_program;
using testing::ScratchFolder;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A line for every kind, below the heading of its family.
TEST(GeneratorExamples, ListHasALineForEveryKind) {
  const ScratchFolder scratch;
  const Outcome list = run_program({"examples"}, scratch.path());
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_EQ(list.error, "");
  for (const Generator& generator : generators()) {
    const std::string line = fmt::format("\n    {:<24} {}\n", generator.kind, generator.help);
    const size_t heading = list.out.find(family_of(generator) + ":\n"), at = list.out.find(line);
    ASSERT_NE(heading, std::string::npos) << generator.kind;
    ASSERT_NE(at, std::string::npos) << generator.kind;
    EXPECT_EQ(list.out.find("\n\n", heading), list.out.find("\n\n", at)) << generator.kind;
    EXPECT_EQ(list.out.find(line, at + 1), std::string::npos) << generator.kind;
  }
}

TEST(GeneratorExamples, ParametersAreListed) {
  const ScratchFolder scratch;
  const Outcome all = run_program({"examples", "--parameters"}, scratch.path());
  EXPECT_EQ(all.exit_code, 0);
  std::string one_by_one;
  for (const Generator& generator : generators()) {
    const Outcome one = run_program({"examples", generator.kind, "--parameters"}, scratch.path());
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_TRUE(one.out.starts_with(generator.kind + ": " + generator.help + "\n")) << generator.kind;
    for (const Parameter& parameter : generator.parameters) {
      EXPECT_TRUE(contains(one.out, "    " + parameter.key + " ")) << generator.kind << " " << parameter.key;
      EXPECT_TRUE(contains(one.out, parameter.help + "\n")) << generator.kind << " " << parameter.key;
    }
    one_by_one += one.out;
  }
  EXPECT_EQ(all.out, one_by_one);
}

// docs/generators.md has a section for every kind, with a row for every parameter.
TEST(GeneratorExamples, PageDescribesEveryParameter) {
  const std::string page = contents(std::string(TAUT_SOURCE_DIR) + "/docs/generators.md");
  for (const Generator& generator : generators()) {
    const size_t start = page.find("\n## " + generator.kind + "\n");
    ASSERT_NE(start, std::string::npos) << generator.kind;
    const std::string section = page.substr(start, page.find("\n## ", start + 1) - start);
    size_t rows = 0;
    for (const Parameter& parameter : generator.parameters) {
      const std::string standard = parameter.standard ? fmt::format("{} ", *parameter.standard) : "";
      const std::string row = fmt::format("\n| `{}` | {}| {} |", parameter.key, standard, parameter.help);
      EXPECT_TRUE(contains(section, row)) << generator.kind << ": " << row;
    }
    for (size_t at = section.find("\n| `"); at != std::string::npos; at = section.find("\n| `", at + 1)) ++rows;
    EXPECT_EQ(rows, generator.parameters.size()) << generator.kind;
  }
}

// The printed file, and a [generate] section, give the scenario that generate() gives, number for number.
TEST(GeneratorExamples, EveryExampleReadsBackToTheSameScenario) {
  const ScratchFolder scratch;
  for (const Generator& generator : generators()) {
    const Scenario made = generate(generator, {});
    const Outcome printed = run_program({"examples", generator.kind}, scratch.path());
    EXPECT_EQ(printed.exit_code, 0) << generator.kind;
    EXPECT_EQ(printed.error, "") << generator.kind;
    EXPECT_EQ(printed.out, to_toml(made)) << generator.kind;
    EXPECT_TRUE(read_scenario_text(printed.out, "example.toml") == made) << generator.kind;
    const std::string section = fmt::format("[generate]\nkind = \"{}\"\n", generator.kind);
    EXPECT_TRUE(read_scenario_text(section, "section.toml").model == made.model) << generator.kind;
  }
}

TEST(GeneratorExamples, SetChangesParametersAndTheLastOneCounts) {
  const ScratchFolder scratch;
  const Outcome printed = run_program(
      {"examples", "prism", "--set", "bars=5", "--set", "pretension=2.5e1", "--set", "bars=4"}, scratch.path());
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out, to_toml(generate(*find_generator("prism"), {{"bars", 4}, {"pretension", 25}})));
}

TEST(GeneratorExamples, OutputIsWrittenWhole) {
  const ScratchFolder scratch;
  testing::write_text(scratch / "net.toml", "old");
  const Outcome written = run_program({"examples", "net", "-o", "net.toml"}, scratch.path());
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(written.error, "wrote net.toml\n");
  EXPECT_EQ(contents(scratch / "net.toml"), to_toml(generate(*find_generator("net"), {})));
  EXPECT_EQ(names_in(scratch.path()), std::vector<std::string>{"net.toml"});
}

TEST(GeneratorExamples, OutputToAStreamGoesThrough) {
  const ScratchFolder scratch;
  const Outcome written = run_program({"examples", "net", "-o", "/dev/stdout"}, scratch.path());
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_EQ(written.out, to_toml(generate(*find_generator("net"), {})));
}

// Exit 2, a message on standard error, nothing on standard output, nothing left behind.
void expect_refused(const std::vector<std::string>& arguments, const std::string& part_of_message, int exit_code = 2) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "folder");
  const Outcome refused = run_program(arguments, scratch.path());
  const std::string words = fmt::format("{}", fmt::join(arguments, " "));
  EXPECT_EQ(refused.exit_code, exit_code) << words;
  EXPECT_EQ(refused.out, "") << words;
  EXPECT_TRUE(contains(refused.error, part_of_message)) << words << ": " << refused.error;
  EXPECT_EQ(names_in(scratch.path()), std::vector<std::string>{"folder"}) << words;
  EXPECT_TRUE(names_in(scratch / "folder").empty()) << words;
}

TEST(GeneratorExamples, BadInputIsRefused) {
  expect_refused({"examples", "prims"}, "examples: \"prims\" is not known: expected one of prism, ");
  expect_refused({"examples", "zeppelin"},
                 "examples: \"zeppelin\" is not known: expected one of prism, six_bar, tower");
  expect_refused({"examples", "prism", "--set", "bars=2"}, "bars: must be at least 3, got 2");
  expect_refused({"examples", "prism", "--set", "bar=4"}, "bar: is not a parameter of prism: expected one of bars, ");
  expect_refused({"examples", "prism", "--set", "bars=four"}, "bars: expected a number, got \"four\"");
  expect_refused({"examples", "prism", "--set", "bars="}, "bars: expected a number, got \"\"");
  expect_refused({"examples", "prism", "--set", "bars=nan"}, "bars: must be a finite number");
  expect_refused({"examples", "prism", "--set", "bars"}, "expected key=value");
  expect_refused({"examples", "prism", "--set", "bars=2", "-o", "prism.toml"}, "bars: must be at least 3");
  expect_refused({"examples", "prism", "-o", "folder"}, "it is a folder");
  expect_refused({"examples", "prism", "-o", "folder/"}, "it is a folder");
  expect_refused({"examples", "-o", "prism.toml"}, "which example?");
  expect_refused({"examples", "prism", "--parameters", "--set", "bars=4"}, "goes without --output and --set");
  expect_refused({"examples", "prims", "--parameters"}, "(did you mean \"prism\"?)");
  expect_refused({"examples", "prism", "six_bar"}, "six_bar");
}

TEST(GeneratorExamples, FullDiskIsAFailure) {
  expect_refused({"examples", "prism", "-o", "/dev/full"}, "cannot write /dev/full", 1);
}

}  // namespace
}  // namespace taut
