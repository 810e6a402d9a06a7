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

}  // namespace

void write_controllers(TomlWriter& w) {
  const ControllerSpec standard;
  for (const ControllerSpec& spec : w.model().controllers) {
    w.header("[[controllers]]");
    w.line("kind", toml_string(name(spec.kind)));
    if (!spec.name.empty()) w.line("name", toml_string(spec.name));
    if (spec.rate != standard.rate) w.number("rate", spec.rate);
    if (spec.start != standard.start) w.number("start", spec.start);
    write_roll(w, spec.roll);
  }
}

}  // namespace taut
