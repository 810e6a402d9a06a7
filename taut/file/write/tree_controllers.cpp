#include <algorithm>

#include "taut/file/write/tree_parts.h"
#include "taut/model/control_names.h"

namespace taut {

namespace {

void add_roll(Table& t, const RollSettings& roll) {
  const RollSettings standard;
  t.add("policy", {name(roll.policy)});
  t.add("direction", number_list({roll.direction[0], roll.direction[1]}));
  if (roll.speed != standard.speed) t.add("speed", {roll.speed});
  if (roll.shortest != standard.shortest) t.add("shortest", {roll.shortest});
  if (roll.longest != standard.longest) t.add("longest", {roll.longest});
}

Value pair_list(const Bounds& b) { return number_list({b.least, b.most}); }

// One pair where all are the same.
Value pairs_list(const std::vector<Bounds>& bounds) {
  if (std::all_of(bounds.begin(), bounds.end(), [&](const Bounds& b) { return b == bounds.front(); }))
    return pair_list(bounds.front());
  List list;
  for (const Bounds& b : bounds) list.push_back(pair_list(b));
  return {std::move(list)};
}

// One number where all are the same.
void add_list(Table& t, const char* key, const std::vector<double>& values) {
  if (values.empty()) return;
  const bool equal = std::all_of(values.begin(), values.end(), [&](double x) { return x == values.front(); });
  t.add(key, equal ? Value{values.front()} : number_list(values));
}

template <class Items, class Name>
void add_names(Table& t, const char* key, const Model& model, const Items& items, const Name& name_of) {
  List names;
  for (const auto& item : items) names.push_back({name_of(model, item)});
  if (!names.empty()) t.add(key, {std::move(names)});
}

void add_steer(Table& t, const Model& model, const SteerSettings& steer) {
  const SteerSettings standard;
  add_names(t, "inputs", model, steer.inputs, input_name);
  std::vector<Bounds> bounds;
  for (const ControlInput& input : steer.inputs) bounds.push_back(input.bounds);
  if (std::any_of(bounds.begin(), bounds.end(), [](const Bounds& b) { return b != Bounds{}; }))
    t.add("bounds", pairs_list(bounds));
  if (steer.speed != standard.speed) t.add("speed", {steer.speed});
  add_names(t, "targets", model, steer.targets, target_name);
  if (!steer.path.times.empty()) {
    const std::size_t width = steer.path.values.size() / steer.path.times.size();
    Table path;
    path.add("t", number_list(steer.path.times));
    path.add("values", rows_list(steer.path.values, width));
    path.add("slopes", rows_list(steer.path.slopes, width));
    t.add("path", {std::move(path)});
  }
  add_list(t, "position_gain", steer.position_gain);
  add_list(t, "velocity_gain", steer.velocity_gain);
  add_list(t, "integral_gain", steer.integral_gain);
  add_list(t, "position_weight", steer.position_weight);
  add_list(t, "velocity_weight", steer.velocity_weight);
  add_list(t, "input_weight", steer.input_weight);
  add_list(t, "bias", steer.bias);
  if (steer.method != standard.method) t.add("method", {name(steer.method)});
  if (steer.tension != standard.tension) t.add("tension", pair_list(steer.tension));
  if (!steer.strain.empty()) t.add("strain", pairs_list(steer.strain));
  if (steer.strain_gain != standard.strain_gain) t.add("strain_gain", {steer.strain_gain});
  if (steer.free_position_gain != standard.free_position_gain) t.add("free_position_gain", {steer.free_position_gain});
  if (steer.free_velocity_gain != standard.free_velocity_gain) t.add("free_velocity_gain", {steer.free_velocity_gain});
  if (steer.compensate_damping != standard.compensate_damping) t.add("compensate_damping", {steer.compensate_damping});
}

void add_process(Table& t, const SteerSettings& steer) {
  const SteerSettings standard;
  List words;
  for (const std::string& word : steer.command) words.push_back({word});
  t.add("command", {std::move(words)});
  if (!steer.folder.empty()) t.add("folder", {steer.folder});
  if (steer.time_limit != standard.time_limit) t.add("time_limit", {steer.time_limit});
  if (steer.memory != standard.memory) t.add("memory", {std::int64_t{steer.memory}});
}

}  // namespace

List controllers_tree(const Model& model) {
  List list;
  for (const ControllerSpec& spec : model.controllers) {
    Table t;
    t.add("kind", {name(spec.kind)});
    if (!spec.name.empty()) t.add("name", {spec.name});
    if (spec.rate != standard_rate(spec.kind)) t.add("rate", {spec.rate});
    if (spec.start != ControllerSpec{}.start) t.add("start", {spec.start});
    if (spec.kind == ControllerKind::roll) {
      add_names(t, "inputs", model, spec.steer.inputs, input_name);
      add_roll(t, spec.roll);
    } else {
      add_steer(t, model, spec.steer);
    }
    if (spec.kind == ControllerKind::process) add_process(t, spec.steer);
    list.push_back({std::move(t)});
  }
  return list;
}

}  // namespace taut
