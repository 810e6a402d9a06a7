// Cables as forces: minus the gradient of their energy, power accounted for to the last part, one answer from every
// path through the code.
#include "taut/forces/cables.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "taut/base/error.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// A law of the given kind with numbers at random, strong enough that elongations of 0.1 m matter.
CableLaw random_law(Random& random, LawKind kind, bool damped) {
  CableLaw law;
  law.kind = kind;
  law.by_EA = kind != LawKind::table && random.chance(0.5);
  law.stiffness = random.between(50.0, 500.0);
  law.damping = damped ? random.between(1.0, 20.0) : 0.0;
  law.beta = random.between(0.01, 0.1);
  if (kind == LawKind::table) {
    law.strain = {-0.4, -0.1, 0.0, 0.15, 0.6};
    law.force = {-20.0, -2.0, 0.0, 30.0, 45.0};
  }
  return law;
}

constexpr LawKind kinds[] = {LawKind::linear, LawKind::softplus, LawKind::spring, LawKind::table};

// Six nodes at random, cables of every kind between two nodes, through three to five, and round closed loops; some
// stretched, some slack; elastic bars too.
struct Case {
  Model model;
  std::vector<double> x, v;
};

Case random_case(unsigned seed, bool damped, bool actuated) {
  Random random(seed);
  Case c;
  c.model.gravity.setZero();
  for (int i = 0; i < 6; ++i) {
    const Vec3 place = random.vector(), rate = random.vector(2.0);
    add_node(c.model, place, 1.0);
    c.x.insert(c.x.end(), place.begin(), place.end());
    c.v.insert(c.v.end(), rate.begin(), rate.end());
  }
  const auto random_path = [&](int size, bool loop) {
    std::vector<int> path;
    while (static_cast<int>(path.size()) < size) {
      const int node = random.below(6);
      if (path.empty() ||
          (path.back() != node && !(loop && path.size() + 1u == static_cast<unsigned>(size) && node == path[0])))
        path.push_back(node);
    }
    if (loop) path.push_back(path.front());
    return path;
  };
  for (int k = 0; k < 16; ++k) {
    const std::vector<int> path =
        k % 2 == 0 ? random_path(2, false) : random_path(3 + random.below(3), random.chance(0.5));
    const int cable = add_cable(c.model, path, random_law(random, kinds[k / 2 % 4], damped), 0.0);
    Cable& added = c.model.cables[cable];
    added.rest_length = start_length(c.model, added) * random.between(0.6, 1.2);
    added.law.clip = random.chance(0.7);
    if (actuated && random.chance(0.5)) {
      const double period = random.between(0.5, 2.0), phase = random.between(0.0, 6.0);
      c.model.actuators.push_back({cable, sine_signal(added.rest_length, 0.2 * added.rest_length, period, phase)});
    }
  }
  for (int k = 0; k < 2; ++k) {
    Bar& bar = c.model.bars[add_bar(c.model, k, 3 + k, 1.0)];
    bar.elastic = true;
    bar.EA = random.between(50.0, 500.0);
    bar.rest_length *= random.between(0.8, 1.2);
  }
  return c;
}

// One evaluation; arrays per node have stride 4 there.
struct Evaluation {
  CableTerms terms;
  AlignedDoubles force;
};

AlignedDoubles padded(const std::vector<double>& three) {
  AlignedDoubles four(three.size() / 3 * 4, 0.0);
  for (std::size_t i = 0; i < three.size(); ++i) four[4 * (i / 3) + i % 3] = three[i];
  return four;
}

void apply(const Cables& cables, const Case& c, Evaluation& e, double s = 0.0) {
  std::vector<double> x = c.x;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += s * c.v[i];
  const AlignedDoubles places = padded(x), rates = padded(c.v), nothing(places.size(), 0.0);
  e.force.assign(places.size(), 0.0);
  cables.apply(places.data(), rates.data(), nothing.data(), e.force.data(), e.terms);
}

// At time t + s, places x + s v.
Evaluation evaluate(const Cables& cables, const Case& c, double t, double s = 0.0) {
  Evaluation e{cables.make_terms(), {}};
  cables.set_time(t + s, e.terms);
  apply(cables, c, e, s);
  return e;
}

// Elongation and its rate of a path, straight from the definition.
struct Stretch {
  double length = 0.0, rate = 0.0;
};

Stretch stretch_of(const Case& c, const std::vector<int>& path) {
  Stretch s;
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    const Vec3 d = Vec3(&c.x[3 * path[k + 1]]) - Vec3(&c.x[3 * path[k]]);
    s.length += d.norm();
    s.rate += d.normalized().dot(Vec3(&c.v[3 * path[k + 1]]) - Vec3(&c.v[3 * path[k]]));
  }
  return s;
}

TEST(Cables, ForceIsMinusTheGradientOfTheEnergy) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Case c = random_case(seed, false, false);
    const Cables cables(c.model);
    const Evaluation at = evaluate(cables, c, 0.0);
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      // Central difference: error of order ε² k/l ~ 1e-8 and rounding 1e-16 U/ε ~ 1e-9.
      constexpr double epsilon = 1e-6;
      const double here = c.x[i];
      c.x[i] = here + epsilon;
      const double above = cables.elastic_energy(evaluate(cables, c, 0.0).terms);
      c.x[i] = here - epsilon;
      const double below = cables.elastic_energy(evaluate(cables, c, 0.0).terms);
      c.x[i] = here;
      EXPECT_NEAR(at.force[4 * (i / 3) + i % 3], -(above - below) / (2.0 * epsilon), 2e-6) << "seed " << seed;
    }
  }
}

// Every cable's tension against the law as the model's page states it, whatever slot it was given.
TEST(Cables, TensionOfEveryCableFollowsItsLaw) {
  for (unsigned seed = 100; seed < 140; ++seed) {
    const Case c = random_case(seed, true, true);
    const Cables cables(c.model);
    const double t = 0.37;
    const Evaluation at = evaluate(cables, c, t);
    for (int i = 0; i < static_cast<int>(c.model.cables.size()); ++i) {
      const Cable& cable = c.model.cables[i];
      double rest = cable.rest_length, rest_rate = 0.0;
      for (const Actuator& a : c.model.actuators)
        if (a.cable == i) {
          const double w = 2.0 * M_PI / a.rest_length.period, angle = w * t + a.rest_length.phase;
          rest = a.rest_length.mean + a.rest_length.amplitude * std::sin(angle);
          rest_rate = a.rest_length.amplitude * w * std::cos(angle);
        }
      const auto [length, rate] = stretch_of(c, cable.path);
      const CableLaw& law = cable.law;
      const double e = length - rest, e_rate = rate - rest_rate;
      const double k = law.by_EA ? law.stiffness / rest : law.stiffness;
      double expected = 0.0;
      if (law.kind == LawKind::linear && e > 0.0) {
        expected = k * e + law.damping * e_rate;
        if (law.clip) expected = std::max(0.0, expected);
      } else if (law.kind == LawKind::spring) {
        expected = k * e + law.damping * e_rate;
      } else if (law.kind == LawKind::softplus) {
        const double root = std::sqrt(e * e + law.beta * law.beta);
        expected = std::max(0.0, 0.5 * k * (e + root) + 0.5 * law.damping * (1.0 + e / root) * e_rate);
      } else if (law.kind == LawKind::table) {
        expected = tension(law, e, e_rate, rest);  // its own tests are with the law
      }
      const int slot = cables.slot_of_cable(i);
      EXPECT_EQ(cables.cable_of_slot(slot), i);
      EXPECT_NEAR(at.terms.length[slot], length, 1e-14);
      EXPECT_NEAR(at.terms.tension[slot], expected, 1e-11) << "seed " << seed << ", " << name(law.kind);
    }
    for (int i = 0; i < static_cast<int>(c.model.bars.size()); ++i) {
      const Bar& bar = c.model.bars[i];
      const double e = stretch_of(c, {bar.a, bar.b}).length - bar.rest_length;
      EXPECT_NEAR(at.terms.tension[cables.slot_of_bar(i)], bar.EA / bar.rest_length * e, 1e-11);
    }
  }
}

TEST(Cables, ForcesBalanceEachOther) {
  for (unsigned seed = 200; seed < 220; ++seed) {
    const Case c = random_case(seed, true, true);
    const Cables cables(c.model);
    const Evaluation at = evaluate(cables, c, 0.2);
    Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
    for (int i = 0; i < 6; ++i) {
      const Vec3 f(&at.force[4 * i]);
      sum += f;
      moment += Vec3(&c.x[3 * i]).cross(f);
    }
    EXPECT_LT(sum.norm(), 1e-11);  // rounding of forces near 1e3 N
    EXPECT_LT(moment.norm(), 1e-11);
  }
}

// -f·v = dU/dt + dissipated power - power of the actuators, with dU/dt by differences along the motion; the
// dissipated part is never negative, nor is that of any cable alone.
TEST(Cables, PowerIsStoredDissipatedOrTakenFromActuators) {
  for (unsigned seed = 300; seed < 360; ++seed) {
    const Case c = random_case(seed, true, true);
    const Cables cables(c.model);
    const double t = 0.4, epsilon = 1e-6;
    const Evaluation at = evaluate(cables, c, t);
    double given = 0.0;
    for (std::size_t i = 0; i < c.v.size(); ++i) given -= at.force[4 * (i / 3) + i % 3] * c.v[i];
    const double stored = (cables.elastic_energy(evaluate(cables, c, t, epsilon).terms) -
                           cables.elastic_energy(evaluate(cables, c, t, -epsilon).terms)) /
                          (2.0 * epsilon);
    // Differences: relative 1e-8 of powers near 1e3 W.
    EXPECT_NEAR(given, stored + at.terms.dissipated_power - at.terms.actuator_power, 1e-5) << "seed " << seed;
    EXPECT_GE(at.terms.dissipated_power, 0.0);
    for (int i = 0; i < static_cast<int>(c.model.cables.size()); ++i) {
      Case alone = c;
      alone.model.cables = {c.model.cables[i]};
      alone.model.bars.clear();
      alone.model.actuators.clear();
      for (const Actuator& a : c.model.actuators)
        if (a.cable == i) alone.model.actuators.push_back({0, a.rest_length});
      const Cables one(alone.model);
      EXPECT_GE(evaluate(one, alone, t).terms.dissipated_power, 0.0) << name(c.model.cables[i].law.kind);
    }
  }
}

// The packed loop and the general one are different code: a two-node cable is packed, the same cable over a third
// node on its straight line is not.
TEST(Cables, PackedAndGeneralPathsAgree) {
  Random random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const double share = random.between(0.2, 0.8);
    const auto make = [&](bool general, Random r) {
      Case c;
      for (int k = 0; k < 5; ++k) {
        const Vec3 a = r.vector(), b = r.vector(), va = r.vector(3.0), vb = r.vector(3.0);
        std::vector<int> path;
        const auto put = [&](const Vec3& place, const Vec3& rate) {
          path.push_back(add_node(c.model, place, 1.0));
          c.x.insert(c.x.end(), place.begin(), place.end());
          c.v.insert(c.v.end(), rate.begin(), rate.end());
        };
        put(a, va);
        if (general) put(a + share * (b - a), va + share * (vb - va));
        put(b, vb);
        const double rest = (b - a).norm() * r.between(0.7, 1.1);
        CableLaw law = linear_law(r.between(10.0, 100.0), r.chance(0.5) ? r.between(1.0, 30.0) : 0.0);
        law.by_EA = r.chance(0.5);
        add_cable(c.model, path, law, rest);
      }
      c.model.actuators.push_back({1, ramp_signal(0.5, 0.8, 0.0, 1.0)});
      return c;
    };
    const Random same = random;
    random.between(0.0, 1.0);
    const Case packed = make(false, same), general = make(true, same);
    const Cables p(packed.model), g(general.model);
    const Evaluation at = evaluate(p, packed, 0.3), other = evaluate(g, general, 0.3);
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(at.terms.tension[p.slot_of_cable(i)], other.terms.tension[g.slot_of_cable(i)], 1e-11);
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(at.force[4 * (2 * i) + axis], other.force[4 * (3 * i) + axis], 1e-11);
        EXPECT_NEAR(at.force[4 * (2 * i + 1) + axis], other.force[4 * (3 * i + 2) + axis], 1e-11);
        EXPECT_NEAR(other.force[4 * (3 * i + 1) + axis], 0.0, 1e-11);  // straight over the middle node
      }
    }
    EXPECT_NEAR(at.terms.dissipated_power, other.terms.dissipated_power, 1e-10);
    EXPECT_NEAR(at.terms.actuator_power, other.terms.actuator_power, 1e-10);
    EXPECT_NEAR(p.elastic_energy(at.terms), g.elastic_energy(other.terms), 1e-12);
  }
}

// With the flags that the signs give, held evaluation is the same; with the other flag the law goes on smoothly: a
// cable held taut follows k e + c ė whatever its sign, one held slack carries nothing.
TEST(Cables, HeldFlagsFollowOrOverrideTheSigns) {
  for (unsigned seed = 400; seed < 430; ++seed) {
    const Case c = random_case(seed, true, true);
    const Cables cables(c.model);
    Evaluation at = evaluate(cables, c, 0.1);
    const Evaluation by_sign = at;
    std::vector<double> values(cables.slots());
    cables.switch_values(at.terms, values.data());
    cables.classify(at.terms);
    const auto held = [&] {
      at.terms.mode = SlackMode::held;
      apply(cables, c, at);
    };
    held();
    for (int i = 0; i < static_cast<int>(c.model.cables.size()); ++i) {
      const int s = cables.slot_of_cable(i);
      EXPECT_NEAR(at.terms.tension[s], by_sign.terms.tension[s], 1e-11);  // rounding of forces near 1e3 N
      if (!cables.has_switch(s)) {
        EXPECT_EQ(values[s], 1.0);
        continue;
      }
      const double e = at.terms.length[s] - at.terms.rest[s],
                   raw = at.terms.stiffness[s] * e + cables.law(s).damping * at.terms.rate[s];
      EXPECT_NEAR(values[s], cables.switch_value(s, at.terms), 1e-12);
      EXPECT_EQ(at.terms.taut[s] != 0.0, e > 0.0 && (!cables.law(s).clip || raw > 0.0));
    }
    for (std::size_t i = 0; i < at.force.size(); ++i) EXPECT_NEAR(at.force[i], by_sign.force[i], 1e-11);
    EXPECT_NEAR(at.terms.dissipated_power, by_sign.terms.dissipated_power, 1e-10);
    for (double& flag : at.terms.taut) flag = 1.0 - flag;
    held();
    for (int i = 0; i < static_cast<int>(c.model.cables.size()); ++i) {
      const int s = cables.slot_of_cable(i);
      if (!cables.has_switch(s)) continue;
      const double e = at.terms.length[s] - at.terms.rest[s],
                   raw = at.terms.stiffness[s] * e + cables.law(s).damping * at.terms.rate[s];
      EXPECT_NEAR(at.terms.tension[s], at.terms.taut[s] != 0.0 ? raw : 0.0, 1e-11);
    }
  }
}

// Without damping the rates are skipped; asking for them changes no force.
TEST(Cables, WantedRatesChangeNothingElse) {
  const Case c = random_case(500, false, false);
  const Cables cables(c.model);
  EXPECT_FALSE(cables.damped());
  const Evaluation at = evaluate(cables, c, 0.0);
  Evaluation with = at;
  with.terms.want_rates = true;
  apply(cables, c, with);
  EXPECT_EQ(at.force, with.force);
  EXPECT_EQ(with.terms.dissipated_power, 0.0);
  for (int i = 0; i < static_cast<int>(c.model.cables.size()); ++i)
    EXPECT_NEAR(with.terms.rate[cables.slot_of_cable(i)], stretch_of(c, c.model.cables[i].path).rate, 1e-13);
}

// A taut clipped cable never pushes; with clip = false the raw sum does.
TEST(Cables, ClippingStopsPushing) {
  Case c;
  for (double at : {0.0, 1.0}) {
    add_node(c.model, {at, 0.0, 0.0}, 1.0);
    c.x.insert(c.x.end(), {at, 0.0, 0.0});
    c.v.insert(c.v.end(), {-2.0 * at, 0.0, 0.0});
  }
  add_cable(c.model, {0, 1}, linear_law(100.0, 30.0), 0.9);  // 10 N of spring, -60 N of damper
  EXPECT_EQ(evaluate(Cables(c.model), c, 0.0).terms.tension[0], 0.0);
  EXPECT_DOUBLE_EQ(evaluate(Cables(c.model), c, 0.0).terms.dissipated_power, 20.0);  // the spring feeds the damper
  c.model.cables[0].law.clip = false;
  EXPECT_NEAR(evaluate(Cables(c.model), c, 0.0).terms.tension[0], -50.0, 1e-12);
  EXPECT_NEAR(evaluate(Cables(c.model), c, 0.0).terms.dissipated_power, 120.0, 1e-12);
  c.model.cables[0].rest_length = 1.1;  // slack: nothing, however fast it lengthens
  c.v[3] = 5.0;
  EXPECT_EQ(evaluate(Cables(c.model), c, 0.0).terms.tension[0], 0.0);
}

TEST(Cables, RestLengthBelowZeroIsARunError) {
  Model model;
  add_node(model, {0, 0, 0}, 1.0);
  add_node(model, {1, 0, 0}, 1.0);
  add_cable(model, {0, 1}, linear_law(10.0), 0.5);
  model.actuators.push_back({0, ramp_signal(0.5, -0.5, 0.0, 1.0)});
  const auto set_time = [&](double t) {
    const Cables cables(model);
    CableTerms terms = cables.make_terms();
    cables.set_time(t, terms);
  };
  EXPECT_NO_THROW(set_time(0.49));
  EXPECT_THROW(set_time(0.5), RunError);
  try {
    set_time(0.6);
    FAIL();
  } catch (const RunError& error) {
    EXPECT_EQ(error.time(), 0.6);
    EXPECT_NE(std::string(error.what()).find("c1"), std::string::npos) << error.what();
  }
  model.cables[0].law = spring_law(10.0);
  EXPECT_NO_THROW(set_time(0.5));  // exactly 0
  EXPECT_THROW(set_time(0.6), RunError);
}

}  // namespace
}  // namespace taut::testing
