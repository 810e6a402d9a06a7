// Reads the shared models of the tests.
#include "tests/support/models.h"

#include "taut/file/read/read_toml.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {

std::string model_text(const std::string& name) {
  return contents(std::string(TAUT_SOURCE_DIR) + "/tests/models/" + name + ".toml");
}

Scenario test_model(const std::string& name, const std::string& more, const std::vector<std::string>& set) {
  return read_scenario_text(model_text(name) + more, name + ".toml", set);
}

}  // namespace taut::testing
