// Exports: the numbers in the other programs' files are those of the run.
#include <Eigen/Geometry>

#include "taut/export/gltf.h"
#include "taut/export/vtk.h"
#include "taut/run/still.h"
#include "tests/export/gltf_check.h"
#include "tests/report/decode_report.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"
#include "tests/support/xml_check.h"

namespace taut {
namespace {

using testing::contents;
using testing::GltfFile;
using testing::names_in;
using testing::ScratchFolder;
using testing::xml_problem;

// A run in memory: a bar that turns over about a fixed node, a cable through three nodes, one with a hostile name.
Run swing() {
  taut::Run result;
  Model& model = result.scenario.model;
  testing::add_node(model, {0, 0, 0}, 0.0, testing::all_fixed);
  testing::add_node(model, {1, 0, 0}, 1.0);
  testing::add_node(model, {0, 0, 2}, 1.0, testing::all_fixed);
  testing::add_bar(model, 0, 1, 1.0);
  testing::add_cable(model, {0, 1, 2}, testing::linear_law(10.0), 2.5);
  testing::add_cable(model, {1, 2}, testing::linear_law(10.0), 1.5);
  model.name = "</swing>\xff";
  model.cables[1].name = "\"a\"<b>,&";
  for (int row = 0; row < 9; ++row) {
    const double angle = 0.5 * row, x = std::cos(angle), z = -std::sin(angle);
    result.t.push_back(0.1 * row);
    result.columns.nodes.insert(result.columns.nodes.end(), {0, 0, 0, x, 0, z, 0, 0, 2});
    result.columns.velocities.insert(result.columns.velocities.end(), {0, 0, 0, 5.0 * z, 0, -5.0 * x, 0, 0, 0});
    const double length = std::hypot(x, z - 2.0);
    result.columns.lengths.insert(result.columns.lengths.end(), {1.0 + length, length});
    result.columns.rest_lengths.insert(result.columns.rest_lengths.end(), {2.5, 1.5});
    result.columns.tensions.insert(result.columns.tensions.end(), {3.0 + row, 0.25});
    result.columns.bar_forces.push_back(-2.0 - row);
  }
  return result;
}

template <class Number>
std::vector<Number> vtk_array(const std::string& xml, const std::string& name) {
  const std::size_t begin = xml.find('>', xml.find("Name=\"" + name + "\"")) + 1, end = xml.find('<', begin);
  const std::string bytes = testing::from_base64(xml.substr(begin, end - begin));
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), 8);
  EXPECT_EQ(bytes.size(), 8 + size) << name;
  std::vector<Number> values(size / sizeof(Number));
  std::memcpy(values.data(), bytes.data() + 8, size);
  return values;
}

TEST(ExportVtk, HoldsTheRowsOfTheRun) {
  const ScratchFolder folder;
  const taut::Run result = swing();
  export_vtk(result, folder / "out.pvd", 4);
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"out-vtk", "out.pvd"}));
  EXPECT_EQ(names_in(folder / "out-vtk"),
            (std::vector<std::string>{"members.csv", "out-000000.vtp", "out-000001.vtp", "out-000002.vtp"}));
  const std::string list = contents(folder / "out.pvd");
  EXPECT_EQ(xml_problem(list), "");
  EXPECT_NE(list.find("timestep=\"0.40000000000000002\" group=\"\" part=\"0\" file=\"out-vtk/out-000001.vtp\""),
            std::string::npos)
      << list;

  const std::string xml = contents(folder / "out-vtk/out-000001.vtp");
  EXPECT_EQ(xml_problem(xml), "");
  EXPECT_NE(xml.find("NumberOfPoints=\"3\" NumberOfVerts=\"0\" NumberOfLines=\"3\""), std::string::npos);
  const Sample row = row_of(result, 4);
  EXPECT_EQ(vtk_array<double>(xml, "Points"), row.nodes);
  EXPECT_EQ(vtk_array<double>(xml, "velocity"), row.velocities);
  EXPECT_EQ(vtk_array<double>(xml, "force"), (std::vector<double>{-6.0, 7.0, 0.25}));
  EXPECT_EQ(vtk_array<double>(xml, "strain")[2], row.lengths[1] / 1.5 - 1.0);
  EXPECT_EQ(vtk_array<std::int64_t>(xml, "connectivity"), (std::vector<std::int64_t>{0, 1, 0, 1, 2, 1, 2}));
  EXPECT_EQ(vtk_array<std::int64_t>(xml, "offsets"), (std::vector<std::int64_t>{2, 5, 7}));
  EXPECT_EQ(vtk_array<std::int32_t>(xml, "kind"), (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(vtk_array<std::int32_t>(xml, "fixed"), (std::vector<std::int32_t>{7, 0, 7}));
  EXPECT_EQ(contents(folder / "out-vtk/members.csv"),
            "member,kind,name\n0,bar,\"n1-n2\"\n1,cable,\"c1\"\n2,cable,\"\"\"a\"\"<b>,&\"\n");
}

TEST(ExportVtk, ReplacesAnEarlierExportButNothingElse) {
  const ScratchFolder folder;
  export_vtk(swing(), folder / "out.pvd", 1);
  EXPECT_EQ(names_in(folder / "out-vtk").size(), 10u);
  export_vtk(swing(), folder / "out.pvd", 8);
  EXPECT_EQ(names_in(folder / "out-vtk").size(), 3u);
  testing::write_text(folder / "out-vtk/thesis.tex", "precious");
  EXPECT_THROW(export_vtk(swing(), folder / "out.pvd", 8), std::runtime_error);
  EXPECT_EQ(contents(folder / "out-vtk/thesis.tex"), "precious");
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"out-vtk", "out.pvd"}));
}

// Where a cylinder's ends are when its node's translation, rotation and scale are applied as glTF says.
std::pair<Vec3, Vec3> ends(const std::vector<double>& t, const std::vector<double>& q, const std::vector<double>& s) {
  const Vec3 foot{t[0], t[1], t[2]};
  const Eigen::Quaterniond turn(q[3], q[0], q[1], q[2]);
  return {foot, foot + turn * Vec3(0.0, 0.0, s[2])};
}

TEST(ExportGltf, MovesEveryPieceFromNodeToNode) {
  const taut::Run result = swing();
  const GltfFile file(glb(result));
  ASSERT_EQ(file.json["nodes"].size(), 5u);  // root, bar, two pieces of the first cable, the second cable
  EXPECT_EQ(file.json["nodes"][0]["name"], "</swing>\ufffd");
  EXPECT_EQ(file.json["nodes"][4]["name"], "\"a\"<b>,&");
  const std::vector<std::pair<int, int>> pieces = {{0, 1}, {0, 1}, {1, 2}, {1, 2}};
  const auto& animation = file.json["animations"][0];
  for (std::size_t piece = 0; piece < 4; ++piece) {
    // Still values, replaced by those of the channels.
    std::map<std::string, std::vector<double>> values;
    for (const char* path : {"translation", "rotation", "scale"}) {
      const std::vector<double> still = file.json["nodes"][piece + 1][path];
      for (std::size_t row = 0; row < result.rows(); ++row)
        values[path].insert(values[path].end(), still.begin(), still.end());
    }
    for (const auto& channel : animation["channels"])
      if (channel["target"]["node"] == piece + 1)
        values[channel["target"]["path"]] =
            file.numbers(animation["samplers"][channel["sampler"].get<std::size_t>()]["output"]);
    for (std::size_t row = 0; row < result.rows(); ++row) {
      const auto cut = [&](const char* path, std::size_t width) {
        return std::vector<double>(values[path].begin() + row * width, values[path].begin() + (row + 1) * width);
      };
      const auto [foot, head] = ends(cut("translation", 3), cut("rotation", 4), cut("scale", 3));
      const double* x = result.columns.nodes.data() + 9 * row;
      const Vec3 a = Eigen::Map<const Vec3>(x + 3 * pieces[piece].first),
                 b = Eigen::Map<const Vec3>(x + 3 * pieces[piece].second);
      EXPECT_LT((foot - a).norm(), 1e-6) << piece << " " << row;
      EXPECT_LT((head - b).norm(), 1e-6) << piece << " " << row;
    }
    // Neighbouring rotations lie on the same side, so that players turn the short way.
    const std::vector<double>& q = values["rotation"];
    for (std::size_t i = 4; i < q.size(); i += 4)
      EXPECT_GT(q[i] * q[i - 4] + q[i + 1] * q[i - 3] + q[i + 2] * q[i - 2] + q[i + 3] * q[i - 1], 0.9);
  }
  // The bar keeps its length and its foot: only its rotation is animated.
  int channels = 0;
  for (const auto& channel : animation["channels"]) channels += channel["target"]["node"] == 1;
  EXPECT_EQ(channels, 1);
}

TEST(ExportGltf, AStillStructureHasNoAnimation) {
  const GltfFile file(glb(still_run(generate(*find_generator("six_bar"), {}))));
  EXPECT_FALSE(file.json.contains("animations"));
  EXPECT_EQ(file.json["nodes"].size(), 31u);
}

TEST(ExportGltf, TakesFewerRowsWhereAskedTo) {
  const taut::Run result = swing();
  EXPECT_EQ(kept_rows(9, 4), (std::vector<std::size_t>{0, 4, 8}));
  EXPECT_EQ(kept_rows(10, 4), (std::vector<std::size_t>{0, 4, 8, 9}));
  EXPECT_EQ(gltf_stride(result, 1e9), 1u);
  EXPECT_EQ(gltf_stride(result, 40.0 * 4 * 3), 3u);
  const GltfFile file(glb(result, 4));
  EXPECT_EQ(file.json["accessors"][file.json["animations"][0]["samplers"][0]["input"].get<std::size_t>()]["count"], 3);
}

}  // namespace
}  // namespace taut
