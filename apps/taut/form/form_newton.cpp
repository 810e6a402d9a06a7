// taut form --method newton: the equilibrium for the given rest lengths, and paths of equilibria.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "apps/taut/form/form_methods.h"
#include "apps/taut/form/form_report.h"
#include "apps/taut/form/form_select.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/base/text/csv.h"
#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/find_equilibrium.h"
#include "taut/equilibrium/members.h"
#include "taut/equilibrium/stiffness/softest_motion.h"
#include "taut/equilibrium/supports.h"
#include "taut/form/path/path.h"
#include "taut/form/relax_machine.h"
#include "taut/model/shape/move_nodes.h"
#include "taut/model/words.h"

namespace taut {

namespace {

FormResult find_by_newton(const Model& model, double tolerance) {
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
        "relax "
        "comes from further away",
        found.net.residual);
  return result;
}

PathOptions path_options(const Model& model, const FormOptions& options) {
  PathOptions how;
  how.kind = options.path == "loads"    ? PathKind::loads
             : options.path == "weight" ? PathKind::weight
                                        : PathKind::rest_lengths;
  how.to = options.to;
  how.through = options.arc_length;
  how.branch = options.branch == "along" ? 1 : options.branch == "against" ? -1 : 0;
  if (options.steps != FormOptions{}.steps) how.points = static_cast<int>(std::min(options.steps, 1'000'000L));
  if (how.kind != PathKind::rest_lengths && !options.rest_length.empty())
    throw InputError({Problem{{}, "--rest-length", "belongs to --path rest_lengths"}});
  for (const std::string& text : options.rest_length) {
    const auto [members, rest] = select_with_number(model, text, "--rest-length");
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

std::string path_csv(const Model& model, const PathResult& path, const std::vector<int>& nodes) {
  Csv csv;
  for (const char* heading : {"point", "factor", "arc_length", "unstable", "stiffness"}) csv.cell(heading);
  for (int i : nodes)
    for (char axis : {'x', 'y', 'z'}) csv.cell(fmt::format("{}.{}", model.nodes[i].name, axis));
  csv.end_row();
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    const PathPoint& at = path.points[k];
    csv.cell(k);
    csv.cell(at.p);
    csv.cell(at.arc);
    csv.cell(at.unstable);
    csv.cell(at.stiffness);
    for (int i : nodes)
      for (int axis = 0; axis < 3; ++axis) csv.cell(at.x[3 * i + axis]);
    csv.end_row();
  }
  return csv.take();
}

Json event_json(const Model& model, const PathEvent& event) {
  return {{"kind", name(event.kind)},
          {"factor", event.at.p},
          {"arc_length", event.at.arc},
          {"node", event.node >= 0 ? Json(model.nodes[event.node].name) : Json()},
          {"along", {event.along[0], event.along[1], event.along[2]}},
          {"motions", event.motions},
          {"stability_lost", event.lost},
          {"crosses", event.crosses},
          {"followed", event.followed},
          {"cables", cable_names(model, event.cables)}};
}

int form_path(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output) {
  const Model& model = scenario.model;
  PathOptions how = path_options(model, options);
  const std::vector<int> nodes = select_nodes(model, options.nodes, "--nodes");
  const std::string stem = std::filesystem::path(options.file).stem().string();
  const std::string record = options.record.empty() ? stem + "-path.csv" : options.record;
  TextFile table(record, "csv");
  how.progress = [](long points, double p) { doing(fmt::format("{} points of the path, at {:.4g}", points, p)); };
  PathResult path = follow_path(model, how);
  FormResult result;
  result.model = path.model;
  result.converged = path.complete;
  result.reason = path.reason;
  result.iterations = path.newton_steps;
  result.notes = path.notes;
  if (!path.points.empty()) {
    result.stable = path.points.back().unstable == 0;
    table.write(path_csv(model, path, nodes));
    take_balance(result.model, result);
    measure_move(model, result);
  }
  no_line();
  write_found(result, scenario, file);
  const double reached = path.points.empty() ? 0.0 : path.points.back().p;
  if (options.json) {
    Json object = form_json(result, output);
    Json events = Json::array();
    for (const PathEvent& event : path.events) events.push_back(event_json(model, event));
    object["path"] = {{"kind", options.path}, {"to", options.to},
                      {"reached", reached},   {"points", path.points.size()},
                      {"events", events},     {"file", path.points.empty() ? Json() : Json(record)}};
    fmt::print("{}", text_of(object));
  } else {
    print_form(result);
    say("path", fmt::format("{} points, {} Newton steps, to {:.6g}", path.points.size(), path.newton_steps, reached));
    for (const PathEvent& event : path.events) say("on the way", event_text(model, event, how.kind));
    print_notes(result);
    if (!path.points.empty()) say("table", record);
    if (result.converged) say("file", output);
  }
  return exit_code(options, result);
}

}  // namespace

int form_newton(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output) {
  if (!options.path.empty()) return form_path(options, scenario, file, output);
  const FormResult result = find_by_newton(scenario.model, options.tolerance);
  write_found(result, scenario, file);
  no_line();
  if (options.json) {
    fmt::print("{}", text_of(form_json(result, output)));
  } else {
    print_form(result);
    if (result.converged) {
      say("newton steps", fmt::format("{}", result.iterations));
      say("file", output);
    }
  }
  return exit_code(options, result);
}

void add_path_options(Command& command, FormOptions& options) {
  command.add({
      {"--path", "P", &options.path,
       "newton: follow equilibria while loads or weight grow from nothing, or rest_lengths change",
       one_of({"loads", "weight", "rest_lengths"})},
      {"--to", "F", &options.to,
       "newton: the end of the path: a factor of the load or weight, or a fraction of the way [1]", finite_number()},
      {"--rest-length", "CABLES=L", &options.rest_length,
       "newton: CABLES=L, a rest length at the end of the way, m; may be repeated"},
      {"--arc-length", "", &options.arc_length,
       "newton: go on through limit points and bifurcations, where the path ends otherwise"},
      {"--branch", "SIDE", &options.branch,
       "newton: leave the path at the first bifurcation, along or against the motion that becomes free",
       one_of({"along", "against"})},
      {"--nodes", "NODES", &options.nodes, "newton: nodes whose positions the table of the path has [*]"},
      {"--record", "FILE", &options.record, "newton: the table of the path [FILE without .toml, with -path.csv]"},
  });
}

}  // namespace taut
