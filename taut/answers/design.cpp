#include "taut/answers/design.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"

namespace taut {
namespace {

Json member_json(const Model& model, const DesignedMember& m, const DesignOptions& options) {
  Json nodes = Json::array();
  for (int node : m.nodes) nodes.push_back(model.nodes[node].name);
  Json member = {{"name", m.name},
                 {"kind", m.bar ? "bar" : "cable"},
                 {"nodes", nodes},
                 {"length", m.length},
                 {"force", m.force},
                 {"rest_length", m.rest_length},
                 {"cut_length", m.cut_length},
                 {"outer_diameter", 2.0 * m.section.radius},
                 {"inner_diameter", inner_diameter(m, options)},
                 {"mass", m.mass},
                 {"limit", name(m.section.limit)},
                 {"built_length", m.built_length},
                 {"built_force", m.built_force}};
  if (has_joints(model) && m.bar) member["moment"] = m.moment;
  if (m.pulley) member["wound"] = m.wound;
  if (m.pulley) member["wound_given"] = m.wound_given;
  return member;
}

}  // namespace

const Words& cut_words() {
  static const Words words = {name(CutState::unloaded), name(CutState::weight), name(CutState::loaded)};
  return words;
}

Material material_of(const MaterialSettings& settings, const std::string& kind) {
  const std::string option = "--" + kind;
  const Material* known = find_material(settings.name);
  if (!known) {
    std::vector<std::string_view> names;
    for (const Material& material : materials()) names.push_back(material.name);
    throw InputError({{{}, option + "-material", unknown_word(settings.name, names)}});
  }
  Material material = *known;
  const auto take = [&](const std::optional<double>& given, const char* what, double& value) {
    if (!given) return;
    require(rules::positive(), *given, option + what);
    material.name = "own";
    value = *given;
  };
  take(settings.density, "-density", material.density);
  take(settings.modulus, "-modulus", material.modulus);
  take(settings.strength, "-strength", material.strength);
  return material;
}

void require(const DesignOptions& options) {
  require(rules::positive(), options.safety, "--safety");
  require(rules::not_negative(), options.hollow, "--hollow");
  require(rules::not_negative(), options.least_diameter, "--least-diameter");
}

DesignAnswer answer_design(const Scenario& scenario, const DesignOptions& options) {
  require(options);
  return {scenario.model, options, design(scenario.model, options)};
}

double inner_diameter(const DesignedMember& member, const DesignOptions& options) {
  return member.bar ? 2.0 * options.hollow * member.section.radius : 0.0;
}

Json json_of(const DesignAnswer& answer) {
  const auto& [model, options, design] = answer;
  Json object;
  object["mass"] = design.bar_mass + design.cable_mass;
  object["bar_mass"] = design.bar_mass;
  object["cable_mass"] = design.cable_mass;
  object["safety"] = options.safety;
  object["hollow"] = options.hollow;
  for (const auto& [key, m] : {std::pair("bar_material", &options.bar), std::pair("cable_material", &options.cable)})
    object[key] = {{"name", m->name}, {"density", m->density}, {"modulus", m->modulus}, {"strength", m->strength}};
  object["largest_move"] = design.largest_move;
  object["cut_at"] = name(design.cut_at);
  object["built_move"] = design.built_move;
  object["stable"] = design.stable;
  object["weight_left_out"] = design.weight_left_out;
  object["rounds"] = design.rounds;
  object["members"] = Json::array();
  for (const DesignedMember& m : design.members) object["members"].push_back(member_json(model, m, options));
  for (const LoadedBody& body : design.bodies)
    object["not_sized"].push_back({{"name", body.name}, {"moment", body.moment}});
  return object;
}

}  // namespace taut
