#include "taut/control/controller.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/control/controllers/computed_torque.h"
#include "taut/control/controllers/lqr.h"
#include "taut/control/controllers/near_rigid_controller.h"
#include "taut/control/controllers/pid.h"
#include "taut/control/controllers/process.h"
#include "taut/control/controllers/roll.h"
#include "taut/control/controllers/table.h"
#include "taut/model/control_names.h"

namespace taut {

Sight::Sight(const Dynamics& dynamics)
    : dynamics_(dynamics),
      rest_(dynamics.model().cables.size()),
      length_(rest_.size()),
      length_rate_(rest_.size()),
      tension_(rest_.size()),
      joints_(joint_columns(dynamics.model()).size()) {}

Observation Sight::look(const State& state, Terms& terms) {
  const Cables& cables = dynamics_.cables();
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    const int slot = cables.slot_of_cable(static_cast<int>(i));
    rest_[i] = terms.cables.rest[slot];
    length_[i] = terms.cables.length[slot];
    length_rate_[i] = cables.length_rate(slot, terms.cables, terms.xd.data());
    tension_[i] = terms.cables.tension[slot];
  }
  if (!joints_.empty()) dynamics_.formulation().joints()->joint_values(state.q(), state.v(), terms, joints_.data());
  const double* contact = terms.contact.keep_forces ? terms.contact.force.data() : nullptr;
  return {state.t,         terms.x.data(), terms.xd.data(), rest_.data(), length_.data(), length_rate_.data(),
          tension_.data(), joints_.data(), contact,         &dynamics_,   &state,         &terms};
}

namespace {

std::unique_ptr<Controller> make_by_kind(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets) {
  const Model& model = dynamics.model();
  switch (spec.kind) {
    case ControllerKind::roll:
      return make_roll(model, spec);
    case ControllerKind::table:
      return make_table(spec);
    case ControllerKind::pid:
      return make_pid(model, spec, targets);
    case ControllerKind::lqr:
      return make_lqr(dynamics, spec, targets,
                      controller_names(model)[static_cast<std::size_t>(&spec - model.controllers.data())]);
    case ControllerKind::computed_torque:
      return make_computed_torque(dynamics, spec, targets);
    case ControllerKind::near_rigid:
      return make_near_rigid(dynamics, spec, targets);
    case ControllerKind::process:
      return make_process(dynamics, spec);
  }
  throw InputError(fmt::format("controllers of kind {} are not known", static_cast<int>(spec.kind)));
}

}  // namespace

std::unique_ptr<Controller> make_controller(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets) {
  try {
    return make_by_kind(dynamics, spec, targets);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      if (problem.place.line == 0 && problem.key.empty())
        problem.place = spec.place.where(), problem.key = spec.place.key({});
    throw InputError(std::move(problems));
  }
}

}  // namespace taut
