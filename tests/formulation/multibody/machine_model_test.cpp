// [[joints]] and [[pulleys]] in a model file: what is read, written back, refused; the shipped machines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "taut/file/write/write_toml.h"
#include "taut/formulation/formulation.h"
#include "taut/formulation/multibody/from_model.h"
#include "taut/formulation/multibody/system/system.h"
#include "tests/file/model_support.h"
#include "tests/support/complaint.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

const std::string pendulum = model_text("hinged_rod");
const std::string winch = model_text("drum_and_weight") + "EA = 1e4\n";

// The first complaint of reading or of the formulation.
std::string complaint(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    const Scenario scenario = read_scenario_text(text, "m.toml", overrides);
    make_formulation("multibody", scenario.model);
  } catch (const InputError& error) {
    return to_string(error.problems().front());
  }
  return "";
}

TEST(MachineModel, JointsChooseTheirFormulation) {
  const Scenario scenario = read_scenario_text(pendulum, "m.toml");
  EXPECT_EQ(scenario.simulation.formulation, "multibody");
  try {
    make_formulation("nodal", scenario.model);
    FAIL() << "nodal takes a joint";
  } catch (const InputError& error) {
    expect_says(error.what(), "joint \"hinge\" needs the formulation multibody");
  }
  EXPECT_EQ(make_formulation("multibody", scenario.model)->facts().degrees_of_freedom, 1);
}

// What the machines' generators make is the same after writing and reading.
TEST(MachineModel, MachinesSurviveTheirFile) {
  for (const char* kind : {"single_strut", "tensegrity_manipulator", "three_dof_mechanism"}) {
    const Scenario made = generated(kind);
    const Scenario read = read_scenario_text(to_toml(made), "m.toml");
    ASSERT_EQ(read.model.joints.size(), made.model.joints.size()) << kind;
    for (std::size_t i = 0; i < made.model.joints.size(); ++i) {
      const JointSpec &a = made.model.joints[i], &b = read.model.joints[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.position, b.position);
      EXPECT_EQ(a.at_nodes, b.at_nodes);
      EXPECT_LT((a.frame - b.frame).norm(), 1e-14) << a.name;
    }
    EXPECT_EQ(read.model.drives, made.model.drives) << kind;
    EXPECT_EQ(read.model.bodies, made.model.bodies) << kind;
    EXPECT_EQ(read.simulation, made.simulation) << kind;
    ASSERT_EQ(read.model.pulleys.size(), made.model.pulleys.size());
    for (std::size_t i = 0; i < made.model.pulleys.size(); ++i)
      EXPECT_EQ(read.model.pulleys[i].strain, made.model.pulleys[i].strain);
  }
}

// A text cut into its numbers and what stands between them.
struct Cut {
  std::vector<double> numbers;
  std::vector<std::string> words;
};
Cut cut(const std::string& text) {
  Cut result{{}, {""}};
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const bool after_word = at != text.c_str() && (std::isalnum(static_cast<unsigned char>(at[-1])) || at[-1] == '-');
    const double number = after_word ? 0.0 : std::strtod(at, &end);
    if (end && end != at) {
      result.numbers.push_back(number);
      result.words.emplace_back();
      at = end;
    } else {
      result.words.back() += *at++;
    }
  }
  return result;
}

// The files under models/ are what the generators make, up to the rounding of other processors.
TEST(MachineModel, ShippedFilesAreTheGenerators) {
  for (const char* kind : {"single_strut", "tensegrity_manipulator", "three_dof_mechanism"}) {
    const auto file = std::filesystem::path(TAUT_SOURCE_DIR) / "models" / (std::string(kind) + ".toml");
    const Cut shipped = cut(to_toml(read_scenario(file.string()))), made = cut(to_toml(generated(kind)));
    EXPECT_EQ(shipped.words, made.words) << kind;
    ASSERT_EQ(shipped.numbers.size(), made.numbers.size()) << kind;
    for (std::size_t i = 0; i < made.numbers.size(); ++i)
      EXPECT_NEAR(shipped.numbers[i], made.numbers[i], 1e-12 * (1.0 + std::abs(made.numbers[i]))) << kind;
  }
}

// 5 and 12 degrees of freedom (Lieskovský 2022), and 6 with the knees driven (Arsenault and Gosselin 2005).
TEST(MachineModel, DegreesOfFreedom) {
  const auto count = [](const char* kind, const Parameters& more = {}) {
    const Scenario scenario = generated(kind, more);
    return make_formulation("multibody", scenario.model)->facts().degrees_of_freedom;
  };
  EXPECT_EQ(count("single_strut"), 5);
  EXPECT_EQ(count("single_strut", {{"variant", 0}}), 2);
  EXPECT_EQ(count("tensegrity_manipulator"), 12);
  EXPECT_EQ(count("three_dof_mechanism"), 6);
}

// Names of columns are those of the joints' own coordinates.
TEST(MachineModel, ColumnsAreTheJointsCoordinates) {
  for (const char* kind : {"single_strut", "tensegrity_manipulator", "three_dof_mechanism"})
    for (double variant : {0.0, 1.0, 2.0, 3.0}) {
      const bool winds = std::string(kind) != "three_dof_mechanism";
      const Scenario scenario = generated(kind, winds ? Parameters{{"variant", variant}} : Parameters{});
      const auto formulation = make_formulation("multibody", scenario.model);
      const multibody::System& system = formulation->joints()->system();
      const std::vector<std::string> columns = joint_columns(scenario.model);
      for (const multibody::Connection& c : system.machine.joints)
        for (const JointSpec& joint : scenario.model.joints)
          for (int i = 0; joint.name == c.name && i < coordinates(c.joint); ++i)
            EXPECT_NE(std::find(columns.begin(), columns.end(), c.name + "." + coordinate_name(c.joint, i)),
                      columns.end());
      for (const PulleySpec& pulley : scenario.model.pulleys)
        for (const multibody::Connection& c : system.machine.joints)
          for (int i = 0; c.name == pulley.name + "-involuteJt" && i < coordinates(c.joint); ++i)
            EXPECT_NE(std::find(columns.begin(), columns.end(), pulley.name + "." + coordinate_name(c.joint, i)),
                      columns.end());
    }
}

struct Fault {
  const char *what, *from, *to, *says;
};

class MachineFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(MachineFaults, AreNamed) {
  const Fault& f = GetParam();
  for (std::string text : {pendulum, winch}) {
    const std::size_t at = text.find(f.from);
    if (at == std::string::npos) continue;
    text.replace(at, std::string(f.from).size(), f.to);
    expect_says(complaint(text), f.says);
    return;
  }
  FAIL() << "nothing to replace: " << f.from;
}

INSTANTIATE_TEST_SUITE_P(
    All, MachineFaults,
    ::testing::Values(
        Fault{"unknown body", "\"rod\"]", "\"rodd\"]", "there is no body or bar \"rodd\" (did you mean \"rod\"?)"},
        Fault{"itself", "[\"ground\", \"rod\"]", "[\"rod\", \"rod\"]", "joins bar \"rod\" with itself"},
        Fault{"no axis", "axis = [0, 1, 0]\n", "", "axis: is missing"},
        Fault{"no direction", "axis = [0, 1, 0]\n", "axis = [0, 0, 0]\n", "has no direction"},
        Fault{"kind", "\"revolute\"", "\"revolut\"", "revolut"},
        Fault{"thin bar about its axis", "axis = [0, 1, 0]", "axis = [1, 0, 0]", "is not determined"},
        Fault{"two coordinates", "axis = [0, 1, 0]\n", "axis = [0, 1, 0]\nposition = [1, 2]\n", "expected 1 number"},
        Fault{"negative damping", "axis = [0, 1, 0]\n", "axis = [0, 1, 0]\ndamping = -1\n", "is negative"},
        Fault{"closes no loop", "axis = [0, 1, 0]\n", "axis = [0, 1, 0]\nrole = \"loop\"\n", "loop"},
        Fault{"inside the pulley", "hook = [0.1, 0, -1]", "hook = [0.05, 0, 0]", "inside its radius of 0.1 m"},
        Fault{"beside the plane", "hook = [0.1, 0, -1]", "hook = [0.1, 0.2, -1]", "beside the plane of the pulley"},
        Fault{"too short", "EA = 1e4\n", "EA = 1e4\nlength = 0.9\n", "shorter than the cable from the pulley"},
        Fault{"no stiffness", "EA = 1e4\n", "", "EA: is missing"},
        Fault{"on the pulley", "nodes = [\"hook\"]\nmass = 1", "mass = 1\ncentre = [0, 0, -1]",
              "node \"hook\" has no mass"}),
    [](const auto& given) {
      std::string name = given.param.what;
      std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
      return name;
    });

// Loops that cannot close say how far apart they stay; two nodes that a joint brings together are assembled.
TEST(MachineModel, LoopsCloseOrSayHowFarApart) {
  const auto chain = [](double x) {
    return model_text("two_link_arm") + fmt::format("[nodes.p]\nat = [{}, 0, 0.2]\nfixed = true\n", x) + R"([[joints]]
name = "end"
kind = "revolute"
bodies = ["ground", "fore"]
at = ["p", "b"]
axis = [0, 1, 0]
)";
  };
  const Scenario reached = read_scenario_text(chain(1.5), "m.toml");
  const auto formulation = make_formulation("multibody", reached.model);
  Terms terms = formulation->make_terms();
  const State start = formulation->start();
  formulation->place_nodes(start.q(), start.v(), terms);
  EXPECT_LT((Vec3(terms.x.data() + 8) - Vec3(1.5, 0.0, 0.2)).norm(), 1e-12);  // b lies on p
  expect_says(complaint(chain(2.5)), "cannot be closed at the start");
  expect_says(complaint(chain(2.5)), "0.508 m");  // |p| - 2
}

// A universal joint and a ball joint that say the same twice: redundant, and consistent.
TEST(MachineModel, RedundantLoopsWork) {
  const std::string twice = pendulum + R"([[joints]]
name = "again"
kind = "revolute"
bodies = ["ground", "rod"]
at = [0, 0.5, 0]
axis = [0, 1, 0]
)";
  const Scenario scenario = read_scenario_text(twice, "m.toml");
  const auto formulation = make_formulation("multibody", scenario.model);
  EXPECT_EQ(formulation->facts().degrees_of_freedom, 1);
  EXPECT_EQ(formulation->facts().redundant_constraints, 5);
  // About another axis it contradicts: nothing could move, and it says so or has no freedom left.
  std::string other = twice;
  other.replace(other.rfind("axis = [0, 1, 0]"), 16, "axis = [0, 0, 1]");
  EXPECT_EQ(make_formulation("multibody", read_scenario_text(other, "m.toml").model)->facts().degrees_of_freedom, 0);
}

// What a formulation finds out later is said at the line of the joint, too.
TEST(MachineModel, LateProblemsHaveALine) {
  const auto refused = [](const std::string& text, const char* formulation) {
    const Scenario scenario = read_scenario_text(text, "m.toml");
    try {
      make_formulation(formulation, scenario.model);
    } catch (const InputError& error) {
      return error;
    }
    return InputError("nothing");
  };
  const InputError joint = refused(pendulum, "nodal");
  ASSERT_EQ(joint.places().size(), 1u);
  EXPECT_EQ(joint.places()[0].file, "m.toml");
  EXPECT_EQ(joint.places()[0].line, 10);
  EXPECT_EQ(joint.places()[0].column, 8);
  EXPECT_EQ(joint.places()[0].key, "joints[0]");
  expect_says(joint.what(), "m.toml:10:8: joints[0]: formulation nodal: joint \"hinge\" needs");
  // The joints of a pulley's cable stand where the pulley does.
  const Scenario wound = read_scenario_text(winch, "m.toml");
  const ModelMachine machine = machine_of(wound.model);
  for (const multibody::Connection& c : machine.machine.joints)
    EXPECT_EQ(c.place.key(c.name) == "pulleys[0]", c.name.starts_with("rope-")) << c.name;
}

// A model that was not read from a file has no places; its parts are known by name.
TEST(MachineModel, LateProblemsWithoutAFile) {
  EXPECT_EQ(to_string(problem_with("joint", "hinge", {}, "is odd")), "joint \"hinge\": is odd");
  Scenario scenario = read_scenario_text(pendulum, "m.toml");
  const EntityPlace place = scenario.model.joints[0].place;
  EXPECT_EQ(to_string(problem_with("joint", "hinge", place, "is odd")),
            "m.toml:10:8: joints[0]: joint \"hinge\": is odd");
  // And a place is no part of what a joint is.
  const Scenario same = scenario;
  scenario.model.joints[0].place = {};
  EXPECT_EQ(scenario, same);
}

TEST(MachineModel, OverridesReachJoints) {
  const Scenario scenario =
      read_scenario_text(pendulum, "m.toml", {"joints.hinge.damping=0.5", "joints.hinge.start=0.3"});
  EXPECT_EQ(scenario.model.joints[0].damping, std::vector<double>{0.5});
  EXPECT_EQ(scenario.model.joints[0].start, std::vector<double>{0.3});
  expect_says(complaint(pendulum, {"joints.hing.damping=0.5"}), "did you mean \"hinge\"?");
}

}  // namespace
}  // namespace taut::testing
