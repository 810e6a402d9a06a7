#include "taut/batch/plan/robot_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/file/numbers.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/check/check.h"

namespace taut::batch {

namespace {

Value value_of(double number) {
  if (number == std::round(number) && std::abs(number) < 1e15) return {static_cast<std::int64_t>(number)};
  return {number};
}

Value value_of(std::span<const double> numbers) {
  if (numbers.size() == 1) return value_of(numbers[0]);
  List list;
  for (const double number : numbers) list.push_back(value_of(number));
  return {std::move(list)};
}

[[noreturn]] void throw_for(long robot, const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) problem.message = fmt::format("robot {}: {}", robot, problem.message);
  throw InputError(std::move(problems));
}

// The scenarios of robots one after another. Where every key is a number that lies in the model as it is given, it is put
// there; else the model is read anew. Which of both it is was found out by doing both for some robots.
class RobotScenarios {
 public:
  RobotScenarios(const Draft& draft, const std::vector<RobotKey>& keys)
      : draft_(draft), keys_(keys), base_(draft.scenario()) {
    prepare();
  }
  RobotScenarios(const RobotScenarios& other)
      : draft_(other.draft_), keys_(other.keys_), base_(other.base_), direct_(other.direct_) {
    prepare();
  }

  void try_direct(long robots) {
    direct_ = false;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      if (slots_[k].empty()) return;
      for (const int slot : slots_[k])
        if (numbers_[static_cast<std::size_t>(slot)].count != keys_[k].parts) return;
    }
    for (const long robot : {0L, robots / 2, robots - 1}) {
      put(robot);
      if (!(scenario_of(draft_, keys_, robot) == scenario_)) return;
    }
    direct_ = true;
  }

  const Scenario& at(long robot) {
    if (direct_) {
      put(robot);
      if (check_entities(scenario_.model).empty() && check_structure(scenario_.model).empty()) return scenario_;
    }
    read_ = scenario_of(draft_, keys_, robot);
    return read_;
  }

 private:
  void prepare() {
    scenario_ = base_;
    numbers_ = numbers_of(scenario_);
    for (const RobotKey& key : keys_) slots_.push_back(numbers_at(key.key, numbers_));
  }
  // Every key is put for every robot, so nothing of the last one stays.
  void put(long robot) {
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const std::span<const double> values = keys_[k].of(robot);
      for (const int slot : slots_[k])
        std::copy(values.begin(), values.end(), numbers_[static_cast<std::size_t>(slot)].first);
    }
  }

  const Draft& draft_;
  const std::vector<RobotKey>& keys_;
  const Scenario base_;
  Scenario scenario_, read_;
  std::vector<NumberAt> numbers_;
  std::vector<std::vector<int>> slots_;
  bool direct_ = false;
};

// Rows of what differs from `base`, over robots [first, first + count).
void note_differences(const std::vector<double>& base, const std::vector<double>& own, long at, long count,
                      std::map<int, std::vector<double>>& rows) {
  for (std::size_t k = 0; k < base.size(); ++k) {
    const int place = static_cast<int>(k);
    const auto row = rows.find(place);
    if (row != rows.end())
      row->second[static_cast<std::size_t>(at)] = own[k];
    else if (own[k] != base[k])
      rows.emplace(place, std::vector<double>(static_cast<std::size_t>(count), base[k]))
          .first->second[static_cast<std::size_t>(at)] = own[k];
  }
}

void require_same(const Plan& plan, const Plan& own, const Model& model, const Model& base) {
  if (!plan.same_shape(own))
    throw InputError(
        "its values change what the model is made of (a law, a node that is fixed or touches the ground, a height "
        "field); "
        "robots of one batch differ in numbers only");
  if (model.actuators != base.actuators)
    throw InputError("its values change the signal of an actuator; robots of one batch share signals: command them");
  for (std::size_t i = 0; i < base.loads.size(); ++i)
    if (model.loads[i].from != base.loads[i].from || model.loads[i].to != base.loads[i].to)
      throw InputError("its values change when a load acts; robots of one batch share these times");
}

// Throws InputError where the model is no robot of this plan, and notes nothing then.
void note_robot(const Plan& plan, const Model& model, const Model& base, long at, long count, RobotNumbers& rows) {
  const Plan own = make_plan(model, plan.commands);
  require_same(plan, own, model, base);
  note_differences(plan.numbers, own.numbers, at, count, rows.numbers);
  note_differences(plan.start_x, own.start_x, at, count, rows.start_x);
  note_differences(plan.start_v, own.start_v, at, count, rows.start_v);
}

void look_at(RobotScenarios& scenarios, const Plan& plan, const Model& base, long first, long count,
             RobotNumbers& rows) {
  for (long at = 0; at < count; ++at) {
    stop_if_asked();
    try {
      note_robot(plan, scenarios.at(first + at).model, base, at, count, rows);
    } catch (const InputError& error) {
      throw_for(first + at, error);
    }
  }
}

void join(std::map<int, std::vector<double>>& all, const std::map<int, std::vector<double>>& part,
          const std::vector<double>& base, long first, long robots) {
  for (const auto& [place, row] : part) {
    std::vector<double>& whole = all.try_emplace(place, std::vector<double>(static_cast<std::size_t>(robots),
                                                                            base[static_cast<std::size_t>(place)]))
                                     .first->second;
    std::copy(row.begin(), row.end(), whole.begin() + first);
  }
}

}  // namespace

Scenario scenario_of(const Draft& draft, const std::vector<RobotKey>& keys, long robot) {
  std::vector<Draft::Setting> settings;
  for (const RobotKey& key : keys) {
    const Value value = value_of(key.of(robot));
    settings.push_back({key.key, value, fmt::format("{}={}", key.key, toml_value(value))});
  }
  return draft.with(settings);
}

std::vector<std::string> numbers_of_models(std::span<const Model* const> models, const Plan& plan, const Model& base,
                                           RobotNumbers& numbers) {
  std::vector<std::string> reasons(models.size());
  for (std::size_t i = 0; i < models.size(); ++i) {
    stop_if_asked();
    try {
      note_robot(plan, *models[i], base, static_cast<long>(i), static_cast<long>(models.size()), numbers);
    } catch (const InputError& error) {
      reasons[i] = error.problems().front().message;
    }
  }
  return reasons;
}

RobotNumbers numbers_of_robots(const Draft& draft, const std::vector<RobotKey>& keys, long robots, const Plan& plan,
                               int threads) {
  RobotNumbers all;
  if (keys.empty()) return all;
  RobotScenarios scenarios(draft, keys);
  try {
    scenarios.try_direct(robots);
  } catch (const InputError&) {  // told below, with the robot
  }
  const Model& base = draft.scenario().model;
  const long crew = std::clamp<long>(threads, 1, std::max(1L, robots / 64));
  std::vector<RobotNumbers> parts(static_cast<std::size_t>(crew));
  std::vector<std::exception_ptr> errors(parts.size());
  const auto share = [&](long k) { return robots * k / crew; };
  const auto work = [&](long k, RobotScenarios& own) {
    try {
      look_at(own, plan, base, share(k), share(k + 1) - share(k), parts[static_cast<std::size_t>(k)]);
    } catch (...) {
      errors[static_cast<std::size_t>(k)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    const auto stop = stop_flag();
    for (long k = 1; k < crew; ++k)
      others.emplace_back([&, k, own = scenarios]() mutable {
        const StopScope scope(stop);
        work(k, own);
      });
    work(0, scenarios);
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  for (long k = 0; k < crew; ++k) {
    const RobotNumbers& part = parts[static_cast<std::size_t>(k)];
    join(all.numbers, part.numbers, plan.numbers, share(k), robots);
    join(all.start_x, part.start_x, plan.start_x, share(k), robots);
    join(all.start_v, part.start_v, plan.start_v, share(k), robots);
  }
  return all;
}

}  // namespace taut::batch
