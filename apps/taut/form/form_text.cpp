// What `taut form` prints of each method.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/taut/form/form_report.h"
#include "taut/base/text/text.h"
#include "taut/equilibrium/members.h"
#include "taut/model/words.h"

namespace taut {

namespace {

void print_text(const RelaxResult& r, const FormFiles& files) {
  const auto line = [](std::string_view name, const std::string& value) { fmt::print("  {:<18}{}\n", name, value); };
  if (!r.model.name.empty()) fmt::print("{}\n", r.model.name);
  if (!r.converged)
    line("status", "no equilibrium: " + r.reason);
  else
    line("status", equilibrium_text(r.stable, r.free));
  const std::string where = r.worst_node >= 0 ? place_text(r.model, r.worst_node) : r.worst_joint;
  line("largest net force", fmt::format("{:.1e} of the mean member force, {:.4g} N{}", r.residual, r.mean_force,
                                        r.converged || where.empty() ? "" : "; at " + where));
  line("at the start", fmt::format("{:.1e}", r.start_residual));
  line("kinetic damping", r.steps == 0 ? "not needed" : fmt::format("{} steps, {} peaks", r.steps, r.peaks));
  line("newton steps", fmt::format("{}", r.newton_steps));
  line("largest move",
       r.moved_node < 0 ? "none" : fmt::format("{:.4g} m, node {}", r.largest_move, r.model.nodes[r.moved_node].name));
  const std::vector<std::string> names = cable_names(r.model, r.slack);
  line("slack cables",
       names.empty() ? "none" : fmt::format("{} of {}: {}", names.size(), r.tensions.size(), listed(names, 10)));
  if (r.converged) line("file", files.model);
}

const char* stress_matrix_text(const ForceDensityResult& r) {
  if (r.super_stable) return "no negative eigenvalue, nullity as the shape needs: super-stable";
  if (std::any_of(r.model.cables.begin(), r.model.cables.end(), [](const Cable& c) { return c.path.size() > 2; }))
    return "says nothing about stability: a cable runs over nodes";
  return "more null vectors than the shape has, or negative eigenvalues";
}

void print_text(const ForceDensityResult& r, const FormFiles& files) {
  print_form(r);
  if (!r.converged) return;
  if (!r.groups.empty()) {
    for (std::size_t g = 0; g < std::min<std::size_t>(r.groups.size(), 12); ++g) {
      const auto& members = r.groups[g];
      say(g == 0 ? "force densities" : "",
          fmt::format("{:.9g} N/m: {}{}", r.densities[members.front()], member_name(r.model, members.front()),
                      members.size() > 1 ? fmt::format(" and {} like it", members.size() - 1) : ""));
    }
    if (r.groups.size() > 12) say("", fmt::format("and {} groups more", r.groups.size() - 12));
    say("stress matrix", stress_matrix_text(r));
  }
  print_notes(r);
  say("file", files.model);
}

std::string buckling_line(const Model& model, const Buckling& b) {
  if (!b.loaded) return "no weight and no load that could make it buckle";
  if (!b.stable && !b.found) return "it does not bear its load as it is";
  if (!b.stable)
    return fmt::format("it has buckled: it bears {:.4g} of the load, {:.4g} N; node {} gives way", b.factor, b.load,
                       b.softest_node >= 0 ? model.nodes[b.softest_node].name : "?");
  if (!b.found) return fmt::format("not below {:g} times the load, {:.4g} N", b.factor, b.load);
  return fmt::format("at {:.4g} times the load, {:.4g} N; node {} gives way", b.factor, b.load,
                     b.softest_node >= 0 ? model.nodes[b.softest_node].name : "?");
}

void print_text(const PrestressAnswer& r, const FormFiles& files) {
  const Judgement& j = r.judgement;
  if (!print_status(r, j.stable, j.free)) return;
  say("measured shape", fmt::format("{:.1e} of the mean member force out of balance at best", r.start_residual));
  print_move(r);
  print_tensions(r);
  if (const std::vector<std::string> names = cable_names(r.model, r.at_least); !names.empty())
    say("would push", fmt::format("{} of {}, held at {:.4g} N: {}", names.size(), r.tensions.size(),
                                  r.tensions[r.at_least[0]], fmt::join(names, ", ")));
  const std::string besides =
      j.rigid_motions > 0 ? fmt::format(", besides {} motions of the whole that nothing holds", j.rigid_motions) : "";
  if (!j.frequencies.empty())
    say("lowest frequencies", fmt::format("{:.4g} Hz{}", fmt::join(j.frequencies, ", "), besides));
  if (!has_joints(r.model)) say("buckling", buckling_line(r.model, j.buckling));
  say("file", files.model);
}

void print_text(const FormResult& r, const FormFiles& files) {
  print_form(r);
  if (!r.converged) return;
  say("newton steps", fmt::format("{}", r.iterations));
  say("file", files.model);
}

void print_text(const PathAnswer& r, const FormFiles& files) {
  const std::vector<PathPoint>& points = r.path.points;
  print_form(r);
  say("path", fmt::format("{} points, {} Newton steps, to {:.6g}", points.size(), r.path.newton_steps,
                          points.empty() ? 0.0 : points.back().p));
  for (const PathEvent& event : r.path.events) say("on the way", event_text(r.model, event, r.kind));
  print_notes(r);
  if (!points.empty()) say("table", files.table);
  if (r.converged) say("file", files.model);
}

void print_text(const OptimiseResult& r, const FormFiles& files) {
  print_form(r);
  if (!r.converged) return;
  say("lengths kept", fmt::format("to {:.1e} m", r.length_error));
  say("longest less short", fmt::format("{:.9g} m in all", r.objective));
  print_notes(r);
  say("file", files.model);
}

}  // namespace

void print_answer(const FormAnswer& answer, const FormFiles& files) {
  std::visit([&](const auto& found) { print_text(found, files); }, answer.found);
}

}  // namespace taut
