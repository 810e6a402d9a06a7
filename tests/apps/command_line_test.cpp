// Words that no command takes: misspelt ones get the right one, others are refused as they are.
#include "tests/apps/program.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

class CliCommandLine : public ::testing::Test {
 protected:
  CliCommandLine() { write_text(folder / "swing.toml", model_text("swing")); }
  // Bad input: exit 2, this on standard error, and nothing is written.
  void refuses(const std::vector<std::string>& words, const std::string& error) {
    const Outcome outcome = run_program(words, folder.path());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error, error);
    EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"swing.toml"});
  }
  ScratchFolder folder;
};

TEST_F(CliCommandLine, MisspeltOptions) {
  const std::string duration = "taut run: --duraton is not an option (did you mean \"--duration\"?)\n";
  refuses({"run", "swing.toml", "--duraton", "3"}, duration);
  refuses({"run", "swing.toml", "--duraton=3"}, duration);
  refuses({"run", "--duraton", "3", "swing.toml"}, duration);
  refuses({"run", "swing.toml", "--duraton", "3", "--cvs", "--frobnicate"},
          duration + "taut run: --cvs is not an option (did you mean \"--csv\"?)\n");
  refuses({"run", "swing.toml", "-csv"}, "taut run: -csv is not an option (did you mean \"--csv\"?)\n");
  refuses({"run", "swing.toml", "--CSV"}, "taut run: --CSV is not an option (did you mean \"--csv\"?)\n");
  refuses({"--hlep"}, "taut: --hlep is not an option (did you mean \"--help\"?)\n");
  // Rather than that the right one is missing.
  refuses({"export", "swing.toml", "--too", "csv"}, "taut export: --too is not an option (did you mean \"--to\"?)\n");
}

TEST_F(CliCommandLine, MisspeltCommands) {
  refuses({"rnu", "swing.toml"}, "taut: rnu is not a command (did you mean \"run\"?)\n");
  refuses({"linearize", "swing.toml", "--step", "1"},
          "taut: linearize is not a command (did you mean \"linearise\"?)\n");
}

TEST_F(CliCommandLine, WordsUnlikeAnyOther) {
  refuses({"generate", "six_bar"}, "taut: generate is not a command: \"taut --help\" lists what is\n");
  refuses({"run", "swing.toml", "-x"}, "taut run: -x is not an option: \"taut run --help\" lists what is\n");
  refuses({"run", "swing.toml", "--frobnicate", "3"},
          "taut run: --frobnicate is not an option: \"taut run --help\" lists what is\n");
  refuses({"run", "swing.toml", "again"}, "taut run: again is not expected here: \"taut run --help\" lists what is\n");
  // Spelt right, but after -- no option.
  refuses({"run", "swing.toml", "--", "--csv"}, "taut: --csv is not an option: \"taut --help\" lists what is\n");
}

// Values are checked before anything is done.
TEST_F(CliCommandLine, ValuesThatOptionsRefuse) {
  const std::string more = "\nRun with --help for more information.\n";
  refuses({"run", "swing.toml", "-o", ""}, "--output: is empty: expected a value" + more);
  refuses({"statics", "swing.toml", "--tolerance", "0.5"},
          "--tolerance: expected a number above 0, 0.1 at most, not \"0.5\"" + more);
  refuses({"modes", "swing.toml", "--count", "1.5"},
          "--count: expected a whole number from 1 to 1000000, not \"1.5\"" + more);
  refuses({"sweep", "swing.toml", "--threads", "4097"},
          "--threads: expected a whole number from 1 to 4096, not \"4097\"" + more);
  refuses({"linearise", "swing.toml", "--inputs", "bars"},
          "--inputs: \"bars\" is not known: expected one of cables, all" + more);
  refuses({"linearise", "swing.toml", "--formulation", "nodall"},
          "--formulation: \"nodall\" is not known: expected one of nodal, minimal, quaternion, point_mass, multibody, "
          "minimal_bounded (did you mean \"nodal\"?)" +
              more);
  refuses({"modes", "swing.toml", "--formulation", "quaternian"},
          "--formulation: \"quaternian\" is not known: expected one of nodal, minimal, quaternion, point_mass, "
          "multibody, minimal_bounded (did you mean \"quaternion\"?)" +
              more);
  refuses({"run", "swing.toml", "--duration", "1", "--duration", "2"}, "--duration: is given 2 times: expected once\n");
  // A flag may be said twice, and is not blamed for another error.
  refuses({"modes", "swing.toml", "--json", "--json", "--count", "1.5"},
          "--count: expected a whole number from 1 to 1000000, not \"1.5\"" + more);
}

}  // namespace
}  // namespace taut::testing
