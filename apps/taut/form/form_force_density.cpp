// taut form --method force_density: shapes from force densities, given or found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/taut/form/form_methods.h"
#include "apps/taut/form/form_report.h"
#include "apps/taut/form/form_select.h"
#include "apps/taut/value_checks.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/equilibrium/members.h"
#include "taut/form/force_density.h"

namespace taut {

namespace {

MemberGroups all_groups(const Model& model, const FormOptions& options, const MemberGroups& given) {
  if (options.groups == "none") return with_given(model, given, groups_of_one(model));
  if (options.groups == "lengths") return with_given(model, given, groups_by_length(model));
  return with_given(model, given, groups_by_connections(model));
}

const char* stress_matrix_text(const ForceDensityResult& r) {
  if (r.super_stable) return "no negative eigenvalue, nullity as the shape needs: super-stable";
  if (std::any_of(r.model.cables.begin(), r.model.cables.end(), [](const Cable& c) { return c.path.size() > 2; }))
    return "says nothing about stability: a cable runs over nodes";
  return "more null vectors than the shape has, or negative eigenvalues";
}

void print_text(const ForceDensityResult& r, const std::string& output) {
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
  say("file", output);
}

void print_object(const ForceDensityResult& r, const std::string& output) {
  Json object = form_json(r, output);
  object["force_densities"] = r.converged ? by_member(r.model, r.densities) : Json::object();
  object["groups"] = Json::array();
  for (const auto& group : r.groups) {
    Json names = Json::array();
    for (int m : group) names.push_back(member_name(r.model, m));
    object["groups"].push_back(names);
  }
  object["lowest_eigenvalues"] = std::vector<double>(r.lowest.data(), r.lowest.data() + r.lowest.size());
  object["super_stable"] = r.super_stable;
  fmt::print("{}", text_of(object));
}

}  // namespace

MemberGroups given_groups(const Model& model, const FormOptions& options) {
  MemberGroups groups;
  std::vector<char> taken(member_count(model), 0);
  for (const std::string& text : options.group) {
    groups.push_back(select_members(model, text, "--group"));
    for (int m : groups.back()) {
      if (taken[m])
        throw InputError({Problem{{}, "--group", fmt::format("\"{}\" is in two groups", member_name(model, m))}});
      if (is_cable(model, m) != is_cable(model, groups.back().front()))
        throw InputError({Problem{{}, "--group", fmt::format("\"{}\" holds cables and bars", text)}});
      taken[m] = 1;
    }
  }
  return groups;
}

namespace {

// Densities by --density, one per member. Members that are given one are a group of their own.
MemberGroups read_densities(const Model& model, const FormOptions& options, std::vector<std::optional<double>>& given) {
  given.assign(member_count(model), std::nullopt);
  MemberGroups groups;
  for (const std::string& text : options.density) {
    const auto [members, q] = select_with_number(model, text, "--density");
    for (int m : members) {
      if (must_pull(model, m) && q < 0.0)
        throw InputError({Problem{
            {}, "--density", fmt::format("{} N/m for \"{}\": a cable cannot push", q, member_name(model, m))}});
      given[m] = q;
    }
    groups.push_back(members);
  }
  return groups;
}

// What is left over of a group that has no density must not meet one that has.
MemberGroups split_by_density(const MemberGroups& groups, const std::vector<std::optional<double>>& density) {
  MemberGroups split;
  for (const auto& group : groups) {
    std::vector<int> rest, given;
    for (int m : group) (density[m] ? given : rest).push_back(m);
    if (!rest.empty()) split.push_back(rest);
    // By value: a later --density may have changed a part.
    while (!given.empty()) {
      std::vector<int> equal, other;
      for (int m : given) (density[m] == density[given.front()] ? equal : other).push_back(m);
      split.push_back(equal);
      given = other;
    }
  }
  return split;
}

}  // namespace

int form_force_density(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output) {
  const Model& model = scenario.model;
  ForceDensityOptions how;
  // Members whose density is given are a group of their own, unless --group says with whom they go.
  const MemberGroups groups = given_groups(model, options), of_density = read_densities(model, options, how.given);
  for (const auto& group : groups)
    for (int m : group)
      if (how.given[m] != how.given[group.front()])
        throw InputError({Problem{{},
                                  "--group",
                                  fmt::format("\"{}\" and \"{}\" have different densities, and share one",
                                              member_name(model, group.front()), member_name(model, m))}});
  how.groups = split_by_density(all_groups(model, options, with_given(model, groups, of_density)), how.given);
  how.mean_length = options.mean_length;
  how.pretension = options.pretension;
  const ForceDensityResult result = find_by_densities(model, how);
  write_found(result, scenario, file);
  no_line();
  options.json ? print_object(result, output) : print_text(result, output);
  return exit_code(options, result);
}

void add_shape_options(Command& command, FormOptions& options) {
  command.add({
      {"--density", "MEMBERS=Q", &options.density,
       "force_density: MEMBERS=Q, force over length in N/m, tension positive; may be repeated"},
      {"--group", "MEMBERS", &options.group,
       "force_density: members that share a density; optimise: a length; may be repeated"},
      {"--groups", "G", &options.groups,
       "force_density: the other groups: by connections, lengths or none [connections]",
       one_of({"connections", "lengths", "none"})},
      {"--maximise", "MEMBERS", &options.maximise, "optimise: members to make as long as the others allow [bars]"},
      {"--minimise", "MEMBERS", &options.minimise, "optimise: members to make as short as the others allow"},
      {"--length", "MEMBERS=L", &options.length,
       "optimise: MEMBERS=L, the length of each of them, m [as at the start]"},
      {"--mean-length", "M", &options.mean_length,
       "force_density: mean length of the members of a free structure, m [as at the start]", positive_number()},
      {"--pretension", "N", &options.pretension,
       "force_density, optimise: mean tension of all cables, N [as at the start]", positive_number()},
  });
}

}  // namespace taut
