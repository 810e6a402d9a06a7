// Bars and cables: tables of members, grouped where neighbours have the same keys.
#include "taut/model/member_defaults.h"
#include "taut/model/toml_writer.h"

namespace taut {

namespace {

const char* mass_model_text(MassModel mass_model) {
  return mass_model == MassModel::lumped ? "\"lumped\"" : "\"consistent\"";
}

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

// What a table of members holds besides its nodes; members with the same text and default names share a table.
struct Entry {
  std::vector<int> path;
  std::string name, keys;
  bool alone = false;  // in a table of its own
};

void write_members(TomlWriter& w, const char* title, const char* group, const std::vector<Entry>& entries) {
  std::vector<std::string> names, joined;
  for (const Entry& entry : entries) {
    names.push_back(entry.name);
    joined.push_back(w.joined(entry.path));
  }
  const std::vector<bool> unnamed = default_named(names, joined);
  for (size_t i = 0; i < entries.size();) {
    size_t end = i + 1;
    const auto joins = [&](size_t j) { return unnamed[j] && !entries[j].alone && entries[j].keys == entries[i].keys; };
    while (joins(i) && end < entries.size() && joins(end)) ++end;
    w.header(title);
    if (end - i == 1) {
      w.line("nodes", w.list(entries[i].path));
      if (!unnamed[i]) w.line("name", toml_string(entries[i].name));
    } else {
      fmt::format_to(w.out(), "{} = [\n", group);
      for (size_t j = i; j < end; ++j) fmt::format_to(w.out(), "  {},\n", w.list(entries[j].path));
      fmt::format_to(w.out(), "]\n");
    }
    fmt::format_to(w.out(), "{}", entries[i].keys);
    i = end;
  }
}

std::string key_line(const char* key, const std::string& value) { return fmt::format("{} = {}\n", key, value); }

std::string yield_keys(double yield, double hardening) {
  std::string keys;
  if (yield != 0.0) keys += key_line("yield", toml_number(yield));
  if (hardening != 0.0) keys += key_line("hardening", toml_number(hardening));
  return keys;
}

std::string law_keys(const CableLaw& law) {
  const CableLaw standard;
  if (law.kind == LawKind::table) {
    return key_line("law", fmt::format("{{ kind = \"table\", strain = {}, force = {}{} }}", numbers_text(law.strain),
                                       numbers_text(law.force), law.unloads ? ", unloading = \"elastic\"" : ""));
  }
  std::string keys = key_line(law.by_EA ? "EA" : "stiffness", toml_number(law.stiffness));
  if (law.kind != standard.kind) keys += key_line("law", toml_string(name(law.kind)));
  if (law.kind == LawKind::linear && !law.clip) keys += key_line("clip", "false");
  if (law.kind == LawKind::softplus) keys += key_line("beta", toml_number(law.beta));
  return keys + yield_keys(law.yield, law.hardening);
}

std::string friction_text(const SlidingFriction& friction) {
  const SlidingFriction standard;
  if (friction.kind == SlidingKind::capstan && friction.slip_speed == standard.slip_speed)
    return toml_number(friction.coefficient);
  return fmt::format("{{ law = \"{}\", coefficient = {}, slip_speed = {} }}",
                     friction.kind == SlidingKind::capstan ? "capstan" : "coulomb", toml_number(friction.coefficient),
                     toml_number(friction.slip_speed));
}

}  // namespace

std::string numbers_text(const std::vector<double>& values) {
  std::string result = "[";
  for (size_t i = 0; i < values.size(); ++i) result += (i > 0 ? ", " : "") + toml_number(values[i]);
  return result + "]";
}

void write_bars(TomlWriter& w) {
  const Bar standard;
  std::vector<Entry> entries;
  for (const Bar& bar : w.model().bars) {
    std::string keys = key_line("mass", toml_number(bar.mass));
    if (bar.elastic) {
      keys += key_line("EA", toml_number(bar.EA)) + yield_keys(bar.yield, bar.hardening) +
              key_line("rest_length", toml_number(bar.rest_length));
      if (bar.mass_model != standard.mass_model) keys += key_line("mass_model", mass_model_text(bar.mass_model));
    } else {
      if (bar.com != standard.com) keys += key_line("com", toml_number(bar.com));
      const bool slender = bar.inertia == default_inertia(bar.mass, start_length(w.model(), bar));
      if (!slender) keys += key_line("inertia", toml_number(bar.inertia));
      const double axial = bar.attached.empty() ? 0.0 : default_axial_inertia(bar.mass, bar.radius);
      if (bar.axial_inertia != axial) keys += key_line("axial_inertia", toml_number(bar.axial_inertia));
      if (bar.spin != 0.0) keys += key_line("spin", toml_number(bar.spin));
    }
    if (bar.radius != standard.radius) keys += key_line("radius", toml_number(bar.radius));
    if (bar.drag != 0.0) keys += key_line("drag", toml_number(bar.drag));
    if (bar.turning_drag != 0.0) keys += key_line("turning_drag", toml_number(bar.turning_drag));
    if (!bar.attached.empty()) keys += key_line("attached", w.list(bar.attached));
    entries.push_back({{bar.a, bar.b}, bar.name, std::move(keys), !bar.attached.empty()});
  }
  write_members(w, "[[bars]]", "pairs", entries);
}

void write_cables(TomlWriter& w) {
  const Cable standard;
  std::vector<Entry> entries;
  for (const Cable& cable : w.model().cables) {
    std::string keys = law_keys(cable.law);
    if (cable.law.damping != 0.0) keys += key_line("damping", toml_number(cable.law.damping));
    keys += key_line("rest_length", toml_number(cable.rest_length));
    if (cable.friction.kind != SlidingKind::none) keys += key_line("friction", friction_text(cable.friction));
    if (cable.mass != 0.0) keys += key_line("mass", toml_number(cable.mass));
    if (cable.mass_model != standard.mass_model) keys += key_line("mass_model", mass_model_text(cable.mass_model));
    entries.push_back({cable.path, cable.name, std::move(keys), false});
  }
  write_members(w, "[[cables]]", "paths", entries);
}

}  // namespace taut
