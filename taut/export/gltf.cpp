#include "taut/export/gltf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <tuple>

#include "taut/base/error.h"
#include "taut/base/version.h"
#include "taut/export/solids.h"
#include "taut/export/vtk.h"
#include "taut/model/shape/body_pose.h"
#include "taut/solve/dense.h"

namespace taut {
namespace {

using Json = nlohmann::ordered_json;
using Quaternion = Eigen::Quaterniond;

constexpr int steps = 8;                             // of the colour scale
constexpr int float_type = 5126, short_type = 5123;  // component types of glTF
constexpr int vertices = 34962, elements = 34963;    // targets of buffer views

// The binary chunk and the JSON lists that point into it.
class Buffers {
 public:
  // Numbers as an accessor; `bounds`: with the smallest and the largest of each component.
  template <class Number>
  std::size_t add(const std::vector<Number>& values, const char* type, int components, int target, bool bounds) {
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    Json view{{"buffer", 0}, {"byteOffset", bytes.size()}, {"byteLength", sizeof(Number) * values.size()}};
    if (target != 0) view["target"] = target;
    bytes.append(reinterpret_cast<const char*>(values.data()), sizeof(Number) * values.size());
    Json accessor{{"bufferView", views.size()},
                  {"componentType", sizeof(Number) == 4 ? float_type : short_type},
                  {"count", values.size() / components},
                  {"type", type}};
    for (int c = 0; bounds && c < components; ++c) {
      Number low = values[c], high = values[c];
      for (std::size_t i = c; i < values.size(); i += components)
        low = std::min(low, values[i]), high = std::max(high, values[i]);
      accessor["min"].push_back(low);
      accessor["max"].push_back(high);
    }
    views.push_back(std::move(view));
    accessors.push_back(std::move(accessor));
    return accessors.size() - 1;
  }

  std::string bytes;
  Json views = Json::array(), accessors = Json::array();
};

// Blue over grey to red-orange, even in lightness steps that colour-blind people see; linear RGB as glTF asks for.
std::array<double, 3> cable_colour(int step) {
  static constexpr std::array<std::array<double, 3>, 4> stops = {
      {{0.27, 0.00, 0.33}, {0.19, 0.41, 0.56}, {0.21, 0.72, 0.47}, {0.99, 0.91, 0.14}}};
  const double at = 3.0 * step / (steps - 1);
  const int i = std::min(static_cast<int>(at), 2);
  std::array<double, 3> colour{};
  for (int c = 0; c < 3; ++c) colour[c] = std::pow(stops[i][c] + (at - i) * (stops[i + 1][c] - stops[i][c]), 2.2);
  return colour;
}

// The rows that are drawn: nodes, then both ends of the straight piece of each pulley's cable; poses of bodies.
struct Scene {
  Model model;  // with the cables of pulleys
  BodyPicture picture;
  std::vector<float> times;
  std::vector<std::vector<double>> points, poses;
  std::vector<double> mean_tensions;             // of the cables, over all rows
  std::vector<double> least_wound, first_wound;  // angle on each drum over all rows, and in the first, rad
  std::vector<Vec3> first_leaves;                // of each drum, in the frame of its body

  int end_of(std::size_t pulley) const { return static_cast<int>(model.nodes.size() + 2 * pulley); }
};

Vec3 in_frame(const std::vector<double>& poses, int body, const Vec3& position) {
  if (body < 0) return position;
  const double* pose = poses.data() + pose_columns * body;
  return Quaternion(pose[3], pose[4], pose[5], pose[6]).conjugate() * (position - Vec3(pose));
}

Scene scene_of(const Run& result, std::size_t every) {
  Scene scene;
  scene.model = result.scenario.model;
  Picture picture(scene.model);
  if (!result.columns.bodies.empty()) scene.picture = picture.bodies();  // runs of earlier versions have no poses
  picture.add_to(scene.model);
  scene.mean_tensions.assign(scene.model.cables.size(), 0.0);
  scene.least_wound.assign(scene.picture.pulleys.size(), INFINITY);
  const std::vector<std::size_t> kept = kept_rows(result.rows(), every);
  for (std::size_t row = 0, next = 0; row < result.rows(); ++row) {
    const Sample sample = row_of(result, row), &drawn = picture.add_to(sample);
    for (std::size_t i = 0; i < drawn.tensions.size(); ++i)
      scene.mean_tensions[i] += drawn.tensions[i] / static_cast<double>(result.rows());
    for (std::size_t i = 0; i < scene.picture.pulleys.size(); ++i) {
      const ReportPulley& pulley = scene.picture.pulleys[i];
      const double wound = wound_angle(pulley, drawn.rest_lengths[pulley.cable]);
      scene.least_wound[i] = std::min(scene.least_wound[i], wound);
      if (row == 0) scene.first_wound.push_back(wound);
    }
    if (next == kept.size() || kept[next] != row) continue;
    ++next;
    scene.times.push_back(static_cast<float>(sample.t));
    scene.points.push_back(drawn.nodes);
    scene.poses.push_back(drawn.bodies);
    for (const CableCourse& course : courses_of(scene.picture, scene.model, drawn))
      for (const Vec3& end : {course.leaves, course.meets})
        scene.points.back().insert(scene.points.back().end(), end.begin(), end.end());
    for (std::size_t i = 0; row == 0 && i < scene.picture.pulleys.size(); ++i)
      scene.first_leaves.push_back(in_frame(drawn.bodies, scene.picture.pulleys[i].wheel.body,
                                            Vec3(scene.points.back().data() + 3 * scene.end_of(i))));
  }
  return scene;
}

// A straight piece between two points of the scene.
struct Piece {
  std::string name;
  int a, b;
  double radius;
  int mesh;
};

double cable_radius(const Model& model) {
  double thinnest = 0.0, size = 0.0;
  for (const Bar& bar : model.bars) {
    size = std::max(size, start_length(model, bar));
    thinnest = thinnest > 0.0 ? std::min(thinnest, bar.radius) : bar.radius;
  }
  for (const Cable& cable : model.cables) size = std::max(size, start_length(model, cable));
  return thinnest > 0.0 ? 0.3 * thinnest : 0.003 * size;
}

// The step of the colour scale, by mean tensions in steps of the largest.
std::vector<int> cable_steps(const Scene& scene) {
  const std::vector<double>& mean = scene.mean_tensions;
  const double largest = mean.empty() ? 0.0 : *std::max_element(mean.begin(), mean.end());
  std::vector<int> step;
  for (const double tension : mean) {
    const double part = largest > 0.0 ? std::clamp(tension / largest, 0.0, 1.0) : 0.0;
    step.push_back(std::isfinite(part) ? static_cast<int>(std::lround(part * (steps - 1))) : 0);
  }
  return step;
}

std::vector<Piece> pieces_of(const Scene& scene) {
  const Model& model = scene.model;
  std::vector<Piece> pieces;
  for (const Bar& bar : model.bars) pieces.push_back({bar.name, bar.a, bar.b, bar.radius, 0});
  const double radius = cable_radius(model);
  const std::vector<int> step = cable_steps(scene);
  for (std::size_t i = 0; i < model.cables.size(); ++i) {
    const std::vector<int>& path = model.cables[i].path;
    for (std::size_t k = 0; k + 1 < path.size(); ++k)
      pieces.push_back({path.size() == 2 ? model.cables[i].name : fmt::format("{} {}", model.cables[i].name, k + 1),
                        path[k], path[k + 1], radius, 1 + step[i]});
  }
  for (std::size_t i = 0; i < scene.picture.pulleys.size(); ++i) {
    const ReportPulley& pulley = scene.picture.pulleys[i];
    pieces.push_back({pulley.name, scene.end_of(i), scene.end_of(i) + 1, radius, 1 + step[pulley.cable]});
  }
  return pieces;
}

// What of each pulley's cable stays wound on its drum throughout.
std::vector<std::pair<Solid, int>> rings_of(const Scene& scene) {
  std::vector<std::pair<Solid, int>> rings;
  const double radius = cable_radius(scene.model);
  const std::vector<int> step = cable_steps(scene);
  for (std::size_t i = 0; i < scene.picture.pulleys.size(); ++i) {
    const ReportPulley& pulley = scene.picture.pulleys[i];
    if (!(scene.least_wound[i] > 0.0)) continue;
    const Vec3 axis(pulley.axis.data());
    const auto add = [&](const ReportPulley::Wheel& wheel, const Vec3& from, double angle) {
      Solid ring{pulley.name + " wound", Solid::Role::cable, wheel.body, Solid::Form::ring};
      ring.inner = radius / wheel.radius;
      ring.angle = angle;
      ring.at = Vec3(wheel.at.data());
      ring.scale = Vec3::Constant(wheel.radius);
      Mat3 axes;
      axes << from, axis.cross(from), axis;
      ring.rotation = Quaternion(axes);
      rings.emplace_back(std::move(ring), 1 + step[pulley.cable]);
    };
    const Vec3 leaves = (scene.first_leaves[i] - Vec3(pulley.wheel.at.data())).normalized();
    add(pulley.wheel, Eigen::AngleAxisd(scene.first_wound[i] - scene.least_wound[i], axis) * leaves,
        scene.least_wound[i]);
    if (pulley.second) add(*pulley.second, leaves, 2.0 * std::numbers::pi);
  }
  return rings;
}

// Where a piece is over time.
struct Motion {
  std::vector<float> translation, rotation, scale;
};

bool changes(const std::vector<float>& values, std::size_t width) {
  for (std::size_t i = width; i < values.size(); ++i)
    if (values[i] != values[i % width]) return true;
  return false;
}

Motion motion_of(const Scene& scene, const Piece& piece) {
  Motion motion;
  Quaternion turn = Quaternion::Identity();
  Vec3 direction = Vec3::UnitZ();
  double first_length = 0.0;
  for (const std::vector<double>& x : scene.points) {
    const Vec3 a(x.data() + 3 * piece.a), b(x.data() + 3 * piece.b);
    // The shortest turn from row to row: a cylinder shows no roll, and nothing spins between two rows.
    const double length = (b - a).norm();
    if (length > 0.0 && std::isfinite(length)) {
      turn = (turn_between(direction, (b - a) / length) * turn).normalized();
      direction = (b - a) / length;
    }
    if (motion.scale.empty()) first_length = length;
    // A length that only rounds differently is the same length.
    const double shown = std::abs(length - first_length) < 1e-6 * first_length ? first_length : length;
    for (int i = 0; i < 3; ++i) motion.translation.push_back(static_cast<float>(a[i]));
    for (const double q : {turn.x(), turn.y(), turn.z(), turn.w()}) motion.rotation.push_back(static_cast<float>(q));
    for (const double s : {piece.radius, piece.radius, std::max(shown, 1e-6)})
      motion.scale.push_back(static_cast<float>(s));
  }
  return motion;
}

Motion motion_of(const Scene& scene, int body) {
  Motion motion;
  Quaternion last = Quaternion::Identity();
  for (const std::vector<double>& poses : scene.poses) {
    const double* pose = poses.data() + pose_columns * body;
    Quaternion turn(pose[3], pose[4], pose[5], pose[6]);
    if (turn.dot(last) < 0.0) turn.coeffs() = -turn.coeffs();  // the shorter way from row to row
    last = turn;
    for (int i = 0; i < 3; ++i) motion.translation.push_back(static_cast<float>(pose[i]));
    for (const double q : {turn.x(), turn.y(), turn.z(), turn.w()}) motion.rotation.push_back(static_cast<float>(q));
  }
  return motion;
}

Json material(const char* name, const std::array<double, 3>& colour) {
  return {{"name", name},
          {"pbrMetallicRoughness",
           {{"baseColorFactor", {colour[0], colour[1], colour[2], 1.0}},
            {"metallicFactor", 0.0},
            {"roughnessFactor", 0.6}}}};
}

// Header, JSON chunk, binary chunk, each of whole words.
std::string assemble(const Json& json, std::string bytes) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');
  bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
  std::string file;
  file.reserve(28 + text.size() + bytes.size());
  const auto word = [&](std::size_t n) {
    const auto value = static_cast<std::uint32_t>(n);
    file.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  word(0x46546C67), word(2), word(28 + text.size() + bytes.size());
  word(text.size()), word(0x4E4F534A);
  file += text;
  word(bytes.size()), word(0x004E4942);
  return file + bytes;
}

Json numbers_json(const auto& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(static_cast<float>(value));
  return json;
}

// The file in the making: materials and meshes, the tree of nodes, the animation.
class GltfWriter {
 public:
  explicit GltfWriter(const Scene& scene) : scene_(scene) {
    json_["asset"] = {{"version", "2.0"}, {"generator", program_version()}};
    json_["materials"].push_back(material("bars", {0.05, 0.05, 0.06}));
    for (int i = 0; i < steps; ++i)
      json_["materials"].push_back(material(fmt::format("cables {}/{}", i, steps - 1).c_str(), cable_colour(i)));
    // The meshes of bars and cables have the numbers of their materials.
    const Json geometry = geometry_of(unit_cylinder());
    for (std::size_t i = 0; i < json_["materials"].size(); ++i) add_mesh(geometry, i, json_["materials"][i]["name"]);
    if (!scene.picture.bodies.empty() || !scene.picture.solids.empty() || !scene.picture.pulleys.empty()) {
      json_["materials"].push_back(material("bodies", {0.27, 0.37, 0.46}));
      json_["materials"].push_back(material("see-through bodies", {0.27, 0.37, 0.46}));
      json_["materials"].back()["alphaMode"] = "BLEND";
      json_["materials"].back()["pbrMetallicRoughness"]["baseColorFactor"][3] = 0.35;
      json_["materials"].push_back(material("joints", {0.1, 0.12, 0.15}));
      json_["materials"].push_back(material("drums", {0.45, 0.26, 0.07}));
    }
    // The root turns z up into y up.
    const double half = std::sqrt(0.5);
    const std::string& name = scene.model.name;
    json_["scene"] = 0;
    json_["scenes"] = Json::array({{{"nodes", {0}}}});
    json_["nodes"] =
        Json::array({{{"name", name.empty() ? "structure" : name}, {"rotation", {-half, 0.0, 0.0, half}}}});
  }

  void add_piece(const Piece& piece) {
    const std::size_t node = add_node(0, {{"name", piece.name}, {"mesh", piece.mesh}});
    move(node, motion_of(scene_, piece));
  }

  // A node for each body, with what is drawn of it below; what stands still is below the root.
  void add_bodies() {
    std::vector<std::size_t> frames;
    for (std::size_t i = 0; i < scene_.picture.bodies.size(); ++i) {
      frames.push_back(add_node(0, {{"name", scene_.picture.bodies[i].name}}));
      move(frames.back(), motion_of(scene_, static_cast<int>(i)));
    }
    const auto add = [&](const Solid& solid, std::size_t material_index) {
      add_node(solid.body < 0 ? 0 : frames[solid.body],
               {{"name", solid.name},
                {"mesh", mesh_number(solid, material_index)},
                {"translation", numbers_json(solid.at)},
                {"rotation", numbers_json(solid.rotation.coeffs())},  // x, y, z, w
                {"scale", numbers_json(solid.scale)}});
    };
    for (const Solid& solid : solids_of(scene_.picture)) add(solid, 1 + steps + static_cast<std::size_t>(solid.role));
    for (const auto& [ring, colour] : rings_of(scene_)) add(ring, static_cast<std::size_t>(colour));
  }

  std::string finish() {
    if (!animation_["channels"].empty()) json_["animations"].push_back(std::move(animation_));
    json_["bufferViews"] = std::move(buffers_.views);
    json_["accessors"] = std::move(buffers_.accessors);
    json_["buffers"] = Json::array({{{"byteLength", buffers_.bytes.size()}}});
    return assemble(json_, std::move(buffers_.bytes));
  }

 private:
  Json geometry_of(const Mesh& mesh) {
    return {{"attributes",
             {{"POSITION", buffers_.add(mesh.positions, "VEC3", 3, vertices, true)},
              {"NORMAL", buffers_.add(mesh.normals, "VEC3", 3, vertices, false)}}},
            {"indices", buffers_.add(mesh.triangles, "SCALAR", 1, elements, false)}};
  }
  std::size_t add_mesh(Json geometry, std::size_t material_index, Json name) {
    geometry["material"] = material_index;
    json_["meshes"].push_back({{"name", std::move(name)}, {"primitives", Json::array({std::move(geometry)})}});
    return json_["meshes"].size() - 1;
  }
  // Each form once in each colour.
  std::size_t mesh_number(const Solid& solid, std::size_t material_index) {
    const auto key = std::make_tuple(static_cast<int>(solid.form), solid.inner, solid.angle, material_index);
    const auto known = meshes_.find(key);
    if (known != meshes_.end()) return known->second;
    return meshes_[key] = add_mesh(geometry_of(mesh_of(solid)), material_index, solid.name);
  }
  std::size_t add_node(std::size_t parent, Json node) {
    const std::size_t number = json_["nodes"].size();
    json_["nodes"].push_back(std::move(node));
    json_["nodes"][parent]["children"].push_back(number);
    return number;
  }
  void move(std::size_t node, const Motion& motion) {
    const auto put = [&](const char* path, const std::vector<float>& values, const char* type, int width) {
      if (values.empty()) return;
      json_["nodes"][node][path] = std::vector<float>(values.begin(), values.begin() + width);
      if (!changes(values, width)) return;
      if (input_ == 0) input_ = buffers_.add(scene_.times, "SCALAR", 1, 0, true);
      const std::size_t output = buffers_.add(values, type, width, 0, false);
      animation_["channels"].push_back(
          {{"sampler", animation_["samplers"].size()}, {"target", {{"node", node}, {"path", path}}}});
      animation_["samplers"].push_back({{"input", input_}, {"output", output}, {"interpolation", "LINEAR"}});
    };
    put("translation", motion.translation, "VEC3", 3);
    put("rotation", motion.rotation, "VEC4", 4);
    put("scale", motion.scale, "VEC3", 3);
  }

  const Scene& scene_;
  Json json_, animation_{{"name", "motion"}, {"samplers", Json::array()}, {"channels", Json::array()}};
  Buffers buffers_;
  std::map<std::tuple<int, double, double, std::size_t>, std::size_t> meshes_;
  std::size_t input_ = 0;  // of the animation: times
};

}  // namespace

std::size_t gltf_stride(const Run& result, double bytes) {
  const Model& model = result.scenario.model;
  double pieces = static_cast<double>(model.bars.size() + model.pulleys.size() + posed_carriers(model).size());
  for (const Cable& cable : model.cables) pieces += static_cast<double>(cable.path.size() - 1);
  const double all = 40.0 * pieces * static_cast<double>(result.rows());
  return all > bytes ? static_cast<std::size_t>(std::ceil(all / bytes)) : 1;
}

std::string glb(const Run& result, std::size_t every) {
  if (gltf_stride(result, 2e9) > every)
    throw InputError("the animation would exceed 2 GB; export fewer rows with --every");
  const Scene scene = scene_of(result, every);
  GltfWriter writer(scene);
  for (const Piece& piece : pieces_of(scene)) writer.add_piece(piece);
  writer.add_bodies();
  return writer.finish();
}

}  // namespace taut
