// The numbers of many robots from values of the model's keys: a value for each robot under each key.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "taut/batch/plan/plan.h"
#include "taut/file/draft.h"

namespace taut::batch {

// Values of one key: `parts` numbers for each robot, or for all of them.
struct RobotKey {
  std::string key;
  int parts = 1;
  std::vector<double> values;

  std::span<const double> of(long robot) const {
    const bool one = values.size() == static_cast<std::size_t>(parts);
    return {values.data() + (one ? 0 : robot * parts), static_cast<std::size_t>(parts)};
  }
};

// What differs from the model as it is: rows over all robots, by the place in Plan::numbers, Plan::start_x, Plan::start_v.
struct RobotNumbers {
  std::map<int, std::vector<double>> numbers, start_x, start_v;
};

// The scenario of one robot.
Scenario scenario_of(const Draft& draft, const std::vector<RobotKey>& keys, long robot);

// Throws InputError, which names the robot: values that make no model, a model of another shape than the plan's.
RobotNumbers numbers_of_robots(const Draft& draft, const std::vector<RobotKey>& keys, long robots, const Plan& plan,
                               int threads);

// The same from models, one for each robot. Returns for each why it cannot be a robot of this plan (empty: it can); one that
// cannot has the numbers of the plan. `base`: the model that the plan is of.
std::vector<std::string> numbers_of_models(std::span<const Model* const> models, const Plan& plan, const Model& base,
                                           RobotNumbers& numbers);

}  // namespace taut::batch
