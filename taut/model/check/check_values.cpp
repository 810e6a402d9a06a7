#include "taut/model/check/check_values.h"

namespace taut {

void check_yield(const Entity& entity, double yield, double hardening) {
  entity.not_negative("yield", yield);
  entity.not_negative("hardening", hardening);
  if (hardening >= 1.0) entity.say("hardening", fmt::format("is {}: expected a number below 1", hardening));
}

namespace {

// A table: at least two points, strain ascending, force never falling and positive somewhere.
void check_table(const Entity& entity, const CableLaw& law) {
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
    return entity.say("law.force", "is never above 0, so the cable would never pull");
  }
  // What unloads along the first slope must not load along a steeper one.
  const auto slope = [&](size_t i) { return (law.force[i + 1] - law.force[i]) / (law.strain[i + 1] - law.strain[i]); };
  size_t first = 0;
  while (first + 2 < n && law.force[first + 1] <= 0.0) ++first;
  for (size_t i = first + 1; law.unloads && i + 1 < n; ++i)
    if (slope(i) > slope(first) * (1.0 + 1e-12))
      return entity.say("law.unloading",
                        fmt::format("is elastic, but the table is steeper after strain {} than where it "
                                    "leaves zero: expected slopes that do not grow",
                                    law.strain[i]));
}

}  // namespace

void check_law(const Entity& entity, const CableLaw& law) {
  entity.not_negative("damping", law.damping);
  if (law.kind != LawKind::table) entity.not_negative(law.by_EA ? "EA" : "stiffness", law.stiffness);
  if (law.kind == LawKind::softplus) entity.positive("beta", law.beta);
  check_yield(entity, law.yield, law.hardening);
  if (law.yield > 0.0) {
    if (law.stiffness == 0.0)
      entity.say(law.by_EA ? "EA" : "stiffness", "is 0: a member that yields needs one above 0");
    if (!law.clip && law.damping_model == DampingModel::axial)
      entity.say("clip", "is false: a cable that yields only pulls");
  }
  if (law.kind == LawKind::table) check_table(entity, law);
}

void check_damping(const Entity& entity, const Cable& cable) {
  const CableLaw& law = cable.law;
  if (law.damping_model != DampingModel::vector) return;
  if (cable.path.size() > 2)
    entity.say("damping_model",
               fmt::format("is vector: it brakes the motion of two nodes towards and past each other, and a cable that "
                           "slides through nodes has {}; expected axial, or cables between two nodes",
                           cable.path.size()));
  if (law.kind != LawKind::linear) return;
  if (law.clip)
    entity.say("clip", "is true: vector damping is not along the cable and not clipped; expected false, or none");
  if (law.yield > 0.0) entity.say("damping_model", "is vector: a cable that yields only pulls; expected axial");
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
