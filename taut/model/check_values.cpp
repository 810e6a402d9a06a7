#include "taut/model/check_values.h"

namespace taut {

void check_law(const Entity& entity, const CableLaw& law) {
  entity.not_negative("damping", law.damping);
  if (law.kind != LawKind::table) entity.not_negative(law.by_EA ? "EA" : "stiffness", law.stiffness);
  if (law.kind == LawKind::softplus) entity.positive("beta", law.beta);
  if (law.kind != LawKind::table) return;

  // A table: at least two points, strain ascending, force never falling and positive somewhere.
  if (law.strain.size() != law.force.size()) {
    return entity.say("law.force", fmt::format("has {} values, law.strain has {}: expected as many", law.force.size(),
                                               law.strain.size()));
  }
  if (law.strain.size() < 2) return entity.say("law.strain", "expected two points or more");
  for (size_t i = 0; i < law.strain.size(); ++i) {
    if (!entity.finite("law.strain", law.strain[i]) || !entity.finite("law.force", law.force[i])) return;
  }
  for (size_t i = 1; i < law.strain.size(); ++i) {
    if (!(law.strain[i] > law.strain[i - 1])) {
      return entity.say("law.strain", fmt::format("does not ascend: {} after {}", law.strain[i], law.strain[i - 1]));
    }
    if (law.force[i] < law.force[i - 1]) {
      return entity.say("law.force", fmt::format("falls: {} after {}", law.force[i], law.force[i - 1]));
    }
  }
  const size_t n = law.force.size();
  if (law.force[n - 1] <= 0.0 && law.force[n - 1] == law.force[n - 2]) {
    entity.say("law.force", "is never above 0, so the cable would never pull");
  }
}

void check_friction(const Entity& entity, const Cable& cable) {
  const auto& [kind, coefficient, slip_speed] = cable.friction;
  if (kind == SlidingKind::none) return;
  entity.not_negative("friction.coefficient", coefficient);
  if (kind == SlidingKind::coulomb && coefficient >= 1.0)
    entity.say(
        "friction.coefficient",
        fmt::format("is {}: law coulomb needs a number below 1, above it a sharp turn holds any load", coefficient));
  else if (coefficient > 10.0)
    entity.say("friction.coefficient", fmt::format("is {}: expected 10 or less", coefficient));
  entity.positive("friction.slip_speed", slip_speed);
  if (slip_speed > 0.0 && slip_speed < 1e-12)
    entity.say("friction.slip_speed", fmt::format("is {}: expected 1e-12 m/s or more", slip_speed));
  if (coefficient > 0.0 && cable.path.size() == 2)
    entity.say("friction", "there is no inner node to slide through: expected a cable of three nodes or more");
}

namespace {

void check_times(const Entity& entity, const Signal& s, const std::string& owner) {
  if (s.times.empty()) return entity.say(owner + ".t", "has no rows");
  if (s.values.size() != s.times.size()) {
    return entity.say(owner + ".values", fmt::format("has {} values for {} times", s.values.size(), s.times.size()));
  }
  if (s.kind == SignalKind::hermite && s.slopes.size() != s.times.size()) {
    return entity.say(owner + ".slopes", fmt::format("has {} slopes for {} times", s.slopes.size(), s.times.size()));
  }
  for (size_t i = 0; i < s.times.size(); ++i) {
    if (!entity.finite((owner + ".t").c_str(), s.times[i]) || !entity.finite((owner + ".values").c_str(), s.values[i]))
      return;
    if (s.kind == SignalKind::hermite && !entity.finite((owner + ".slopes").c_str(), s.slopes[i])) return;
    if (i > 0 && !(s.times[i] > s.times[i - 1])) {
      return entity.say(owner + ".t", fmt::format("does not ascend: {} after {}", s.times[i], s.times[i - 1]));
    }
  }
}

}  // namespace

void check_signal(const Entity& entity, const Signal& s, const std::string& owner) {
  const auto finite = [&](const char* key, double v) { entity.finite((owner + key).c_str(), v); };
  switch (s.kind) {
    case SignalKind::constant:
      return finite(".value", s.value);
    case SignalKind::step:
      finite(".before", s.before);
      finite(".after", s.after);
      return finite(".at", s.at);
    case SignalKind::ramp:
    case SignalKind::cosine:
      finite(".from", s.from);
      finite(".to", s.to);
      finite(".start", s.start);
      finite(".end", s.end);
      if (s.end <= s.start) {
        entity.say(owner + ".end", fmt::format("is {}: expected a time after start ({})", s.end, s.start));
      }
      return;
    case SignalKind::sine:
      finite(".mean", s.mean);
      finite(".amplitude", s.amplitude);
      finite(".phase", s.phase);
      entity.positive((owner + ".period").c_str(), s.period);
      return entity.not_negative((owner + ".ramp").c_str(), s.ramp);
    case SignalKind::table:
    case SignalKind::hermite:
      return check_times(entity, s, owner);
  }
}

}  // namespace taut
