// Bodies, drums and joints in pictures: poses against the nodes that ride on the bodies, the course of cables against
// what the formulation says of them.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "taut/export/gltf.h"
#include "taut/export/vtk.h"
#include "taut/file/read/read_toml.h"
#include "taut/model/shape/body_pose.h"
#include "taut/report/picture.h"
#include "taut/report/record_scene.h"
#include "taut/report/report_model.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/run/still.h"
#include "tests/export/gltf_check.h"
#include "tests/report/decode_report.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using testing::contents;
using testing::DecodedReport;
using testing::GltfFile;
using testing::ScratchFolder;
using testing::test_model;

Scenario example(const char* name, double duration, double step) {
  Scenario scenario = generate(*find_generator(name), {});
  scenario.simulation.duration = duration;
  scenario.simulation.output_step = step;
  return scenario;
}

// A drum on a bearing; a roller hangs on a belt from it.
Scenario belt(bool crossed) {
  const char* x = crossed ? "0.15" : "0.05";
  return read_scenario_text(fmt::format(R"([[bodies]]
name = "drum"
shape = "cylinder"
centre = [0, 0, 0]
axis = [0, 1, 0]
radius = 0.1
length = 0.03
mass = 2
[[bodies]]
name = "roller"
shape = "cylinder"
centre = [{}, 0, -1]
axis = [0, 1, 0]
radius = 0.05
length = 0.03
mass = 1
[[joints]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "drum"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[pulleys]]
name = "belt"
body = "drum"
centre = [0, 0, 0]
axis = [0, -1, 0]
radius = 0.1
second = {{ body = "roller", centre = [{}, 0, -1], radius = 0.05, crossed = {} }}
EA = 1000
[simulation]
duration = 0.2
output_step = 0.02
)",
                                        x, x, crossed),
                            "belt.toml");
}

struct Pose7 {
  Vec3 centre;
  Eigen::Quaterniond turn;
};

Pose7 pose(const std::vector<double>& poses, std::size_t i) {
  const double* p = poses.data() + pose_columns * i;
  return {Vec3(p), Eigen::Quaterniond(p[3], p[4], p[5], p[6])};
}

// A node rides on its body: its position follows from the pose.
void expect_nodes_on_bodies(const Run& run, double tolerance) {
  const Model& model = run.scenario.model;
  const std::vector<Carrier> carriers = posed_carriers(model);
  ASSERT_EQ(run.columns.bodies.size(), run.rows() * carriers.size() * pose_columns);
  int compared = 0;
  for (std::size_t row = 0; row < run.rows(); ++row) {
    const Sample sample = row_of(run, row);
    for (std::size_t i = 0; i < carriers.size(); ++i) {
      const Pose7 at = pose(sample.bodies, i);
      EXPECT_NEAR(at.turn.norm(), 1.0, 1e-14);
      EXPECT_GE(at.turn.w(), 0.0);
      std::vector<int> nodes;
      if (carriers[i].kind == Carrier::Kind::body)
        nodes = model.bodies[carriers[i].index].nodes;
      else
        nodes = {model.bars[carriers[i].index].a, model.bars[carriers[i].index].b};
      for (const int node : nodes) {
        const Vec3 arm = model.nodes[node].position - drawn_centre(model, carriers[i]);
        EXPECT_LT((at.centre + at.turn * arm - Vec3(sample.nodes.data() + 3 * node)).norm(), tolerance)
            << carrier_name(model, carriers[i]) << " " << model.nodes[node].name << " row " << row;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0);
}

TEST(BodyPictures, NodesRideOnBodies) {
  expect_nodes_on_bodies(simulate(example("tensegrity_manipulator", 0.1, 0.02)), 1e-9);  // loops close to 1e-9 m
  expect_nodes_on_bodies(simulate(example("three_dof_mechanism", 2.0, 0.5)), 1e-9);
  Scenario fall = test_model("drum_and_weight", "EA = 1000\n");
  fall.simulation.duration = 0.2;
  expect_nodes_on_bodies(simulate(fall), 1e-12);
}

// Two formulations, one with nodes for coordinates and one with poses, agree about a body that tumbles.
TEST(BodyPictures, PosesFromNodesAndFromJointsAgree) {
  Scenario scenario = read_scenario_text(R"([nodes]
a = [0.3, 0, 1]
b = [-0.15, 0.26, 1.1]
[[bodies]]
name = "stone"
nodes = ["a", "b"]
shape = "box"
size = [0.4, 0.2, 0.1]
axes = [[0.6, 0.8, 0], [-0.8, 0.6, 0]]
centre = [0.1, 0.1, 1]
mass = 2
velocity = [1, 0, 3]
angular_velocity = [2, -5, 9]
[simulation]
duration = 0.8
output_step = 0.1
tolerance = 1e-11
)",
                                         "stone.toml");
  scenario.simulation.formulation = "nodal";
  const taut::Run nodal = simulate(scenario);
  scenario.simulation.formulation = "multibody";
  const taut::Run multibody = simulate(scenario);
  ASSERT_EQ(nodal.columns.bodies.size(), multibody.columns.bodies.size());
  for (std::size_t i = 0; i < nodal.columns.bodies.size(); ++i)
    EXPECT_NEAR(nodal.columns.bodies[i], multibody.columns.bodies[i], 1e-8) << i;
  EXPECT_NE(nodal.columns.bodies[pose_columns * 5 + 4], 0.0);
}

// The straight piece of a pulley's cable by geometry, from the poses of drums, against the joint coordinates of the
// formulation (columns x, y, z and x2, y2, z2); round the drum every point is at its radius.
void expect_courses(const Run& run) {
  const Model& model = run.scenario.model;
  Picture picture(model);
  const std::vector<std::string> columns = joint_columns(model);
  for (std::size_t row = 0; row < run.rows(); ++row) {
    const Sample sample = row_of(run, row), &drawn = picture.add_to(sample);
    for (std::size_t i = 0; i < model.pulleys.size(); ++i) {
      const PulleySpec& spec = model.pulleys[i];
      const ReportPulley& pulley = picture.bodies().pulleys[i];
      const Vec3 end = spec.node < 0 ? Vec3::Zero() : Vec3(sample.nodes.data() + 3 * spec.node);
      const double free = drawn.rest_lengths[pulley.cable];
      const CableCourse course = cable_course(pulley, drawn.bodies, end, free);
      const auto column = [&](const std::string& what) {
        const auto at = std::find(columns.begin(), columns.end(), spec.name + "." + what) - columns.begin();
        return sample.joints[static_cast<std::size_t>(at)];
      };
      EXPECT_LT((course.leaves - Vec3(column("x"), column("y"), column("z"))).norm(), 1e-12) << spec.name << row;
      if (spec.node < 0)
        EXPECT_LT((course.meets - Vec3(column("x2"), column("y2"), column("z2"))).norm(), 1e-12) << spec.name << row;
      else
        EXPECT_EQ(course.meets, end);
      EXPECT_NEAR((course.meets - course.leaves).norm(), column("length"), 1e-12);

      // The centre and the axis of the drum, by the pose of its body.
      const auto carriers = posed_carriers(model);
      const auto number = std::find(carriers.begin(), carriers.end(), spec.wheel.body) - carriers.begin();
      const Pose7 drum = pose(sample.bodies, static_cast<std::size_t>(number));
      const Vec3 centre = drum.centre + drum.turn * (spec.wheel.centre - drawn_centre(model, spec.wheel.body)),
                 axis = drum.turn * spec.axis, along = course.meets - course.leaves, out = course.leaves - centre;
      EXPECT_NEAR(along.dot(out), 0.0, 1e-13);
      EXPECT_NEAR(along.cross(out).dot(axis), along.norm() * spec.wheel.radius, 1e-12);
      ASSERT_GT(course.on_first.size(), 2u);
      for (const Vec3& point : course.on_first) {
        EXPECT_NEAR((point - centre).norm(), spec.wheel.radius, 1e-14);
        EXPECT_NEAR((point - centre).dot(axis), 0.0, 1e-14);
      }
      EXPECT_EQ(course.on_first.front(), course.leaves);
      // It comes off the drum in the direction in which it goes on.
      EXPECT_GT((course.leaves - course.on_first[1]).normalized().dot(along.normalized()), 0.99);
    }
  }
}

TEST(BodyPictures, CablesLeaveTheirDrumsAlongTangents) {
  expect_courses(simulate(example("single_strut", 0.3, 0.05)));
  expect_courses(simulate(example("tensegrity_manipulator", 0.1, 0.02)));
  Scenario fall = test_model("drum_and_weight", "EA = 1000\n");
  fall.simulation.duration = 0.2;
  expect_courses(simulate(fall));
  expect_courses(simulate(belt(false)));
  expect_courses(simulate(belt(true)));
}

// A drum of radius 0.1 m with 1.3 m of rope, of which 1 m hangs: 0.3 m are wound, 3 rad.
TEST(BodyPictures, AsMuchIsWoundAsTheRopeIsLong) {
  const Scenario scenario = test_model("drum_and_weight", "EA = 1000\nlength = 1.3\n");
  Picture picture(scenario.model);
  const ReportPulley& pulley = picture.bodies().pulleys[0];
  EXPECT_NEAR(wound_angle(pulley, 1.0), 3.0, 1e-13);
  EXPECT_EQ(wound_angle(pulley, 2.0), 0.0);
  EXPECT_EQ(wound_angle(pulley, 0.1), 2.0 * std::numbers::pi);
  const taut::Run still = still_run(scenario);
  const Sample row = row_of(still, 0), &drawn = picture.add_to(row);
  const CableCourse course = cable_course(pulley, drawn.bodies, Vec3(row.nodes.data()), drawn.rest_lengths[0]);
  // It leaves at (0.1, 0, 0) and, backwards, goes over the top of the drum.
  EXPECT_LT((course.leaves - Vec3(0.1, 0.0, 0.0)).norm(), 1e-12);
  const double angle = (1.3 - drawn.rest_lengths[0]) / 0.1;
  EXPECT_LT((course.on_first.back() - 0.1 * Vec3(std::cos(angle), 0.0, std::sin(angle))).norm(), 1e-12);
}

TEST(BodyPictures, TheManipulatorHasBlocksDrumsAndPins) {
  const Model model = generate(*find_generator("tensegrity_manipulator"), {}).model;
  const BodyPicture picture(model);
  int blocks = 0;
  for (const ReportBody& body : picture.bodies) {
    if (body.name.find("-block") == std::string::npos) {
      EXPECT_EQ(body.shape.kind, BodyShape::Kind::none) << body.name;  // drums are drawn as such, bars as bars
      continue;
    }
    ++blocks;
    EXPECT_EQ(body.shape.kind, BodyShape::Kind::box);
    EXPECT_NEAR(body.shape.size[0], 0.03, 1e-15);
    EXPECT_NEAR(body.shape.size[1], 0.05 * std::numbers::sqrt2, 1e-15);
    EXPECT_NEAR(body.shape.size[2], 0.1 * std::numbers::sqrt2, 1e-15);
    EXPECT_TRUE(body.clear);
  }
  EXPECT_EQ(blocks, 6);
  ASSERT_EQ(picture.pulleys.size(), 6u);
  for (const ReportPulley& pulley : picture.pulleys) {
    EXPECT_EQ(pulley.wheel.radius, 0.05);
    EXPECT_NEAR(pulley.width, 0.02, 1e-15);
  }
  // Every joint but the floating one has a pin; those of universal joints are made of revolute ones here.
  std::size_t joints = 0;
  for (const ReportSolid& solid : picture.solids) joints += solid.joint.has_value();
  EXPECT_EQ(joints, model.joints.size() - 1);
}

TEST(BodyPictures, BodiesWithoutAShapeAreBoxesOfTheirInertia) {
  const Scenario scenario = test_model("drum_and_weight", "EA = 1000\n");
  const BodyPicture picture(scenario.model);
  ASSERT_EQ(picture.bodies.size(), 2u);  // the weight, then the drum, which its pulley shows
  EXPECT_EQ(picture.bodies[0].name, "weight");
  ASSERT_EQ(picture.bodies[0].shape.kind, BodyShape::Kind::box);
  for (const double edge : picture.bodies[0].shape.size) EXPECT_NEAR(edge, std::sqrt(0.06), 1e-15);  // a² = 6 I/m
  EXPECT_EQ(picture.bodies[1].shape.kind, BodyShape::Kind::none);
  EXPECT_EQ(picture.pulleys[0].wheel.body, 1);
}

TEST(BodyPictures, TheReportHoldsPosesAndNoPointsOfCables) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  const Scenario scenario = example("single_strut", 0.2, 0.05);
  {
    Hdf5Recorder hdf5(dir);
    SceneRecorder scene(dir, "x", SceneRecorder::file_name, testing::stand_in_page);
    simulate(scenario, {&hdf5, &scene});
  }
  const taut::Run run = read_run(folder / "run.h5");
  EXPECT_EQ(run.scenario.model, scenario.model);  // shapes survive in the file
  const DecodedReport report(contents(folder / "report.html"));
  const auto& structure = report.document["structure"];
  EXPECT_EQ(structure["nodes"]["names"].size(), scenario.model.nodes.size());
  EXPECT_EQ(structure["cables"]["paths"], nlohmann::json::parse("[[1], [1], [1]]"));
  EXPECT_EQ(structure["pulleys"][2]["cable"], 2);
  const BodyPicture picture(scenario.model);
  const std::vector<double> poses = report.numbers(report.document["runs"][0]["bodies"]);
  ASSERT_EQ(poses.size(), run.rows() * picture.bodies.size() * pose_columns);
  for (std::size_t row = 0; row < run.rows(); ++row) {
    const std::vector<double> wanted = picture.poses(row_of(run, row).bodies);
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(poses[row * wanted.size() + i], wanted[i], 1e-7);
  }
  // A page from the file alone is the same.
  SceneRecorder again(dir, "x", "again.html", testing::stand_in_page);
  replay(run, again);
  EXPECT_EQ(DecodedReport(contents(folder / "again.html")).document["structure"], structure);
}

TEST(BodyPictures, GltfMovesDrumsAndTheirCables) {
  const taut::Run run = simulate(example("single_strut", 0.2, 0.05));
  const GltfFile file(glb(run));
  const auto& nodes = file.json["nodes"];
  const auto find = [&](const std::string& name) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i]["name"] == name) return i;
    return nodes.size();
  };
  // The cable of the first pulley in the first row: from where it leaves to the tip.
  const auto& piece = nodes[find("B1")];
  const std::vector<double> t = piece["translation"], q = piece["rotation"], s = piece["scale"];
  const Vec3 foot(t[0], t[1], t[2]);
  const Vec3 head = foot + Eigen::Quaterniond(q[3], q[0], q[1], q[2]) * Vec3(0.0, 0.0, s[2]);
  EXPECT_LT((head - Vec3(0.0, 0.0, 1.0)).norm(), 1e-6);
  const double reach = 1.0 - 0.07 * std::numbers::sqrt2;  // of the drum's centre from the foot
  EXPECT_LT((foot - Vec3(reach + 0.07 / std::numbers::sqrt2, 0.0, 0.07 / std::numbers::sqrt2)).norm(), 1e-6);
  // The drum turns: its body is animated, its discs ride on it.
  const std::size_t drum = find("B1-pulley");
  ASSERT_LT(drum, nodes.size());
  EXPECT_EQ(nodes[drum]["children"].size(), 4u);  // core, two flanges, wound cable
  int channels = 0;
  for (const auto& channel : file.json["animations"][0]["channels"]) channels += channel["target"]["node"] == drum;
  EXPECT_EQ(channels, 1);  // it turns in its place
}

TEST(BodyPictures, VtkDrawsTheCourseOfCablesAndBodies) {
  const ScratchFolder folder;
  const Scenario scenario = example("single_strut", 0.1, 0.1);
  export_vtk(still_run(scenario), folder / "strut.pvd");
  const std::string xml = contents(folder / "strut-vtk" / "strut-000000.vtp");
  EXPECT_NE(xml.find("NumberOfLines=\"4\""), std::string::npos);  // a bar and three cables
  EXPECT_EQ(xml.find("NumberOfPolys=\"0\""), std::string::npos);
  EXPECT_NE(contents(folder / "strut-vtk" / "members.csv").find("3,cable,\"B3\""), std::string::npos);
}

}  // namespace
}  // namespace taut
