// A model file in the making: what the parts of the writer share.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taut/model/model.h"
#include "taut/model/toml_text.h"

namespace taut {

class TomlWriter {
 public:
  explicit TomlWriter(const Model& model) : model_(model) {
    for (const Node& node : model.nodes) names_.push_back(toml_string(node.name));
  }

  void line(std::string_view key, std::string_view value) { fmt::format_to(out(), "{} = {}\n", key, value); }
  void number(std::string_view key, double value) { line(key, toml_number(value)); }
  void header(std::string_view title) { fmt::format_to(out(), "\n{}\n", title); }
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

  const Model& model() const { return model_; }
  const std::string& node(int index) const { return names_[index]; }
  std::string joined(const std::vector<int>& path) const {
    std::string result;
    for (size_t i = 0; i < path.size(); ++i) result += (i > 0 ? "-" : "") + model_.nodes[path[i]].name;
    return result;
  }
  std::string list(const std::vector<int>& path) const {
    std::string result = "[";
    for (size_t i = 0; i < path.size(); ++i) result += (i > 0 ? ", " : "") + names_[path[i]];
    return result + "]";
  }
  std::string take() { return std::move(text_); }

 private:
  const Model& model_;
  std::vector<std::string> names_;
  std::string text_;
};

std::string numbers_text(const std::vector<double>& values);
std::string vector_text(const Vec3& v);

void write_environment(TomlWriter& w);
void write_bars(TomlWriter& w);
void write_bodies(TomlWriter& w);
void write_joints(TomlWriter& w);
void write_cables(TomlWriter& w);
void write_controllers(TomlWriter& w);
void write_outputs(TomlWriter& w);

}  // namespace taut
