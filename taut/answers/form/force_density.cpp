// Shapes from force densities, given or found.
#include <fmt/format.h>

#include "taut/answers/form/methods.h"
#include "taut/answers/form/select.h"
#include "taut/base/error.h"
#include "taut/equilibrium/members.h"

namespace taut {

namespace {

MemberGroups all_groups(const Model& model, const FormSettings& settings, const MemberGroups& given) {
  if (settings.groups == Grouping::none) return with_given(model, given, groups_of_one(model));
  if (settings.groups == Grouping::lengths) return with_given(model, given, groups_by_length(model));
  return with_given(model, given, groups_by_connections(model));
}

// Densities by --density, one per member. Members that are given one are a group of their own.
MemberGroups read_densities(const Model& model, const FormSettings& settings,
                            std::vector<std::optional<double>>& given) {
  given.assign(member_count(model), std::nullopt);
  MemberGroups groups;
  for (const MembersNumber& wish : settings.density) {
    const auto [members, q] = select_with_number(model, wish, "--density");
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

MemberGroups given_groups(const Model& model, const FormSettings& settings) {
  MemberGroups groups;
  std::vector<char> taken(member_count(model), 0);
  for (const std::string& text : settings.group) {
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

ForceDensityResult form_by_densities(const Model& model, const FormSettings& settings) {
  ForceDensityOptions how;
  // Members whose density is given are a group of their own, unless --group says with whom they go.
  const MemberGroups groups = given_groups(model, settings), of_density = read_densities(model, settings, how.given);
  for (const auto& group : groups)
    for (int m : group)
      if (how.given[m] != how.given[group.front()])
        throw InputError({Problem{{},
                                  "--group",
                                  fmt::format("\"{}\" and \"{}\" have different densities, and share one",
                                              member_name(model, group.front()), member_name(model, m))}});
  how.groups = split_by_density(all_groups(model, settings, with_given(model, groups, of_density)), how.given);
  how.mean_length = settings.mean_length;
  how.pretension = settings.pretension;
  return find_by_densities(model, how);
}

}  // namespace taut
