// Bars and cables: tables of members, grouped where neighbours have the same keys.

#include "taut/file/write/tree_parts.h"
#include "taut/model/member_defaults.h"

namespace taut {

namespace {

const char* name(MassModel mass_model) { return mass_model == MassModel::lumped ? "lumped" : "consistent"; }

// Which members have the name that the reader would give them anyway. Taking a name out of the defaults can
// change the numbers of those after it, so look again until nothing changes; an odd case names all by hand.
std::vector<bool> default_named(const std::vector<std::string>& names, const std::vector<std::string>& joined) {
  std::vector<bool> result(names.size());
  for (size_t i = 0; i < names.size(); ++i) result[i] = names[i].starts_with(joined[i]);
  for (int round = 0; round < 4; ++round) {
    DefaultNames defaults(names.size());
    bool changed = false;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!result[i]) defaults.reserve(names[i]);
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (!result[i] || defaults.take(joined[i]) == names[i]) continue;
      result[i] = false;
      changed = true;
    }
    if (!changed) return result;
  }
  return std::vector<bool>(names.size(), false);
}

// What a table of members holds besides its nodes; members with the same keys and default names share a table.
struct Entry {
  std::vector<int> path;
  std::string name;
  Value keys;          // a table
  bool alone = false;  // in a table of its own
};

std::string joined_names(const Model& model, const std::vector<int>& path) {
  std::string result;
  for (size_t i = 0; i < path.size(); ++i) result += (i > 0 ? "-" : "") + model.nodes[path[i]].name;
  return result;
}

List members_tree(const Model& model, const char* group, std::vector<Entry> entries) {
  std::vector<std::string> names, joined;
  for (const Entry& entry : entries) {
    names.push_back(entry.name);
    joined.push_back(joined_names(model, entry.path));
  }
  const std::vector<bool> unnamed = default_named(names, joined);
  List list;
  for (size_t i = 0; i < entries.size();) {
    size_t end = i + 1;
    const auto joins = [&](size_t j) {
      return unnamed[j] && !entries[j].alone && same(entries[j].keys, entries[i].keys);
    };
    while (joins(i) && end < entries.size() && joins(end)) ++end;
    Table t;
    if (end - i == 1) {
      t.add("nodes", name_list(model, entries[i].path));
      if (!unnamed[i]) t.add("name", {entries[i].name});
    } else {
      List paths;
      for (size_t j = i; j < end; ++j) paths.push_back(name_list(model, entries[j].path));
      t.add(group, {std::move(paths)});
    }
    for (Item& item : std::get<Table>(entries[i].keys.data).items) t.items.push_back(std::move(item));
    list.push_back({std::move(t)});
    i = end;
  }
  return list;
}

void add_yield(Table& t, double yield, double hardening) {
  if (yield != 0.0) t.add("yield", {yield});
  if (hardening != 0.0) t.add("hardening", {hardening});
}

void add_law(Table& t, const CableLaw& law) {
  if (law.kind == LawKind::table) {
    Table table;
    table.add("kind", {"table"});
    table.add("strain", number_list(law.strain));
    table.add("force", number_list(law.force));
    if (law.unloads) table.add("unloading", {"elastic"});
    t.add("law", {std::move(table)});
    return;
  }
  t.add(law.by_EA ? "EA" : "stiffness", {law.stiffness});
  if (law.kind != CableLaw{}.kind) t.add("law", {name(law.kind)});
  if (law.kind == LawKind::linear && !law.clip && law.damping_model == DampingModel::axial) t.add("clip", {false});
  if (law.kind == LawKind::softplus) t.add("beta", {law.beta});
  add_yield(t, law.yield, law.hardening);
}

Value friction_tree(const SlidingFriction& friction) {
  if (friction.kind == SlidingKind::capstan && friction.slip_speed == SlidingFriction{}.slip_speed)
    return {friction.coefficient};
  Table t;
  t.add("law", {friction.kind == SlidingKind::capstan ? "capstan" : "coulomb"});
  t.add("coefficient", {friction.coefficient});
  t.add("slip_speed", {friction.slip_speed});
  return {std::move(t)};
}

}  // namespace

List bars_tree(const Model& model) {
  const Bar standard;
  std::vector<Entry> entries;
  for (const Bar& bar : model.bars) {
    Table t;
    t.add("mass", {bar.mass});
    if (bar.elastic) {
      t.add("EA", {bar.EA});
      add_yield(t, bar.yield, bar.hardening);
      t.add("rest_length", {bar.rest_length});
      if (bar.mass_model != standard.mass_model) t.add("mass_model", {name(bar.mass_model)});
    } else {
      if (bar.com != standard.com) t.add("com", {bar.com});
      const bool slender = bar.inertia == default_inertia(bar.mass, start_length(model, bar));
      if (!slender) t.add("inertia", {bar.inertia});
      const double axial = bar.attached.empty() ? 0.0 : default_axial_inertia(bar.mass, bar.radius);
      if (bar.axial_inertia != axial) t.add("axial_inertia", {bar.axial_inertia});
      if (bar.spin != 0.0) t.add("spin", {bar.spin});
    }
    if (bar.radius != standard.radius) t.add("radius", {bar.radius});
    if (bar.drag != 0.0) t.add("drag", {bar.drag});
    if (bar.turning_drag != 0.0) t.add("turning_drag", {bar.turning_drag});
    if (!bar.attached.empty()) t.add("attached", name_list(model, bar.attached));
    entries.push_back({{bar.a, bar.b}, bar.name, {std::move(t)}, !bar.attached.empty()});
  }
  return members_tree(model, "pairs", std::move(entries));
}

List cables_tree(const Model& model) {
  const Cable standard;
  std::vector<Entry> entries;
  for (const Cable& cable : model.cables) {
    Table t;
    add_law(t, cable.law);
    if (cable.law.damping != 0.0) t.add("damping", {cable.law.damping});
    if (cable.law.damping_model != standard.law.damping_model) t.add("damping_model", {name(cable.law.damping_model)});
    t.add("rest_length", {cable.rest_length});
    if (cable.friction.kind != SlidingKind::none) t.add("friction", friction_tree(cable.friction));
    if (cable.mass != 0.0) t.add("mass", {cable.mass});
    if (cable.mass_model != standard.mass_model) t.add("mass_model", {name(cable.mass_model)});
    entries.push_back({cable.path, cable.name, {std::move(t)}, false});
  }
  return members_tree(model, "paths", std::move(entries));
}

}  // namespace taut
