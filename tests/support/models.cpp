// Reads the shared models of the tests.
#include "tests/support/models.h"

#include <cmath>
#include <numbers>

#include "taut/file/read/read_toml.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {

std::string model_text(const std::string& name) {
  return contents(std::string(TAUT_SOURCE_DIR) + "/tests/models/" + name + ".toml");
}

Scenario test_model(const std::string& name, const std::string& more, const std::vector<std::string>& set) {
  return read_scenario_text(model_text(name) + more, name + ".toml", set);
}

double manipulator_twist(const Model& model) {
  const auto angle = [&](const char* name) {
    for (const Node& node : model.nodes)
      if (node.name == name) return std::atan2(node.position.y(), node.position.x());
    return std::nan("");
  };
  const double turn = (angle("tip1") - angle("foot1")) * 180.0 / std::numbers::pi;
  return turn < 0.0 ? turn + 360.0 : turn;
}

}  // namespace taut::testing
