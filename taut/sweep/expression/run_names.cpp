#include "taut/sweep/expression/run_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "taut/model/control_names.h"
#include "taut/model/joint_spec.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/model/words.h"
#include "taut/results/columns.h"

namespace taut {

namespace {

template <typename List>
std::map<std::string, int> by_name(const List& list) {
  std::map<std::string, int> names;
  for (std::size_t i = 0; i < list.size(); ++i) names.emplace(list[i].name, static_cast<int>(i));
  return names;
}

std::map<std::string, int> by_name(const std::vector<std::string>& list) {
  std::map<std::string, int> names;
  for (std::size_t i = 0; i < list.size(); ++i) names.emplace(list[i], static_cast<int>(i));
  return names;
}

struct ScalarName {
  const char* name;
  bool of_rows, of_states;
  double (*value)(const Summary&);
};

constexpr ScalarName scalar_names[] = {
    {"steps", false, true, [](const Summary& s) { return static_cast<double>(s.steps); }},
    {"rejected", false, true, [](const Summary& s) { return static_cast<double>(s.rejected); }},
    {"rhs", false, false, [](const Summary& s) { return static_cast<double>(s.rhs); }},
    {"wall_s", false, false, [](const Summary& s) { return s.wall_s; }},
    {"simulated_s", false, true, [](const Summary& s) { return s.simulated_s; }},
    {"contact_residual", false, false, [](const Summary& s) { return s.contact_residual; }},
    {"contact_sweeps", false, false, [](const Summary& s) { return static_cast<double>(s.contact_sweeps); }},
    {"chart_switches", false, true, [](const Summary& s) { return static_cast<double>(s.chart_switches); }},
    {"slack_events_dropped", false, false,
     [](const Summary& s) { return static_cast<double>(s.slack_events_dropped); }},
    {"control_events_dropped", false, false,
     [](const Summary& s) { return static_cast<double>(s.control_events_dropped); }},
    {"largest_difference", true, true, [](const Summary& s) { return s.largest_difference; }},
    {"energy_drift", true, false, [](const Summary& s) { return s.energy_drift; }},
    {"max_bar_length_error", true, true, [](const Summary& s) { return s.max_bar_length_error; }},
};

constexpr const char* event_lists[] = {"slack_events", "went_slack", "went_taut", "yielded", "control_events"};

}  // namespace

RunNames::RunNames(const SweepFile& sweep, const Model& model)
    : sweep_(sweep),
      model_(model),
      nodes_(by_name(model_.nodes)),
      cables_(by_name(model_.cables)),
      bars_(by_name(model_.bars)),
      frames_(by_name(model_.frames)),
      joints_(by_name(joint_columns(model_))),
      controls_(by_name(control_columns(model_))) {}

int RunNames::need(Signal signal) {
  const auto [found, fresh] = index_.emplace(signal, static_cast<int>(signals_.size()));
  if (fresh) signals_.push_back(signal);
  return found->second;
}

// SECTION.NAME.COLUMN, where NAME may be a star.
ResolvedName RunNames::members(const ExpressionName& name, const std::map<std::string, int>& names,
                               const std::vector<std::pair<std::string, Signal>>& columns, int stride_3) {
  ResolvedName found;
  std::string listed;
  for (const auto& [column, signal] : columns) listed += (listed.empty() ? "" : ", ") + column;
  if (name.parts.size() != 3) {
    found.message = fmt::format("{}: expected {}.NAME.COLUMN, COLUMN one of {}", name.text, name.parts.front(), listed);
    return found;
  }
  const auto column =
      std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.first == name.parts[2]; });
  if (column == columns.end()) {
    found.message = fmt::format("{} has no {}: expected one of {}", name.parts.front(), name.parts[2], listed);
    return found;
  }
  const auto signal_of = [&](int member) {
    return need({column->second.where, column->second.index + member * stride_3});
  };
  if (name.parts[1] == "*") {
    found.kind = NameKind::signals;
    // In the order of the model.
    std::vector<int> members;
    for (const auto& entry : names) members.push_back(entry.second);
    std::sort(members.begin(), members.end());
    for (const int member : members) found.columns.push_back(signal_of(member));
    if (found.columns.empty()) {
      found.kind = NameKind::none;
      found.message = fmt::format("{}: the model has no {}", name.text, name.parts.front());
    }
    return found;
  }
  // By name, or by number as in keys.
  int index = -1;
  const std::string& wanted = name.parts[1];
  if (const auto member = names.find(wanted); member != names.end())
    index = member->second;
  else if (std::from_chars(wanted.data(), wanted.data() + wanted.size(), index).ptr != wanted.data() + wanted.size() ||
           index >= static_cast<int>(names.size()))
    return found;
  if (index < 0) return found;
  found.kind = NameKind::signal;
  found.index = signal_of(index);
  return found;
}

// What a run has comes first: a parameter called like its key does not hide the signal of that name.
ResolvedName RunNames::resolve(const ExpressionName& name) {
  ResolvedName found = of_run(name);
  if (found.kind != NameKind::none) return found;
  for (std::size_t i = 0; i < sweep_.parameters.size(); ++i) {
    const SweepParameter& p = sweep_.parameters[i];
    if (p.name != name.text && !(name.parts.size() == 1 && p.name == name.parts.front())) continue;
    found.kind = p.values.empty() ? NameKind::parameter : NameKind::none;
    found.index = static_cast<int>(i);
    found.message = p.values.empty() ? "" : fmt::format("{} is not a number", name.text);
    return found;
  }
  if (sweep_.bisect && sweep_.bisect->name == name.text) {
    found.kind = NameKind::parameter;
    found.index = static_cast<int>(sweep_.parameters.size());
  }
  return found;
}

// energy.COLUMN
ResolvedName RunNames::energy(const std::string& wanted) {
  ResolvedName found;
  const auto column = std::find(energy_names.begin(), energy_names.end(), wanted);
  if (column == energy_names.end()) {
    found.message = fmt::format("energy has no {}: expected one of {}", wanted, fmt::join(energy_names, ", "));
    return found;
  }
  found.kind = NameKind::signal;
  found.index = need({Where::energy, static_cast<int>(column - energy_names.begin())});
  if (const auto at = column - energy_names.begin(); at == dissipated || at == work || at == balance)
    beyond_states_ = "energy." + wanted;
  return found;
}

// SECTION.COLUMN, where COLUMN may hold points itself.
ResolvedName RunNames::listed(const ExpressionName& name, const std::map<std::string, int>& names, Where where) {
  ResolvedName found;
  std::string column = name.parts[1];
  for (std::size_t i = 2; i < name.parts.size(); ++i) column += "." + name.parts[i];
  if (const auto at = names.find(column); at != names.end())
    found.kind = NameKind::signal, found.index = need({where, at->second});
  return found;
}

// A single word: a signal, a scalar of the summary or a list of events.
ResolvedName RunNames::word(const std::string& wanted) {
  ResolvedName found;
  if (wanted == "t" || wanted == "constraint_error") {
    found.kind = NameKind::signal;
    found.index = need({wanted == "t" ? Where::time : Where::constraint_error, 0});
    return found;
  }
  for (std::size_t i = 0; i < std::size(scalar_names); ++i) {
    if (wanted != scalar_names[i].name) continue;
    scalar_of_rows_ |= scalar_names[i].of_rows;
    if (!scalar_names[i].of_states) beyond_states_ = wanted;
    found.kind = NameKind::scalar;
    found.index = static_cast<int>(i);
    return found;
  }
  for (std::size_t i = 0; i < std::size(event_lists); ++i) {
    if (wanted != event_lists[i]) continue;
    found.kind = NameKind::events;
    needs_events_ = true;
    beyond_states_ = wanted;
    found.index = static_cast<int>(i);
    if (i < 3)
      for (const Cable& cable : model_.cables) found.members.push_back(cable.name);
    if (i < 3)
      for (const PulleySpec& pulley : model_.pulleys) found.members.push_back(pulley.name);
    return found;
  }
  return found;
}

ResolvedName RunNames::of_run(const ExpressionName& name) {
  const std::string& section = name.parts.front();
  if (section == "nodes")
    return members(name, nodes_,
                   {{"x", {Where::nodes, 0}},
                    {"y", {Where::nodes, 1}},
                    {"z", {Where::nodes, 2}},
                    {"vx", {Where::velocities, 0}},
                    {"vy", {Where::velocities, 1}},
                    {"vz", {Where::velocities, 2}},
                    {"speed", {Where::speed, 0}}},
                   3);
  if (section == "cables")
    return members(name, cables_,
                   {{"tension", {Where::tensions, 0}},
                    {"length", {Where::lengths, 0}},
                    {"rest_length", {Where::rest_lengths, 0}},
                    {"strain", {Where::strain, 0}}},
                   1);
  if (section == "bars") {
    // What hard ground has done to a bar is known to the step alone.
    if (model_.ground && model_.ground->law == PressKind::rigid) beyond_states_ = name.text + " on hard ground";
    return members(name, bars_, {{"force", {Where::bar_forces, 0}}}, 1);
  }
  if (section == "frames") {
    std::vector<std::pair<std::string, Signal>> columns;
    for (int i = 0; i < frame_columns; ++i)
      columns.push_back({frame_names[static_cast<std::size_t>(i)], {Where::frames, i}});
    return members(name, frames_, columns, frame_columns);
  }
  if (name.parts.size() == 1) return word(section);
  if (section == "energy" && name.parts.size() == 2) return energy(name.parts[1]);
  if (section == "joints") return listed(name, joints_, Where::joints);
  if (section == "controls") return listed(name, controls_, Where::controls);
  return {};
}

Resolver RunNames::resolver() {
  Resolver resolver;
  resolver.resolve = [this](const ExpressionName& name) { return resolve(name); };
  auto& known = resolver.known;
  for (const SweepParameter& p : sweep_.parameters) known.push_back(p.name);
  for (const ScalarName& scalar : scalar_names) known.emplace_back(scalar.name);
  for (const char* list : event_lists) known.emplace_back(list);
  for (const char* column : energy_names) known.push_back(std::string("energy.") + column);
  known.insert(known.end(), {"t", "constraint_error", "nodes.*.z", "cables.*.tension", "bars.*.force"});
  // Names of members, unless there are very many.
  constexpr std::size_t most = 2000;
  const auto quoted = [](const std::string& name) {
    const bool bare = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    return bare ? name : "\"" + name + "\"";
  };
  const auto add = [&](const char* section, const std::map<std::string, int>& names,
                       std::initializer_list<const char*> columns) {
    if (names.size() > most) return;
    for (const auto& entry : names)
      for (const char* column : columns) known.push_back(fmt::format("{}.{}.{}", section, quoted(entry.first), column));
  };
  add("nodes", nodes_, {"x", "y", "z", "vx", "vy", "vz", "speed"});
  add("cables", cables_, {"tension", "length", "rest_length", "strain"});
  add("bars", bars_, {"force"});
  add("frames", frames_, {"x", "y", "z", "yaw", "pitch", "roll"});
  for (const auto& entry : joints_) known.push_back("joints." + entry.first);
  for (const auto& entry : controls_) known.push_back("controls." + entry.first);
  return resolver;
}

void RunNames::take(const Sample& sample, std::span<double> values) const {
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    const auto i = static_cast<std::size_t>(signals_[k].index);
    switch (signals_[k].where) {
      case Where::time:
        values[k] = sample.t;
        break;
      case Where::nodes:
        values[k] = sample.nodes[i];
        break;
      case Where::velocities:
        values[k] = sample.velocities[i];
        break;
      case Where::speed:
        values[k] = std::hypot(sample.velocities[i], sample.velocities[i + 1], sample.velocities[i + 2]);
        break;
      case Where::tensions:
        values[k] = sample.tensions[i];
        break;
      case Where::lengths:
        values[k] = sample.lengths[i];
        break;
      case Where::rest_lengths:
        values[k] = sample.rest_lengths[i];
        break;
      case Where::strain:
        values[k] = sample.lengths[i] / sample.rest_lengths[i] - 1.0;
        break;
      case Where::bar_forces:
        values[k] = sample.bar_forces[i];
        break;
      case Where::frames:
        values[k] = sample.frames[i];
        break;
      case Where::joints:
        values[k] = sample.joints[i];
        break;
      case Where::controls:
        values[k] = sample.controls[i];
        break;
      case Where::energy:
        values[k] = sample.energy[i];
        break;
      case Where::constraint_error:
        values[k] = sample.constraint_error;
        break;
    }
  }
}

std::vector<double> RunNames::scalars(const Summary& summary) {
  std::vector<double> values;
  for (const ScalarName& scalar : scalar_names) values.push_back(scalar.value(summary));
  return values;
}

RunEvents::RunEvents(const Summary& summary, const Model& model) : events_(std::size(event_lists)) {
  for (const SlackEvent& event : summary.slack_events) {
    const ListedEvent entry{event.time, cable_name(model, event.cable)};
    events_[0].push_back(entry);
    events_[event.taut ? 2 : 1].push_back(entry);
  }
  for (const YieldedMember& member : summary.yielded) events_[3].push_back({member.time, member.member});
  for (const ControlEvent& event : summary.control_events) events_[4].push_back({event.time, event.what});
  for (const std::vector<ListedEvent>& list : events_) lists_.emplace_back(list);
}

bool is_name_of_run(std::string_view name) {
  for (const ScalarName& scalar : scalar_names)
    if (name == scalar.name) return true;
  for (const char* list : event_lists)
    if (name == list) return true;
  for (const char* word : {"t", "constraint_error", "pi", "inf", "nan", "and", "or", "not", "if"})
    if (name == word) return true;
  return false;
}

}  // namespace taut
