// [[controllers]] of kind process: every key read, written and read again; inputs that are not listed; where it runs;
// whatever is wrong refused with its place. Nothing here starts a program.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/check/check.h"
#include "taut/model/control_names.h"
#include "tests/file/model_support.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

// The controller begins in line 16.
const std::string ropes = model_text("two_ropes") + "[[controllers]]\nkind = \"process\"\n";

Model read_one(const std::string& keys, const std::vector<std::string>& set = {}, const std::string& file = "m.toml") {
  return read_scenario_text(ropes + keys, file, set).model;
}

// The problems of a controller whose keys begin in line 18.
void expect_problem(const std::string& keys, const std::string& problem) {
  EXPECT_EQ(problems_of(ropes + keys), std::vector<std::string>{"m.toml:" + problem}) << keys;
}

std::string here() { return std::filesystem::current_path().string(); }

TEST(ProcessKeys, EveryKey) {
  const Model model = read_one(
      "name = \"hand\"\nrate = 50\nstart = 0.5\ninputs = [\"right\"]\nbounds = [0.5, inf]\nspeed = 0.3\n"
      "command = [\"python3\", \"policy.py\", \"-v\"]\nfolder = \"/opt/policies\"\ntime_limit = 2.5\nmemory = 4\n");
  const ControllerSpec& spec = model.controllers.at(0);
  EXPECT_EQ(spec.kind, ControllerKind::process);
  EXPECT_EQ(spec.name, "hand");
  EXPECT_EQ(spec.rate, 50.0);
  EXPECT_EQ(spec.start, 0.5);
  EXPECT_EQ(spec.steer.inputs, (std::vector<ControlInput>{{1, -1, 0, {0.5, INFINITY}}}));
  EXPECT_EQ(spec.steer.speed, 0.3);
  EXPECT_EQ(spec.steer.command, (std::vector<std::string>{"python3", "policy.py", "-v"}));
  EXPECT_EQ(spec.steer.folder, "/opt/policies");
  EXPECT_EQ(spec.steer.time_limit, 2.5);
  EXPECT_EQ(spec.steer.memory, 4);
  EXPECT_EQ(control_columns(model), std::vector<std::string>{"hand.right"});
}

TEST(ProcessKeys, Defaults) {
  const Model model = read_one("command = \"./policy with spaces\"\n");
  const ControllerSpec& spec = model.controllers.at(0);
  EXPECT_EQ(spec.rate, 100.0);
  EXPECT_EQ(spec.steer.command, std::vector<std::string>{"./policy with spaces"});
  EXPECT_EQ(spec.steer.folder, here());
  EXPECT_EQ(spec.steer.time_limit, 5.0);
  EXPECT_EQ(spec.steer.memory, 0);
  EXPECT_EQ(spec.steer.inputs, (std::vector<ControlInput>{{0, -1, 0, {}}, {1, -1, 0, {}}}));
  EXPECT_EQ(driven_cables(model), (std::vector<int>{0, 1}));
  EXPECT_EQ(controller_names(model), std::vector<std::string>{"process"});
}

TEST(ProcessKeys, AreWrittenAndReadAgain) {
  for (const char* keys :
       {"command = \"policy\"\n", "command = [\"a b\", \"\\\"c\\\"\", \"\"]\ninputs = [\"left\"]\nmemory = 7\n",
        "command = [\"x\"]\nfolder = \"sub\"\ntime_limit = 0.1\nbounds = [[0.1, 2], [0.2, inf]]\n"}) {
    const Scenario s = read_scenario_text(ropes + keys, "m.toml");
    const std::string text = to_toml(s);
    // Written to another folder it still runs in the first one.
    EXPECT_EQ(read_scenario_text(text, "other/again.toml"), s) << text;
  }
}

TEST(ProcessKeys, RunsInTheFolderOfItsFile) {
  const auto folder = [](const std::string& file, const std::string& keys, const std::vector<std::string>& set = {}) {
    return read_one(keys, set, file).controllers.at(0).steer.folder;
  };
  EXPECT_EQ(folder("/robots/arm.toml", "command = \"p\""), "/robots");
  EXPECT_EQ(folder("/arm.toml", "command = \"p\""), "/");
  EXPECT_EQ(folder("robots/arm.toml", "command = \"p\""), here() + "/robots");
  EXPECT_EQ(folder("/robots/arm.toml", "command = \"p\"\nfolder = \"../policies/\""), "/policies");
  EXPECT_EQ(folder("/robots/arm.toml", "command = \"p\"\nfolder = \".\""), "/robots");
  // What --set gives counts from the model file, too.
  EXPECT_EQ(folder("/robots/arm.toml", "command = \"p\"", {"controllers.0.command=q"}), "/robots");
  EXPECT_EQ(folder("/robots/arm.toml", "command = \"p\"", {"controllers.0.folder=\"there\""}), "/robots/there");
}

// A file in another folder builds on the model: the program lies beside the file that names it.
TEST(ProcessKeys, BesideTheFileThatNamesIt) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "base");
  write_text(folder / "base/m.toml", ropes + "name = \"hand\"\ncommand = \"p\"\n");
  write_text(folder / "top.toml", "model = \"base/m.toml\"\n");
  EXPECT_EQ(read_scenario((folder / "top.toml").string()).model.controllers.at(0).steer.folder,
            (folder / "base").string());
  write_text(folder / "top.toml",
             "model = \"base/m.toml\"\n[[controllers]]\nkind = \"process\"\nname = \"hand\"\ncommand = \"q\"\n");
  EXPECT_EQ(read_scenario((folder / "top.toml").string()).model.controllers.at(0).steer.folder, folder.path().string());
}

std::vector<std::string> input_names(const std::string& text, std::size_t controller) {
  const Model model = read_scenario_text(text, "m.toml").model;
  std::vector<std::string> names;
  for (const ControlInput& input : model.controllers.at(controller).steer.inputs)
    names.push_back(input_name(model, input));
  return names;
}

// Whoever comes before or after it.
TEST(ProcessKeys, WithoutInputsItDrivesWhatNothingElseDoes) {
  using Names = std::vector<std::string>;
  const std::string process = "[[controllers]]\nkind = \"process\"\ncommand = \"p\"\n";
  EXPECT_EQ(input_names(ropes + "command = \"p\"\n[[actuators]]\ncable = \"left\"\nrest_length = 1.0\n", 0),
            Names{"right"});
  const std::string table =
      "[[controllers]]\nkind = \"table\"\ninputs = [\"right\"]\npath = { t = [0], values = [1] }\n";
  EXPECT_EQ(input_names(ropes + "command = \"p\"\n" + table, 0), Names{"left"});
  const std::string arm = model_text("two_link_arm");
  EXPECT_EQ(input_names(arm + process, 0), (Names{"shoulder", "elbow"}));
  EXPECT_EQ(input_names(arm + process + "[[actuators]]\njoint = \"shoulder\"\ntorque = 0.0\n", 0), Names{"elbow"});
  EXPECT_EQ(input_names(arm + process + "[[actuators]]\njoint = \"shoulder\"\nposition = 0.0\n", 0), Names{"elbow"});
  // The first of two takes all.
  EXPECT_EQ(
      problems_of(ropes + "command = \"p\"\n" + process),
      std::vector<std::string>{"m.toml:19:1: controllers[1].inputs: is empty: expected joints or cables, and there "
                               "are none that nothing else drives"});
  EXPECT_EQ(
      problems_of(ropes + "command = \"p\"\nbounds = [[0.5, 1], [0.5, 2], [0.5, 3]]\n"),
      std::vector<std::string>{"m.toml:19:10: controllers[0].bounds: expected [least, most], or 2 of them, one for "
                               "each input; got a list of 3"});
}

TEST(ProcessKeys, WhatIsWrong) {
  expect_problem("",
                 "16:1: controllers[0].command: is missing: expected a program and its arguments, as in "
                 "[\"python3\", \"policy.py\"]");
  const std::string example = "expected a program and its arguments, as in [\"python3\", \"policy.py\"]";
  expect_problem("command = 3", "18:11: controllers[0].command: " + example + ", got 3");
  expect_problem("command = []", "18:11: controllers[0].command: is empty: " + example);
  expect_problem("command = \"\"", "18:11: controllers[0].command: is empty: " + example);
  expect_problem("command = [\"\", \"x\"]", "18:11: controllers[0].command: is empty: " + example);
  expect_problem("command = [\"x\", 3]", "18:17: controllers[0].command[1]: expected a text, got 3");
  expect_problem("command = \"x\\u0000y\"",
                 "18:11: controllers[0].command: has a character of code 0, which ends a text in other programs");
  expect_problem("command = \"x\"\nfolder = \"x\\u0000y\"",
                 "19:10: controllers[0].folder: has a character of code 0, which no path has");
  expect_problem("command = \"x\"\ntime_limit = 0",
                 "19:14: controllers[0].time_limit: is 0: expected a number above 0");
  expect_problem("command = \"x\"\nmemory = 1.5",
                 "19:10: controllers[0].memory: is 1.5: expected a whole number, of numbers to remember");
  expect_problem("command = \"x\"\nmemory = -1",
                 "19:10: controllers[0].memory: is -1: expected a whole number from 0 to 100000");
  expect_problem("command = \"x\"\nrate = 0", "19:8: controllers[0].rate: is 0: expected a number above 0");
  expect_problem("command = \"x\"\ntargets = [\"c.z\"]",
                 "19:1: controllers[0].targets: is not a key of a process controller");
  expect_problem(
      "command = \"x\"\ntime_limits = 1",
      "19:1: controllers[0].time_limits: is not a key of a process controller (did you mean \"time_limit\"?)");
  expect_problem("command = \"x\"\ninputs = [\"lift\"]",
                 "19:11: controllers[0].inputs[0]: there is no joint or cable \"lift\" (did you mean \"left\"?)");
}

// Models that no file has.
TEST(ProcessKeys, RulesForModelsMadeInCpp) {
  const auto keys = [](const auto& change) {
    Model model = read_one("command = \"x\"\n");
    change(model.controllers[0].steer);
    std::vector<std::string> found;
    for (const Finding& finding : check_entities(model)) found.push_back(finding.key);
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys([](SteerSettings&) {}), Keys{});
  EXPECT_EQ(keys([](SteerSettings& s) { s.command.clear(); }), Keys{"command"});
  EXPECT_EQ(keys([](SteerSettings& s) { s.time_limit = NAN; }), Keys{"time_limit"});
  EXPECT_EQ(keys([](SteerSettings& s) { s.memory = 1'000'000; }), Keys{"memory"});
  EXPECT_EQ(keys([](SteerSettings& s) { s.inputs.clear(); }), Keys{"inputs"});
  EXPECT_EQ(keys([](SteerSettings& s) { s.targets.push_back({ControlTarget::Kind::node, 2, 2}); }), Keys{"targets"});
  EXPECT_EQ(keys([](SteerSettings& s) { s.path = {{0.0}, {}, {}}; }), Keys{"path"});
}

}  // namespace
}  // namespace taut::testing
