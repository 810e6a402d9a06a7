#include "taut/run/export_gltf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numbers>

#include "taut/base/error.h"
#include "taut/run/export_vtk.h"

namespace taut {
namespace {

using Json = nlohmann::ordered_json;
using Quaternion = Eigen::Quaterniond;

constexpr int sides = 12;                            // of a cylinder
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

// A cylinder of radius 1 about z from 0 to 1, with both ends closed.
struct Cylinder {
  std::vector<float> positions, normals;
  std::vector<std::uint16_t> triangles;
};

Cylinder make_cylinder() {
  Cylinder c;
  const auto vertex = [&](double x, double y, double z, const Vec3& n) {
    for (const double v : {x, y, z}) c.positions.push_back(static_cast<float>(v));
    for (int i = 0; i < 3; ++i) c.normals.push_back(static_cast<float>(n[i]));
    return static_cast<std::uint16_t>(c.positions.size() / 3 - 1);
  };
  for (int i = 0; i < sides; ++i) {
    // The side: two corners here, two at the next angle; then the slice of either end.
    std::array<std::uint16_t, 4> wall{}, cap{};
    const double a = 2.0 * std::numbers::pi * i / sides, b = 2.0 * std::numbers::pi * (i + 1) / sides;
    for (int k = 0; k < 4; ++k) {
      const double angle = k < 2 ? a : b;
      wall[k] = vertex(std::cos(angle), std::sin(angle), k % 2, {std::cos(angle), std::sin(angle), 0.0});
      cap[k] = vertex(std::cos(angle), std::sin(angle), k % 2, {0.0, 0.0, k % 2 == 1 ? 1.0 : -1.0});
    }
    const std::uint16_t foot = vertex(0.0, 0.0, 0.0, {0.0, 0.0, -1.0}), head = vertex(0.0, 0.0, 1.0, {0.0, 0.0, 1.0});
    c.triangles.insert(c.triangles.end(), {wall[0], wall[2], wall[3], wall[0], wall[3], wall[1]});
    c.triangles.insert(c.triangles.end(), {foot, cap[2], cap[0], head, cap[1], cap[3]});
  }
  return c;
}

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

// A straight piece between two nodes.
struct Piece {
  std::string name;
  int a, b;
  double radius;
  int mesh;
};

std::vector<Piece> pieces_of(const RunResult& result) {
  const Model& model = result.scenario.model;
  std::vector<Piece> pieces;
  double thinnest = 0.0, size = 0.0;
  for (const Bar& bar : model.bars) {
    pieces.push_back({bar.name, bar.a, bar.b, bar.radius, 0});
    size = std::max(size, start_length(model, bar));
    thinnest = thinnest > 0.0 ? std::min(thinnest, bar.radius) : bar.radius;
  }
  for (const Cable& cable : model.cables) size = std::max(size, start_length(model, cable));
  const double radius = thinnest > 0.0 ? 0.3 * thinnest : 0.003 * size;

  // Mean tensions, in steps of the largest.
  const std::size_t cables = model.cables.size(), rows = result.rows();
  std::vector<double> mean(cables, 0.0);
  for (std::size_t i = 0; i < rows * cables; ++i) mean[i % cables] += result.tensions[i] / static_cast<double>(rows);
  const double largest = mean.empty() ? 0.0 : *std::max_element(mean.begin(), mean.end());
  for (std::size_t i = 0; i < cables; ++i) {
    const double part = largest > 0.0 ? std::clamp(mean[i] / largest, 0.0, 1.0) : 0.0;
    const int step = std::isfinite(part) ? static_cast<int>(std::lround(part * (steps - 1))) : 0;
    const std::vector<int>& path = model.cables[i].path;
    for (std::size_t k = 0; k + 1 < path.size(); ++k)
      pieces.push_back({path.size() == 2 ? model.cables[i].name : fmt::format("{} {}", model.cables[i].name, k + 1),
                        path[k], path[k + 1], radius, 1 + step});
  }
  return pieces;
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

Motion motion_of(const RunResult& result, const Piece& piece, const std::vector<std::size_t>& rows) {
  Motion motion;
  const std::size_t nodes = result.scenario.model.nodes.size();
  Quaternion turn = Quaternion::Identity();
  Vec3 direction = Vec3::UnitZ();
  double first_length = 0.0;
  for (const std::size_t row : rows) {
    const double* x = result.nodes.data() + 3 * nodes * row;
    const Vec3 a = Eigen::Map<const Vec3>(x + 3 * piece.a), b = Eigen::Map<const Vec3>(x + 3 * piece.b);
    // The shortest turn from row to row: a cylinder shows no roll, and nothing spins between two rows.
    const double length = (b - a).norm();
    if (length > 0.0 && std::isfinite(length)) {
      turn = (Quaternion::FromTwoVectors(direction, (b - a) / length) * turn).normalized();
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

}  // namespace

std::size_t gltf_stride(const RunResult& result, double bytes) {
  double pieces = static_cast<double>(result.scenario.model.bars.size());
  for (const Cable& cable : result.scenario.model.cables) pieces += static_cast<double>(cable.path.size() - 1);
  const double all = 40.0 * pieces * static_cast<double>(result.rows());
  return all > bytes ? static_cast<std::size_t>(std::ceil(all / bytes)) : 1;
}

std::string glb(const RunResult& result, std::size_t every) {
  if (gltf_stride(result, 2e9) > every)
    throw InputError("the animation would exceed 2 GB; export fewer rows with --every");
  Buffers buffers;
  const Cylinder cylinder = make_cylinder();
  const std::size_t positions = buffers.add(cylinder.positions, "VEC3", 3, vertices, true);
  const std::size_t normals = buffers.add(cylinder.normals, "VEC3", 3, vertices, false);
  const std::size_t triangles = buffers.add(cylinder.triangles, "SCALAR", 1, elements, false);

  Json json;
  json["asset"] = {{"version", "2.0"}, {"generator", "taut " TAUT_VERSION}};
  json["materials"].push_back(material("bars", {0.05, 0.05, 0.06}));
  for (int i = 0; i < steps; ++i)
    json["materials"].push_back(material(fmt::format("cables {}/{}", i, steps - 1).c_str(), cable_colour(i)));
  for (std::size_t i = 0; i < json["materials"].size(); ++i)
    json["meshes"].push_back(
        {{"name", json["materials"][i]["name"]},
         {"primitives", Json::array({{{"attributes", {{"POSITION", positions}, {"NORMAL", normals}}},
                                      {"indices", triangles},
                                      {"material", i}}})}});

  // The root turns z up into y up.
  const double half = std::sqrt(0.5);
  const std::vector<Piece> pieces = pieces_of(result);
  const std::string& name = result.scenario.model.name;
  json["scene"] = 0;
  json["scenes"] = Json::array({{{"nodes", {0}}}});
  json["nodes"] = Json::array({{{"name", name.empty() ? "structure" : name}, {"rotation", {-half, 0.0, 0.0, half}}}});
  for (std::size_t i = 0; i < pieces.size(); ++i) json["nodes"][0]["children"].push_back(i + 1);

  const std::vector<std::size_t> rows = kept_rows(result.rows(), every);
  std::vector<float> times;
  for (const std::size_t row : rows) times.push_back(static_cast<float>(result.t[row]));
  Json animation{{"name", "motion"}, {"samplers", Json::array()}, {"channels", Json::array()}};
  std::size_t input = 0;
  for (const Piece& piece : pieces) {
    const Motion motion = motion_of(result, piece, rows);
    const auto first = [](const std::vector<float>& values, int n) {
      return std::vector<float>(values.begin(), values.begin() + n);
    };
    const auto animate = [&](const char* path, const std::vector<float>& values, const char* type, int width) {
      if (!changes(values, width)) return;
      if (input == 0) input = buffers.add(times, "SCALAR", 1, 0, true);
      const std::size_t output = buffers.add(values, type, width, 0, false);
      animation["channels"].push_back(
          {{"sampler", animation["samplers"].size()}, {"target", {{"node", json["nodes"].size()}, {"path", path}}}});
      animation["samplers"].push_back({{"input", input}, {"output", output}, {"interpolation", "LINEAR"}});
    };
    animate("translation", motion.translation, "VEC3", 3);
    animate("rotation", motion.rotation, "VEC4", 4);
    animate("scale", motion.scale, "VEC3", 3);
    json["nodes"].push_back({{"name", piece.name},
                             {"mesh", piece.mesh},
                             {"translation", first(motion.translation, 3)},
                             {"rotation", first(motion.rotation, 4)},
                             {"scale", first(motion.scale, 3)}});
  }
  if (!animation["channels"].empty()) json["animations"].push_back(std::move(animation));
  json["bufferViews"] = std::move(buffers.views);
  json["accessors"] = std::move(buffers.accessors);
  json["buffers"] = Json::array({{{"byteLength", buffers.bytes.size()}}});
  return assemble(json, std::move(buffers.bytes));
}

}  // namespace taut
