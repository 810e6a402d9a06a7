#include <algorithm>

#include "taut/model/control_names.h"
#include "taut/model/toml_writer.h"

namespace taut {

namespace {

void write_roll(TomlWriter& w, const RollSettings& roll) {
  const RollSettings standard;
  w.line("policy", toml_string(name(roll.policy)));
  w.line("direction", numbers_text({roll.direction[0], roll.direction[1]}));
  if (roll.speed != standard.speed) w.number("speed", roll.speed);
  if (roll.shortest != standard.shortest) w.number("shortest", roll.shortest);
  if (roll.longest != standard.longest) w.number("longest", roll.longest);
}

std::string pair_text(const Bounds& b) { return fmt::format("[{}, {}]", toml_number(b.least), toml_number(b.most)); }

// One pair where all are the same.
std::string pairs_text(const std::vector<Bounds>& list) {
  if (std::all_of(list.begin(), list.end(), [&](const Bounds& b) { return b == list.front(); }))
    return pair_text(list.front());
  std::string text;
  for (const Bounds& b : list) text += (text.empty() ? "" : ", ") + pair_text(b);
  return "[" + text + "]";
}

void write_list(TomlWriter& w, const char* key, const std::vector<double>& values) {
  if (values.empty()) return;
  if (std::all_of(values.begin(), values.end(), [&](double x) { return x == values.front(); }))
    w.number(key, values.front());
  else
    w.line(key, numbers_text(values));
}

std::string rows_text(const std::vector<double>& values, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i + width <= values.size(); i += width) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(i);
    text += (text.empty() ? "" : ", ") + numbers_text({row, row + static_cast<std::ptrdiff_t>(width)});
  }
  return "[" + text + "]";
}

template <class Items, class Name>
void write_names(TomlWriter& w, const char* key, const Items& items, const Name& name_of) {
  std::string names;
  for (const auto& item : items) names += (names.empty() ? "" : ", ") + toml_string(name_of(w.model(), item));
  if (!names.empty()) w.line(key, "[" + names + "]");
}

void write_steer(TomlWriter& w, const SteerSettings& steer) {
  const SteerSettings standard;
  write_names(w, "inputs", steer.inputs, input_name);
  std::vector<Bounds> bounds;
  for (const ControlInput& input : steer.inputs) bounds.push_back(input.bounds);
  if (std::any_of(bounds.begin(), bounds.end(), [](const Bounds& b) { return b != Bounds{}; }))
    w.line("bounds", pairs_text(bounds));
  if (steer.speed != standard.speed) w.number("speed", steer.speed);
  write_names(w, "targets", steer.targets, target_name);
  if (!steer.path.times.empty()) {
    const std::size_t width = steer.path.values.size() / steer.path.times.size();
    w.line("path", fmt::format("{{ t = {}, values = {}, slopes = {} }}", numbers_text(steer.path.times),
                               rows_text(steer.path.values, width), rows_text(steer.path.slopes, width)));
  }
  write_list(w, "position_gain", steer.position_gain);
  write_list(w, "velocity_gain", steer.velocity_gain);
  write_list(w, "integral_gain", steer.integral_gain);
  write_list(w, "position_weight", steer.position_weight);
  write_list(w, "velocity_weight", steer.velocity_weight);
  write_list(w, "input_weight", steer.input_weight);
  write_list(w, "bias", steer.bias);
  if (steer.method != standard.method) w.line("method", toml_string(name(steer.method)));
  if (steer.tension != standard.tension) w.line("tension", pair_text(steer.tension));
  if (!steer.strain.empty()) w.line("strain", pairs_text(steer.strain));
  if (steer.strain_gain != standard.strain_gain) w.number("strain_gain", steer.strain_gain);
  if (steer.free_position_gain != standard.free_position_gain) w.number("free_position_gain", steer.free_position_gain);
  if (steer.free_velocity_gain != standard.free_velocity_gain) w.number("free_velocity_gain", steer.free_velocity_gain);
}

}  // namespace

void write_controllers(TomlWriter& w) {
  for (const ControllerSpec& spec : w.model().controllers) {
    w.header("[[controllers]]");
    w.line("kind", toml_string(name(spec.kind)));
    if (!spec.name.empty()) w.line("name", toml_string(spec.name));
    if (spec.rate != standard_rate(spec.kind)) w.number("rate", spec.rate);
    if (spec.start != ControllerSpec{}.start) w.number("start", spec.start);
    if (spec.kind == ControllerKind::roll)
      write_roll(w, spec.roll);
    else
      write_steer(w, spec.steer);
  }
}

}  // namespace taut
