// Rules of binary glTF, checked one by one.
#include "tests/export/gltf_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

namespace taut::testing {

GltfFile::GltfFile(const std::string& file) {
  EXPECT_EQ(file.substr(0, 4), "glTF");
  EXPECT_EQ(word(file, 4), 2u);
  EXPECT_EQ(word(file, 8), file.size());
  const std::size_t text = word(file, 12), binary = word(file, 20 + text);
  EXPECT_EQ(text % 4, 0u);
  EXPECT_EQ(binary % 4, 0u);
  EXPECT_EQ(file.substr(16, 4), "JSON");
  EXPECT_EQ(file.substr(24 + text, 4), std::string("BIN\0", 4));
  EXPECT_EQ(28 + text + binary, file.size());
  json = nlohmann::json::parse(file.substr(20, text));
  bytes = file.substr(28 + text);
  check();
}

std::vector<double> GltfFile::numbers(std::size_t index) const {
  const auto& accessor = json["accessors"].at(index);
  const auto& view = json["bufferViews"].at(accessor["bufferView"].get<std::size_t>());
  const std::size_t count = accessor["count"].get<std::size_t>() * components(accessor), size = size_of(accessor);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const char* at = bytes.data() + view["byteOffset"].get<std::size_t>() + i * size;
    float number = 0.0F;
    std::uint16_t whole = 0;
    if (size == 4) std::memcpy(&number, at, 4);
    if (size == 2) std::memcpy(&whole, at, 2);
    values.push_back(size == 4 ? number : whole);
  }
  return values;
}

std::uint32_t GltfFile::word(const std::string& file, std::size_t at) {
  std::uint32_t value = 0;
  EXPECT_LE(at + 4, file.size());
  std::memcpy(&value, file.data() + at, 4);
  return value;
}

std::size_t GltfFile::components(const nlohmann::json& accessor) {
  const std::string type = accessor["type"];
  return type == "SCALAR" ? 1 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 0;
}

void GltfFile::check() const {
  EXPECT_EQ(json["asset"]["version"], "2.0");
  ASSERT_EQ(json["buffers"].size(), 1u);
  const std::size_t length = json["buffers"][0]["byteLength"];
  EXPECT_LE(length, bytes.size());
  EXPECT_LT(bytes.size() - length, 4u);
  for (const auto& view : json["bufferViews"]) {
    EXPECT_EQ(view["byteOffset"].get<std::size_t>() % 4, 0u);
    EXPECT_LE(view["byteOffset"].get<std::size_t>() + view["byteLength"].get<std::size_t>(), length);
    EXPECT_GT(view["byteLength"].get<std::size_t>(), 0u);
  }
  for (std::size_t i = 0; i < json["accessors"].size(); ++i) check_accessor(i);
  check_meshes();
  check_nodes();
  if (json.contains("animations"))
    for (const auto& animation : json["animations"]) check_animation(animation);
}

void GltfFile::check_accessor(std::size_t index) const {
  const auto& accessor = json["accessors"][index];
  const auto& view = json["bufferViews"].at(accessor["bufferView"].get<std::size_t>());
  const std::size_t width = components(accessor);
  EXPECT_EQ(accessor["count"].get<std::size_t>() * width * size_of(accessor), view["byteLength"].get<std::size_t>());
  const std::vector<double> values = numbers(index);
  for (const double value : values) ASSERT_TRUE(std::isfinite(value));
  if (!accessor.contains("min")) return;
  for (std::size_t c = 0; c < width; ++c) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = c; i < values.size(); i += width)
      low = std::min(low, values[i]), high = std::max(high, values[i]);
    EXPECT_EQ(static_cast<float>(accessor["min"][c].get<double>()), static_cast<float>(low));
    EXPECT_EQ(static_cast<float>(accessor["max"][c].get<double>()), static_cast<float>(high));
  }
}

void GltfFile::check_meshes() const {
  for (const auto& mesh : json["meshes"])
    for (const auto& primitive : mesh["primitives"]) {
      const std::size_t positions = primitive["attributes"]["POSITION"], normals = primitive["attributes"]["NORMAL"];
      EXPECT_TRUE(json["accessors"].at(positions).contains("min"));
      EXPECT_EQ(json["accessors"][positions]["count"], json["accessors"].at(normals)["count"]);
      const std::vector<double> n = numbers(normals), x = numbers(positions), corners = numbers(primitive["indices"]);
      for (std::size_t i = 0; i < n.size(); i += 3) ASSERT_NEAR(std::hypot(n[i], n[i + 1], n[i + 2]), 1.0, 1e-5);
      ASSERT_EQ(corners.size() % 3, 0u);
      for (const double corner : corners) ASSERT_LT(corner, json["accessors"][positions]["count"].get<double>());
      // Corners run counter-clockwise about the outward normal.
      for (std::size_t i = 0; i < corners.size(); i += 3) {
        const auto at = [&](std::size_t k, int c) { return x[3 * static_cast<std::size_t>(corners[i + k]) + c]; };
        double u[3], v[3];
        for (int c = 0; c < 3; ++c) u[c] = at(1, c) - at(0, c), v[c] = at(2, c) - at(0, c);
        const auto normal = [&](int c) { return n[3 * static_cast<std::size_t>(corners[i]) + c]; };
        ASSERT_GT((u[1] * v[2] - u[2] * v[1]) * normal(0) + (u[2] * v[0] - u[0] * v[2]) * normal(1) +
                      (u[0] * v[1] - u[1] * v[0]) * normal(2),
                  0.0);
      }
      EXPECT_LT(primitive["material"].get<std::size_t>(), json["materials"].size());
    }
}

void GltfFile::check_nodes() const {
  std::set<std::size_t> children;
  for (const auto& node : json["nodes"]) {
    if (node.contains("mesh")) {
      EXPECT_LT(node["mesh"].get<std::size_t>(), json["meshes"].size());
    }
    const std::vector<double> q = node["rotation"];
    EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-5);
    if (node.contains("children"))
      for (const std::size_t child : node["children"]) {
        EXPECT_LT(child, json["nodes"].size());
        EXPECT_TRUE(children.insert(child).second) << "a node with two parents";
      }
  }
  EXPECT_EQ(json["scenes"][json["scene"].get<std::size_t>()]["nodes"][0], 0);
  EXPECT_EQ(children.size() + 1, json["nodes"].size());
}

void GltfFile::check_animation(const nlohmann::json& animation) const {
  std::set<std::pair<std::size_t, std::string>> targets;
  for (const auto& channel : animation["channels"]) {
    const auto& sampler = animation["samplers"].at(channel["sampler"].get<std::size_t>());
    const auto& input = json["accessors"].at(sampler["input"].get<std::size_t>());
    const auto& output = json["accessors"].at(sampler["output"].get<std::size_t>());
    const std::string path = channel["target"]["path"];
    EXPECT_TRUE(input.contains("min") && input.contains("max"));
    EXPECT_EQ(output["type"], path == "rotation" ? "VEC4" : "VEC3");
    EXPECT_EQ(output["count"], input["count"]);
    EXPECT_LT(channel["target"]["node"].get<std::size_t>(), json["nodes"].size());
    EXPECT_TRUE(targets.insert({channel["target"]["node"].get<std::size_t>(), path}).second)
        << "two channels, one target";
    const std::vector<double> times = numbers(sampler["input"]);
    for (std::size_t i = 1; i < times.size(); ++i) ASSERT_GT(times[i], times[i - 1]);
    if (path != "rotation") continue;
    const std::vector<double> q = numbers(sampler["output"]);
    for (std::size_t i = 0; i < q.size(); i += 4)
      ASSERT_NEAR(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3], 1.0, 1e-5);
  }
}

}  // namespace taut::testing
