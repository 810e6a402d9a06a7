// The equilibrium for the given rest lengths by Newton's method, and paths of equilibria.
#include <fmt/format.h>

#include <algorithm>

#include "taut/answers/form/methods.h"
#include "taut/answers/form/select.h"
#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/find_equilibrium.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/equilibrium/supports.h"
#include "taut/form/relax_machine.h"
#include "taut/model/shape/move_nodes.h"

namespace taut {

namespace {

PathOptions path_options(const Model& model, const FormSettings& settings) {
  PathOptions how;
  how.kind = *settings.path;
  how.to = settings.to;
  how.through = settings.arc_length;
  how.branch = settings.branch;
  if (settings.steps != FormSettings{}.steps) how.points = static_cast<int>(std::min(settings.steps, 1'000'000L));
  if (how.kind != PathKind::rest_lengths && !settings.rest_length.empty())
    throw InputError({Problem{{}, "--rest-length", "belongs to --path rest_lengths"}});
  for (const MembersNumber& wish : settings.rest_length) {
    const auto [members, rest] = select_with_number(model, wish, "--rest-length");
    for (int m : members) {
      if (!is_cable(model, m))
        throw InputError(
            {Problem{{}, "--rest-length", fmt::format("\"{}\" is a bar: expected cables", member_name(model, m))}});
      const double first = at_rest(model).cables[m].rest_length, last = first + how.to * (rest - first);
      if (!(rest > 0.0) || !(last > 0.0))
        throw InputError({Problem{{},
                                  "--rest-length",
                                  fmt::format("\"{}\" would be {:g} m: expected a positive length",
                                              member_name(model, m), std::min(rest, last))}});
      std::erase_if(how.rest_lengths, [m = m](const auto& before) { return before.first == m; });
      how.rest_lengths.emplace_back(m, rest);
    }
  }
  return how;
}

}  // namespace

FormResult form_by_newton(const Model& model, double tolerance) {
  if (has_joints(model)) return newton_machine(model, tolerance);
  FormResult result;
  result.model = model;
  StaticForces statics(model);
  const Parts parts = find_parts(model);
  if (const Unsupported free = find_unsupported(model, parts, statics.external()); free.part >= 0) {
    result.reason = fmt::format(
        "weight and loads pull with ({:.4g}, {:.4g}, {:.4g}) N along axes that nothing holds; fix a node, or set "
        "environment.gravity = [0, 0, 0]",
        free.force[0], free.force[1], free.force[2]);
    return result;
  }
  EquilibriumOptions options;
  options.tolerance = tolerance;
  options.stop = stop_flag();
  const Equilibrium found = find_equilibrium(statics, statics.start(), options);
  result.iterations = found.iterations;
  result.free = found.found ? free_motion(statics, found.x) : "";
  result.stable = found.stable && result.free.empty();
  result.converged = found.found;
  move_nodes(result.model, found.x);
  take_balance(result.model, result);
  measure_move(model, result);
  if (result.converged && result.mean_force == 0.0) {
    result.reason = shrunk_members(model, positions(model), found.x);
    bool slack = false;
    for (int m = 0; m < member_count(model); ++m) slack |= must_pull(model, m);
    if (result.reason.empty() && slack)
      result.reason = "it collapses: every cable is slack and nothing carries any force; shorten the rest lengths";
    result.converged = result.reason.empty();
  }
  if (!result.converged && result.reason.empty())
    result.reason = fmt::format(
        "Newton's method comes no nearer to balance than {:.2g} of the mean member force from this start; --method "
        "relax comes from further away",
        found.net.residual);
  return result;
}

PathAnswer form_by_path(const Model& model, const FormSettings& settings) {
  PathOptions how = path_options(model, settings);
  how.progress = settings.following;
  how.stop = stop_flag();
  PathAnswer answer;
  answer.nodes = select_nodes(model, settings.nodes, "--nodes");
  answer.kind = how.kind;
  answer.to = how.to;
  answer.path = follow_path(model, how);
  answer.model = answer.path.model;
  answer.converged = answer.path.complete;
  answer.reason = answer.path.reason;
  answer.iterations = answer.path.newton_steps;
  answer.notes = answer.path.notes;
  if (answer.path.points.empty()) return answer;
  answer.stable = answer.path.points.back().unstable == 0;
  take_balance(answer.model, answer);
  measure_move(model, answer);
  return answer;
}

}  // namespace taut
