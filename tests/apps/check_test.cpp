// taut check judges what taut run would refuse, and `formulation = "all"` is a word for every command.
#include <nlohmann/json.hpp>

#include "tests/apps/program.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

// An arm on a pin and, at its end, a weight on an elastic bar.
const std::string arm = R"([nodes]
a = { at = [0, 0, 0], fixed = true }
b = [1, 0, 0]
c = { at = [1, 0, 1], mass = 1 }
[[bodies]]
name = "arm"
nodes = ["b"]
mass = 1
shape = "sphere"
radius = 0.1
[[joints]]
name = "pin"
kind = "revolute"
bodies = ["ground", "arm"]
at = "a"
axis = [0, 1, 0]
)";

class CliCheck : public ::testing::Test {
 protected:
  Outcome taut(std::vector<std::string> words) { return run_program(std::move(words), folder.path()); }
  int parts(const std::string& text) {
    write_text(folder / "m.toml", text);
    const Outcome outcome = taut({"check", "m.toml", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    return nlohmann::json::parse(outcome.out)["parts"];
  }
  ScratchFolder folder;
};

// The weight is a part of its own where nothing holds it, and none where a bar, a cable or a constraint does.
TEST_F(CliCheck, ElasticBarsConnectTheBodiesOfAMachine) {
  EXPECT_EQ(parts(arm), 2);
  EXPECT_EQ(parts(arm + "[[bars]]\nnodes = [\"b\", \"c\"]\nEA = 1000\n"), 1);
  EXPECT_EQ(parts(arm + "[[bars]]\nnodes = [\"b\", \"c\"]\nmass = 1\n"), 1);
  EXPECT_EQ(parts(arm + "[[cables]]\nnodes = [\"b\", \"c\"]\nEA = 1000\nrest_length = 1\n"), 1);
  EXPECT_EQ(parts(arm + "[[constraints]]\nsum = [[\"b\", 1], [\"c\", -1]]\naxes = [\"x\"]\n"), 1);
}

TEST_F(CliCheck, JudgesFormulationAndIntegrator) {
  write_text(folder / "m.toml", arm + "[simulation]\nformulation = \"nodal\"\n");
  Outcome outcome = taut({"check", "m.toml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.error,
            "m.toml:12:8: joints[0]: formulation nodal: joint \"pin\" needs the formulation multibody\n");
  write_text(folder / "m.toml", arm + "[simulation]\nintegrator = \"symplectic\"\n");
  outcome = taut({"check", "m.toml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.error.find("m.toml: simulation.integrator: symplectic"), 0u) << outcome.error;
  EXPECT_EQ(taut({"run", "m.toml", "-o", "out"}).error, outcome.error);  // as the run says
  write_text(folder / "m.toml", arm + "[simulation]\nintegrator = \"dopri6\"\n");
  EXPECT_EQ(taut({"check", "m.toml"}).error,
            "m.toml:18:14: simulation.integrator: \"dopri6\" is not known: expected one of auto, euler, rk4, dopri5, "
            "symplectic, cvode (did you mean \"dopri5\"?)\n");
}

TEST_F(CliCheck, AllIsAFormulationForEveryCommand) {
  for (const std::string& text : {model_text("prism"), arm}) {
    const bool machine = text == arm;
    const std::string file = machine ? "arm.toml" : "prism.toml";
    write_text(folder / file, text);
    const std::vector<std::string> all = {"--set", "simulation.formulation=all", "--set", "simulation.duration=0.02"};
    std::vector<std::vector<std::string>> commands = {
        {"check", file}, {"run", file, "-o", "out"}, {"modes", file}, {"linearise", file}};
    if (!machine) commands.insert(commands.end(), {{"statics", file}, {"form", file, "-o", "formed.toml"}});
    for (std::vector<std::string> words : commands) {
      words.insert(words.end(), all.begin(), all.end());
      const Outcome outcome = taut(words);
      EXPECT_EQ(outcome.exit_code, 0) << words[0] << " " << file << ": " << outcome.error;
    }
    // What reads a result, and what looks at a file as it stands.
    write_text(folder / ("all-" + file), "model = \"" + file + "\"\n[simulation]\nformulation = \"all\"\n");
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"view", "out", "-o", "page.html"},
                                               {"view", "all-" + file, "-o", "page2.html"},
                                               {"plot", "out", "--what", "energy", "-o", "e.svg"},
                                               {"export", "out", "--to", "csv", "-o", "csv"},
                                               {"export", "all-" + file, "--to", "gltf", "-o", "x.glb"}}) {
      const Outcome outcome = taut(words);
      EXPECT_EQ(outcome.exit_code, 0) << words[0] << " " << words[1] << ": " << outcome.error;
    }
  }
}

// Thin rods are no dumbbells: the closing table says that lumping them would be another motion.
TEST_F(CliCheck, RunOfAllSaysWhatItLeavesOut) {
  write_text(folder / "prism.toml", model_text("prism"));
  const Outcome outcome =
      taut({"run", "prism.toml", "-o", "out", "--formulation", "all", "--duration", "0.01", "--no-report"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("point_mass left out: point_mass lumps the mass of bars"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("m L²/4"), std::string::npos);
}

}  // namespace
}  // namespace taut::testing
