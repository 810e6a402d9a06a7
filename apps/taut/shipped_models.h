// The model files of the folder models/, as part of the program.
#pragma once

#include <string_view>
#include <vector>

namespace taut {

struct ShippedModel {
  std::string_view file;  // NAME.toml
  std::string_view text;
};

const std::vector<ShippedModel>& shipped_models();

// By file name, with or without .toml; null if there is none.
const ShippedModel* find_shipped_model(std::string_view name);

}  // namespace taut
