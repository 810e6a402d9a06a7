// A sound model to break, and the problems that reading reports: for the tests of model files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"

namespace taut::testing {

// What reading complains about, one text per problem; empty if the text is a good model.
inline std::vector<std::string> problems_of(std::string_view text, const std::vector<std::string>& overrides = {},
                                            const std::string& file = "m.toml") {
  std::vector<std::string> result;
  try {
    read_scenario_text(text, file, overrides);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) result.push_back(to_string(problem));
  }
  return result;
}

// A sound model with one of everything, to be broken line by line.
inline constexpr std::string_view small_model = R"(name = "small"
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = [0, 0, 1]
c = { at = [1, 0, 1], mass = 0.5 }
[[bars]]
nodes = ["a", "b"]
mass = 2
[[cables]]
nodes = ["b", "c"]
stiffness = 100
rest_length = 0.9
[[cables]]
paths = [["a", "c"], ["a", "b", "c"]]
EA = 50
pretension = 2
)";

}  // namespace taut::testing
