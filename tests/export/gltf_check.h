// Whether a binary glTF file keeps the rules of glTF 2.0 that taut's files touch: chunks, alignment, bounds of buffer
// views and accessors, min and max, indices of every kind, animation channels.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace taut::testing {

class GltfFile {
 public:
  explicit GltfFile(const std::string& file);

  // The numbers of an accessor.
  std::vector<double> numbers(std::size_t index) const;

  nlohmann::json json;
  std::string bytes;

 private:
  static std::uint32_t word(const std::string& file, std::size_t at);
  static std::size_t components(const nlohmann::json& accessor);
  static std::size_t size_of(const nlohmann::json& accessor) { return accessor["componentType"] == 5126 ? 4 : 2; }

  void check() const;
  void check_accessor(std::size_t index) const;
  void check_meshes() const;
  void check_nodes() const;
  void check_animation(const nlohmann::json& animation) const;
};

}  // namespace taut::testing
