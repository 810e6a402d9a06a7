// Rules for actuators of bars.
#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "taut/model/check/check_values.h"

namespace taut {

namespace {

// A rigid bar begins as it is drawn, moves without impacts, and has to be free to.
void check_length(const Entity& entity, const Model& model, const Bar& bar, const Signal& length) {
  if (length.kind == SignalKind::step || length.kind == SignalKind::table)
    return entity.say("length.kind", fmt::format("a {} jumps in length or speed: expected constant, ramp, cosine, sine "
                                                 "or hermite",
                                                 name(length.kind)));
  const double drawn = start_length(model, bar), start = value(length, 0.0);
  if (!(std::abs(start - drawn) <= 1e-9 * drawn))
    entity.say("length", fmt::format("is {} m at t = 0, but the nodes of bar \"{}\" are {} m apart: expected the same",
                                     start, bar.name, drawn));
  const Axes all = {true, true, true};
  if (model.nodes[bar.a].fixed == all && model.nodes[bar.b].fixed == all)
    entity.say("bar", fmt::format("both nodes of \"{}\" are fixed: its length cannot change", bar.name));
  if (!bar.attached.empty())
    entity.say("bar", fmt::format("nodes are attached to \"{}\", which makes it a rigid body: its length cannot change",
                                  bar.name));
}

}  // namespace

void check_bar_drives(const Model& model, std::vector<Finding>& findings) {
  std::unordered_set<int> driven;
  for (std::size_t i = 0; i < model.bar_drives.size(); ++i) {
    const BarDrive& drive = model.bar_drives[i];
    const Entity entity(findings, EntityKind::bar_drive, static_cast<int>(i));
    if (drive.bar < 0 || static_cast<std::size_t>(drive.bar) >= model.bars.size()) {
      entity.say("bar", fmt::format("is {}: there are {} bars", drive.bar, model.bars.size()));
      continue;
    }
    const Bar& bar = model.bars[drive.bar];
    if (!driven.insert(drive.bar).second) entity.say("bar", fmt::format("\"{}\" has an actuator already", bar.name));
    const std::size_t before = findings.size();
    check_signal(entity, drive.length, bar.elastic ? "rest_length" : "length");
    if (findings.size() > before) continue;
    if (!bar.elastic)
      check_length(entity, model, bar, drive.length);
    else if (const double start = value(drive.length, 0.0); !(start > 0.0))
      entity.say("rest_length", fmt::format("is {} m at t = 0: expected a length above 0", start));
  }
}

}  // namespace taut
