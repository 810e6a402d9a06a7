// What the kernel cannot take, by name.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "taut/base/error.h"
#include "taut/batch/plan/parts.h"
#include "taut/model/laws/bar_law.h"
#include "taut/model/laws/yielding.h"
#include "taut/model/shape/ground_points.h"

namespace taut::batch {

namespace {

// The first of each kind stands for all, with how many more there are.
class Refusals {
 public:
  void add(const char* kind, const std::string& name, const EntityPlace& place, const std::string& why) {
    for (Refused& earlier : list_)
      if (earlier.why == why) {
        ++earlier.more;
        return;
      }
    list_.push_back({kind, name, place, why});
  }
  void add(const std::string& message) { general_.push_back({{}, "", message}); }
  void throw_any() {
    std::vector<Problem> problems;
    for (const Refused& one : list_) {
      const std::string further = one.more > 0 ? fmt::format(" (and {} more)", one.more) : "";
      problems.push_back(
          problem_with(one.kind, one.name, one.place, fmt::format("a batch cannot take {}{}", one.why, further)));
    }
    problems.insert(problems.end(), general_.begin(), general_.end());
    if (!problems.empty()) throw InputError(std::move(problems));
  }

 private:
  struct Refused {
    const char* kind;
    std::string name;
    EntityPlace place;
    std::string why;
    int more = 0;
  };
  std::vector<Refused> list_;
  std::vector<Problem> general_;
};

void look_at_members(const Model& model, Refusals& refusals) {
  for (const Cable& cable : model.cables) {
    if (yields(cable.law)) refusals.add("cable", cable.name, cable.place, "cables that yield; leave yield out");
    if (cable.friction.coefficient > 0.0 && cable.path.size() > 2)
      refusals.add("cable", cable.name, cable.place, "cables that slide with friction; leave friction out");
  }
  for (const Bar& bar : model.bars) {
    if (bar.elastic && yields(law_of(bar)))
      refusals.add("bar", bar.name, bar.place, "bars that yield; leave yield out");
    if (bar.spin != 0.0) refusals.add("bar", bar.name, bar.place, "bars that spin; leave spin out");
  }
  for (const BarDrive& drive : model.bar_drives) {
    const Bar& bar = model.bars[static_cast<std::size_t>(drive.bar)];
    refusals.add("bar", bar.name, drive.place, "bars whose length is driven; drive cables instead");
  }
}

void look_at_ground(const Model& model, Refusals& refusals) {
  if (!model.ground) return;
  const Ground& ground = *model.ground;
  if (ground.law == PressKind::hunt_crossley && ground.exponent != 1.0 && ground.exponent != 1.5 &&
      ground.exponent != 2.0)
    refusals.add(
        fmt::format("environment.ground.exponent: a batch cannot take {:g}; expected 1, 1.5 or 2", ground.exponent));
  if (ground.law == PressKind::rigid && !ground.heights.heights.empty())
    refusals.add(
        "environment.ground.law: a batch cannot take \"rigid\" on a height field; expected a plane, or another law");
  for (const GroundPoint& point : bodies_on_ground(model, GroundSurface(ground))) {
    const Body& body = model.bodies[static_cast<std::size_t>(point.body)];
    refusals.add("body", body.name, body.place,
                 "bodies that touch the ground by their shape; give it contact = false, then its nodes touch");
    break;
  }
}

}  // namespace

void refuse_unfit(const Model& model) {
  Refusals refusals;
  const auto add_all = [&](const char* kind, const auto& list, const char* why) {
    for (const auto& one : list) refusals.add(kind, one.name, one.place, why);
  };
  add_all("joint", model.joints, "joints: it moves nodes, bars and bodies without joints");
  add_all("pulley", model.pulleys, "pulleys: it moves nodes, bars and bodies without joints");
  add_all("controller", model.controllers, "controllers of the model: leave them out and give it commands");
  if (model.collision)
    refusals.add("environment.collision: a batch cannot take bars that touch each other; leave it out");
  look_at_members(model, refusals);
  look_at_ground(model, refusals);
  refusals.throw_any();
}

bool has_jumps(const Model& model) {
  for (const Actuator& actuator : model.actuators)
    if (!breakpoints(actuator.rest_length).empty()) return true;
  for (const Load& load : model.loads)
    if (load.from > 0.0 || (load.to > 0.0 && std::isfinite(load.to))) return true;
  return false;
}

}  // namespace taut::batch
