// [[controllers]] that steer: every key read, written and read again; names of inputs, targets and columns; whatever is
// wrong refused with its place.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/control_names.h"
#include "taut/model/joint_columns.h"
#include "tests/file/model_support.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using testing::problems_of;

// Two ropes and a frame; the controller begins in line 20.
const std::string ropes = testing::model_text("two_ropes") + R"([[outputs]]
frame = "plate"
nodes = ["a", "b", "c"]

)";

Model read_one(const std::string& keys, const std::vector<std::string>& set = {}) {
  return read_scenario_text(ropes + "[[controllers]]\n" + keys, "m.toml", set).model;
}

// The problems of one controller in lines 21 and on.
void expect_problem(const std::string& keys, const std::string& problem) {
  EXPECT_EQ(problems_of(ropes + "[[controllers]]\n" + keys), std::vector<std::string>{"m.toml:" + problem}) << keys;
}

const std::string pid = "kind = \"pid\"\ninputs = [\"left\"]\ntargets = [\"c.z\"]\n";

TEST(Steer, EveryKeyOfAPid) {
  const Model model = read_one(
      "kind = \"pid\"\nname = \"hands\"\nrate = 250\nstart = 0.5\ninputs = [\"right\", \"left\"]\n"
      "bounds = [[0.5, inf], [-inf, 2]]\nspeed = 0.3\ntargets = [\"c.z\", \"plate.yaw\"]\n"
      "path = { t = [0, 1, 3], values = [[1, 0], [2, 0.1], [1, 0]] }\n"
      "position_gain = [-1, 2]\nvelocity_gain = [-0.1, 0.2]\nintegral_gain = [0, 3]\nbias = 1.05\n");
  const ControllerSpec& spec = model.controllers.at(0);
  EXPECT_EQ(spec.kind, ControllerKind::pid);
  EXPECT_EQ(spec.name, "hands");
  EXPECT_EQ(spec.rate, 250.0);
  EXPECT_EQ(spec.start, 0.5);
  const SteerSettings& steer = spec.steer;
  EXPECT_EQ(steer.inputs, (std::vector<ControlInput>{{1, -1, 0, {0.5, INFINITY}}, {0, -1, 0, {-INFINITY, 2.0}}}));
  EXPECT_EQ(steer.speed, 0.3);
  EXPECT_EQ(steer.targets,
            (std::vector<ControlTarget>{{ControlTarget::Kind::node, 2, 2}, {ControlTarget::Kind::frame, 0, 3}}));
  EXPECT_EQ(steer.path.times, (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(steer.path.values, (std::vector<double>{1, 0, 2, 0.1, 1, 0}));
  // At rest at both ends; in the middle the parabola through the three rows: slopes 1 and -1/2 weighted by 2 and 1.
  ASSERT_EQ(steer.path.slopes.size(), 6u);
  EXPECT_EQ(steer.path.slopes[0], 0.0);
  EXPECT_NEAR(steer.path.slopes[2], (2.0 * 1.0 + 1.0 * -0.5) / 3.0, 1e-15);
  EXPECT_EQ(steer.path.slopes[5], 0.0);
  EXPECT_EQ(steer.position_gain, (std::vector<double>{-1, 2}));
  EXPECT_EQ(steer.velocity_gain, (std::vector<double>{-0.1, 0.2}));
  EXPECT_EQ(steer.integral_gain, (std::vector<double>{0, 3}));
  EXPECT_EQ(steer.bias, (std::vector<double>{1.05, 1.05}));
  EXPECT_EQ(driven_cables(model), (std::vector<int>{0, 1}));
  EXPECT_EQ(control_columns(model),
            (std::vector<std::string>{"hands.right", "hands.left", "hands.c.z.wanted", "hands.c.z.error",
                                      "hands.plate.yaw.wanted", "hands.plate.yaw.error"}));
}

TEST(Steer, DefaultsAndNamesOfControllers) {
  const Model model =
      read_one(pid + "[[controllers]]\nkind = \"pid\"\ninputs = [\"right\"]\ntargets = [\"left.tension\"]\n");
  EXPECT_EQ(model.controllers[0].rate, 100.0);
  EXPECT_EQ(model.controllers[0].steer.inputs[0].bounds, Bounds{});
  EXPECT_EQ(model.controllers[0].steer.speed, INFINITY);
  EXPECT_TRUE(model.controllers[0].steer.path.times.empty());
  EXPECT_EQ(controller_names(model), (std::vector<std::string>{"pid", "pid-2"}));
  EXPECT_EQ(controller_names(read_one(pid + "name = \"pid-2\"\n[[controllers]]\nkind = \"table\"\nname = \"pid\"\n"
                                            "inputs = [\"right\"]\npath = { t = [0], values = [1] }\n")),
            (std::vector<std::string>{"pid-2", "pid"}));
  EXPECT_EQ(standard_rate(ControllerKind::near_rigid), 1000.0);
  EXPECT_EQ(standard_rate(ControllerKind::lqr), 100.0);
  EXPECT_EQ(standard_rate(ControllerKind::roll), 20.0);
}

TEST(Steer, EveryKindIsWrittenAndReadAgain) {
  const std::string both = "inputs = [\"left\", \"right\"]\ntargets = [\"c.x\", \"right.length\"]\n";
  const std::string strut = "[generate]\nkind = \"single_strut\"\n";
  const std::string joints = "inputs = [\"B2-pulleyJt\", \"universalJt.psi\"]\n";
  for (const std::string& text :
       {ropes + "[[controllers]]\nkind = \"pid\"\n" + both + "bounds = [0.1, 3]\nbias = [1, 1.1]\nspeed = 0.125\n",
        ropes + "[[controllers]]\nkind = \"table\"\nname = \"a \\\"b\\\"\"\ninputs = [\"left\"]\nrate = 12.5\n"
                "path = { t = [0, 0.1, 0.7], values = [1, 1.1, 0.3], slopes = [0.1, 0.2, 0.3] }\n",
        ropes + "[[controllers]]\nkind = \"lqr\"\n" + both +
            "position_weight = [1, 3]\nvelocity_weight = 0.1\ninput_weight = [0.1, 0.7]\nbias = 1\n",
        ropes + "[[controllers]]\nkind = \"computed_torque\"\n" + both +
            "method = \"null_space\"\ntension = [1, inf]\nposition_gain = 4\nvelocity_gain = [1, 0.3]\n",
        strut + "[[controllers]]\nkind = \"near_rigid\"\n" + joints +
            "targets = [\"universalJt.phi\", \"universalJt.psi\"]\nrate = 0\nbounds = [[-5, 5], [-inf, 0.1]]\n"
            "path = { t = [0, 0.3], values = [[0.1, 0.2], [0.3, 0.7]] }\nposition_gain = 0.1\n"
            "strain = [[0, 0.1], [0, 0.1], [0.01, inf]]\nstrain_gain = 3\nfree_position_gain = 1\n"
            "free_velocity_gain = 2\ncompensate_damping = false\nstart = 0.1\n"}) {
    const Scenario s = read_scenario_text(text, "m.toml");
    EXPECT_EQ(s.model.controllers.size(), 1u);
    EXPECT_EQ(read_scenario_text(to_toml(s), "again.toml"), s) << to_toml(s);
  }
}

TEST(Steer, OverridesByName) {
  const Model model = read_one(pid + "name = \"hands\"\nposition_gain = -1\n",
                               {"controllers.hands.position_gain=-3", "controllers.hands.targets=[\"c.x\"]",
                                "controllers.hands.path.t=[0]", "controllers.hands.path.values=[0.5]"});
  EXPECT_EQ(model.controllers[0].steer.position_gain, std::vector<double>{-3});
  EXPECT_EQ(model.controllers[0].steer.targets[0].column, 0);
  EXPECT_EQ(model.controllers[0].steer.path.values, std::vector<double>{0.5});
}

TEST(Steer, APathFromAFileBesideTheModel) {
  const testing::ScratchFolder folder;
  testing::write_text(folder / "m.toml", ropes + "[[controllers]]\n" + pid + "path = { file = \"way.csv\" }\n");
  testing::write_text(folder / "way.csv", "t,z,vz\n0,1,0\n0.5,1.5,0.25\n");
  const ControlPath path = read_scenario((folder / "m.toml").string()).model.controllers[0].steer.path;
  EXPECT_EQ(path, (ControlPath{{0, 0.5}, {1, 1.5}, {0, 0.25}}));
  testing::write_text(folder / "way.csv", "0,1\n0.5,x\n");
  try {
    read_scenario((folder / "m.toml").string());
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("way.csv\", line 2: column 2: expected a finite number"),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("controllers[0].path.file"), std::string::npos) << error.what();
  }
}

// Every name that a result column has leads to the number of that column.
TEST(Steer, NamesOfTargetsAreThoseOfTheColumns) {
  const Model model = testing::generated("single_strut").model;
  const std::vector<std::string> columns = joint_columns(model);
  const JointColumns at = first_joint_columns(model);
  int found = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::vector<ControlTarget> targets = targets_called(model, columns[i]);
    if (targets.empty()) continue;
    ++found;
    ASSERT_EQ(targets.size(), 1u) << columns[i];
    EXPECT_EQ(target_name(model, targets[0]), columns[i]);
    const bool joint = targets[0].kind == ControlTarget::Kind::joint;
    const int first = joint ? at.joints[targets[0].index] : at.pulleys[targets[0].index];
    const bool beyond = !joint && targets[0].column > 1;  // phi and eps, their rates, then length and tension
    EXPECT_EQ(first + targets[0].column + (beyond ? 2 : 0), static_cast<int>(i)) << columns[i];
  }
  EXPECT_EQ(found, 8 + 3 * 4);  // seven joints, one of them with two; three pulleys
  for (const std::string& name : all_input_names(model)) {
    const std::vector<ControlInput> inputs = inputs_called(model, name);
    ASSERT_EQ(inputs.size(), 1u) << name;
    EXPECT_EQ(input_name(model, inputs[0]), name);
  }
}

// Generated pulleys have torques; whoever steers them does not want those.
TEST(Steer, ActuatorsOfWeakerFilesGiveWay) {
  const std::string strut = "[generate]\nkind = \"single_strut\"\n";
  const Model alone = read_scenario_text(strut, "m.toml").model;
  const Model steered =
      read_scenario_text(
          strut + "[[controllers]]\nkind = \"pid\"\ninputs = [\"B2-pulleyJt\"]\ntargets = [\"B2.eps\"]\n", "m.toml")
          .model;
  ASSERT_EQ(alone.drives.size(), 3u);
  ASSERT_EQ(steered.drives.size(), 2u);
  EXPECT_EQ(steered.drives[0], alone.drives[0]);
  EXPECT_EQ(steered.drives[1], alone.drives[2]);
  EXPECT_EQ(joint_columns(steered), joint_columns(alone));
}

TEST(Steer, WrongNames) {
  expect_problem("kind = \"pid\"\ntargets = [\"c.z\"]\n",
                 "20:1: controllers[0].inputs: is missing: expected a list of joints and cables");
  expect_problem("kind = \"pid\"\ninputs = [\"left\"]\n",
                 "20:1: controllers[0].targets: is missing: expected a list of names such as \"tip.z\"");
  expect_problem("kind = \"pid\"\ninputs = []\ntargets = [\"c.z\"]\n",
                 "22:10: controllers[0].inputs: expected a list of joints and cables, got an empty list");
  expect_problem("kind = \"pid\"\ninputs = [\"lefft\"]\ntargets = [\"c.z\"]\n",
                 "22:11: controllers[0].inputs[0]: there is no joint or cable \"lefft\" (did you mean \"left\"?)");
  expect_problem("kind = \"pid\"\ninputs = [\"winch\"]\ntargets = [\"c.z\"]\n",
                 "22:11: controllers[0].inputs[0]: there is no joint or cable \"winch\": there are left, right");
  expect_problem("kind = \"pid\"\ninputs = [3]\ntargets = [\"c.z\"]\n",
                 "22:11: controllers[0].inputs[0]: expected a name, got 3");
  expect_problem("kind = \"pid\"\ninputs = [\"left\"]\ntargets = [\"c.w\"]\n",
                 "23:12: controllers[0].targets[0]: there is no \"c.w\": \"c\" has x, y, z");
  expect_problem("kind = \"pid\"\ninputs = [\"left\"]\ntargets = [\"c\"]\n",
                 "23:12: controllers[0].targets[0]: there is no \"c\": \"c\" has x, y, z");
  expect_problem("kind = \"pid\"\ninputs = [\"left\"]\ntargets = [\"platte.yaw\"]\n",
                 "23:12: controllers[0].targets[0]: there is no \"platte.yaw\": expected a node, frame, joint, pulley "
                 "or cable and one "
                 "of its columns, such as \"tip.z\" (did you mean \"plate\"?)");
  expect_problem(pid + "gain = 3\n", "24:1: controllers[0].gain: is not a key of a pid controller");
  // A frame called as a node is.
  const std::vector<std::string> twice =
      problems_of(ropes + "[[outputs]]\nframe = \"c\"\nnodes = [\"b\", \"a\", \"c\"]\n[[controllers]]\n" + pid);
  ASSERT_EQ(twice.size(), 1u);
  EXPECT_NE(twice[0].find("\"c.z\" has two meanings"), std::string::npos) << twice[0];
}

TEST(Steer, WrongNumbers) {
  const auto wrong = [](const std::string& key, const std::string& problem) {
    expect_problem(pid + key + "\n", "24:" + problem);
  };
  wrong("rate = 0", "8: controllers[0].rate: is 0: expected a number above 0");
  wrong("bounds = [2, 1]", "10: controllers[0].bounds: \"left\": the least is 2, above the most, 1");
  wrong("bounds = [inf, inf]", "10: controllers[0].bounds: \"left\": [inf, inf] leaves no value");
  wrong("bounds = [-3, -1]", "10: controllers[0].bounds: \"left\": the most is -1, but a rest length is above 0");
  wrong("bounds = [1]", "10: controllers[0].bounds: expected [least, most], got a list of 1");
  wrong("bounds = [1, nan]", "14: controllers[0].bounds[1]: expected a finite number, got nan");
  wrong("bounds = [[1, 2], [1, 2]]",
        "10: controllers[0].bounds: expected [least, most], or 1 of them, one for each input; got a list of 2");
  wrong("speed = 0", "9: controllers[0].speed: is 0: expected a number above 0");
  wrong("position_gain = [1, 2]",
        "17: controllers[0].position_gain: expected a number, or a list of 1, one for each target; got a list of 2");
  wrong("position_gain = 1\nintegral_gain = -1",
        "17: controllers[0].position_gain: the gains of \"c.z\" have different signs: one of them drives the error up");
  wrong("path = { t = [0, 1], values = [1] }", "31: controllers[0].path.values: has 1 rows for 2 times");
  wrong("path = { t = [0, 0], values = [1, 2] }", "14: controllers[0].path.t: 0 does not come after 0");
  wrong("path = { t = [], values = [] }", "14: controllers[0].path.t: is empty: expected a time or more");
  wrong("path = { t = [0], values = [[1, 2]] }",
        "29: controllers[0].path.values[0]: expected a row of 1 numbers, got a list of 2");
  wrong("path = { t = [0], values = [1], file = \"x\" }",
        "40: controllers[0].path.file: is given beside t and values: expected one or the other");
  wrong("path = { values = [1] }", "8: controllers[0].path.t: is missing: expected a list of times, or file");
  wrong("path = 3", "8: controllers[0].path: expected a table, got 3");
  wrong("path = { t = [0], values = [1], tt = 1 }",
        "33: controllers[0].path.tt: is not a key of a path (did you mean \"t\"?)");
  expect_problem("kind = \"table\"\ninputs = [\"left\"]\n",
                 "20:1: controllers[0].path: is missing: a table needs the inputs over time");
  expect_problem("kind = \"pid\"\ninputs = [\"left\", \"right\"]\ntargets = [\"c.z\"]\n",
                 "23:11: controllers[0].targets: there are 1 targets for 2 inputs: pid needs as many of each");
  expect_problem(
      "kind = \"pid\"\ninputs = [\"left\"]\ntargets = [\"left.tension\"]\nvelocity_gain = -1\n",
      "24:17: controllers[0].velocity_gain: is -1 for \"left.tension\", whose rate is not measured: expected 0");
  expect_problem(
      "kind = \"lqr\"\ninputs = [\"left\"]\ntargets = [\"c.z\"]\nposition_weight = -1\ninput_weight = 0\n"
      "path = 1\n",
      "26:8: controllers[0].path: expected a table, got 1");
  expect_problem("kind = \"lqr\"\ninputs = [\"left\"]\ntargets = [\"c.z\"]\nposition_weight = -1\n",
                 "24:19: controllers[0].position_weight: is negative (-1): expected 0 or more");
  expect_problem("kind = \"lqr\"\ninputs = [\"left\"]\ntargets = [\"c.z\"]\ninput_weight = 0\n",
                 "24:16: controllers[0].input_weight: is 0: expected a number above 0");
  expect_problem("kind = \"computed_torque\"\ninputs = [\"left\"]\ntargets = [\"c.z\"]\nposition_gain = -1\n",
                 "24:17: controllers[0].position_gain: is negative (-1): expected 0 or more");
  expect_problem("kind = \"computed_torque\"\ninputs = [\"left\"]\ntargets = [\"c.z\"]\nmethod = \"magic\"\n",
                 "24:10: controllers[0].method: \"magic\" is not known: expected one of qp, null_space, nlp");
  const std::vector<std::string> winch = problems_of(
      "[generate]\nkind = \"single_strut\"\n[[controllers]]\nkind = \"near_rigid\"\ninputs = [\"B1-pulleyJt\"]\n"
      "targets = [\"universalJt.phi\"]\nspeed = 1\n");
  EXPECT_EQ(winch,
            std::vector<std::string>{"m.toml:7:1: controllers[0].speed: is not a key of a near_rigid controller"});
  const std::vector<std::string> damping = problems_of(
      "[generate]\nkind = \"single_strut\"\n[[controllers]]\nkind = \"near_rigid\"\ninputs = [\"B1-pulleyJt\"]\n"
      "targets = [\"universalJt.phi\"]\ncompensate_damping = 1\n");
  EXPECT_EQ(damping,
            std::vector<std::string>{"m.toml:7:22: controllers[0].compensate_damping: expected true or false, got 1"});
  wrong("compensate_damping = true", "1: controllers[0].compensate_damping: is not a key of a pid controller");
}

TEST(Steer, NothingIsDrivenTwice) {
  const auto expect = [](const std::string& text, const std::string& message) {
    const std::vector<std::string> problems = problems_of(text);
    ASSERT_EQ(problems.size(), 1u) << message;
    EXPECT_NE(problems[0].find(message), std::string::npos) << problems[0];
  };
  const std::string one = "[[controllers]]\n" + pid;
  expect(ropes + one + one, "controllers[1].inputs: \"left\" is driven by controller 0 already");
  expect(ropes + one + "[[actuators]]\ncable = \"left\"\nrest_length = 1\n",
         "controllers[0].inputs: \"left\" has an actuator already");
  expect(
      ropes +
          "[[controllers]]\nkind = \"table\"\ninputs = [\"left\", \"left\"]\npath = { t = [0], values = [[1, 1]] }\n",
      "names \"left\" twice");
  const std::string strut = "[generate]\nkind = \"single_strut\"\n",
                    torque = "[[controllers]]\nkind = \"pid\"\ninputs = [\"B1-pulleyJt\"]\ntargets = [\"B1.eps\"]\n";
  expect(strut + torque + "[[actuators]]\njoint = \"B1-pulleyJt\"\nposition = 0.0\n",
         "\"B1-pulleyJt\" has an actuator already");
  expect(strut + "[[controllers]]\nkind = \"pid\"\ninputs = [\"universalJt\"]\ntargets = [\"B1.eps\"]\n",
         "joint \"universalJt\" has several coordinates: expected one of universalJt.phi, universalJt.psi");
  expect(strut +
             "variant = 3\n[[controllers]]\nkind = \"near_rigid\"\ninputs = [\"B1-pulleyJt\"]\ntargets = "
             "[\"universalJt.phi\"]\n",
         "needs pulleys of the variant \"epsilon\"");
}

}  // namespace
}  // namespace taut
