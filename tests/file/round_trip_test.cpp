// What the writer writes, the reader reads back to the same Scenario, number for number and name for name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "taut/base/text/toml_text.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/generators/generators.h"
#include "taut/model/check/check.h"
#include "taut/model/run_words.h"
#include "taut/model/shape/body_mass.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/model/shape/joint_frame.h"
#include "tests/file/model_support.h"

namespace taut {
namespace {

class RandomModel {
 public:
  explicit RandomModel(unsigned seed) : engine_(seed) {}

  Scenario make() {
    Model& model = scenario_.model;
    model.name = name();
    model.gravity = vector();
    if (chance(0.5)) model.ground = ground();
    if (chance(0.3)) model.collision = Collision{PressKind::linear, positive(), positive(), positive()};
    const int count = 3 + pick(12);
    for (int i = 0; i < count; ++i) model.nodes.push_back(node(i));
    for (int i = pick(8); i > 0; --i) add_bar();
    for (int i = pick(3); i > 0; --i) add_body();
    add_body_nodes(model);
    if (model.collision) {
      for (Bar& bar : model.bars) bar.radius = 1e-9;  // too thin to cross
    }
    for (int i = pick(12); i > 0; --i) add_cable();
    for (int i = pick(3); i > 0; --i) add_constraint();
    for (size_t i = 0; i < model.cables.size(); ++i) {
      if (chance(0.4)) model.actuators.push_back({static_cast<int>(i), signal()});
    }
    for (size_t i = 0; i < model.bars.size(); ++i)
      if (chance(0.3)) drive_bar(static_cast<int>(i));
    for (int i = pick(4); i > 0; --i) {
      Load load{pick(count), vector(), number(), 0.0};
      load.to = chance(0.5) ? load.from + positive() : std::numeric_limits<double>::infinity();
      model.loads.push_back(load);
    }
    for (int i = pick(4); i > 0; --i) add_frame();
    RunSettings& s = scenario_.simulation;
    const auto word = [&](const auto& words) { return std::string(words[pick(static_cast<int>(words.size()))]); };
    s = {word(known_formulations()),
         word(known_integrators()),
         positive(),
         std::min(1.0, positive()),
         positive(),
         positive(),
         static_cast<ConstraintMethod>(pick(3))};
    return scenario_;
  }

 private:
  int pick(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  bool chance(double p) { return std::uniform_real_distribution<>(0.0, 1.0)(engine_) < p; }
  // Anything from tiny to large, with short and long decimal forms.
  double positive() {
    if (chance(0.3)) return 1.0 + pick(9);
    return std::exp(std::uniform_real_distribution<>(-9.0, 9.0)(engine_));
  }
  double number() { return chance(0.2) ? 0.0 : chance(0.5) ? positive() : -positive(); }
  Vec3 vector() { return {number(), number(), number()}; }

  // Below everything, of every law, flat or with a height field (all but flat, because it goes on beyond the grid).
  Ground ground() {
    Ground g{-1e5, 1.0 + positive(), positive(), positive()};
    g.law = static_cast<PressKind>(pick(3));
    g.beta = positive();
    if (g.law == PressKind::hunt_crossley) g.exponent = 1.0 + positive();
    if (chance(0.5)) g.slip_speed = positive();
    if (chance(0.5)) g.viscous = positive();
    if (chance(0.5)) g.radius = positive();
    if (chance(0.3))
      g.normal = {0.1 * (pick(3) - 1), 0.1, 1.0 + positive()};
    else if (chance(0.5)) {
      g.heights = {number(), number(), 1.0 + positive(), 1.0 + positive(), 2 + pick(3), 2 + pick(3), {}};
      for (int i = g.heights.columns * g.heights.rows; i > 0; --i) g.heights.heights.push_back(1e-12 * pick(10));
    }
    return g;
  }

  // Names as people give them, and as nobody should.
  std::string name() {
    static const std::vector<std::string> words = {
        "a", "b1", "top node", "x.y", "\"quoted\"", "it's", "\\",   "line\nbreak", "\t",   "ünï", "🎪",     "-",
        "2", "#",  "=",        "a-b", "[",          "\x01", "\x7f", "\r\n",        "true", "'''", "\"\"\""};
    std::string text = words[pick(static_cast<int>(words.size()))];
    while (chance(0.3)) text += words[pick(static_cast<int>(words.size()))];
    return text;
  }

  Node node(int index) {
    Node node;
    node.name = name() + std::to_string(index);
    node.position = vector() + Vec3(0.0, 0.0, 1e3 * index);  // no two at the same place
    node.fixed = {chance(0.2), chance(0.2), chance(0.2)};
    node.mass = positive();
    node.contact = chance(0.8);
    if (chance(0.3)) node.velocity = vector();
    for (int axis = 0; axis < 3; ++axis) {
      if (node.fixed[axis]) node.velocity[axis] = 0.0;
    }
    return node;
  }

  // A default name, one that looks like a default, or another; never one that is taken.
  template <typename Members>
  std::string member_name(const std::vector<int>& path, const Members& members) {
    std::string joined;
    for (size_t i = 0; i < path.size(); ++i) joined += (i > 0 ? "-" : "") + scenario_.model.nodes[path[i]].name;
    std::string candidate = chance(0.7) ? joined : chance(0.5) ? joined + "-" + std::to_string(2 + pick(3)) : name();
    const auto taken = [&](const std::string& text) {
      return std::any_of(members.begin(), members.end(), [&](const auto& m) { return m.name == text; });
    };
    for (int i = 2; taken(candidate); ++i) candidate = joined + "-" + std::to_string(i);
    return candidate;
  }

  std::vector<int> path(int length) {
    std::vector<int> result = {pick(static_cast<int>(scenario_.model.nodes.size()))};
    while (static_cast<int>(result.size()) < length) {
      const int next = pick(static_cast<int>(scenario_.model.nodes.size()));
      if (next != result.back()) result.push_back(next);
    }
    return result;
  }

  void add_bar() {
    Model& model = scenario_.model;
    Bar bar;
    const bool copy = !model.bars.empty() && chance(0.5);  // a neighbour with the same parameters
    if (copy) bar = model.bars.back();
    const std::vector<int> ends = copy && chance(0.3) ? std::vector<int>{bar.a, bar.b} : path(2);
    bar.a = ends[0];
    bar.b = ends[1];
    bar.name = member_name(ends, model.bars);
    if (!copy) {
      bar.mass = positive();
      bar.elastic = chance(0.4);
      bar.radius = chance(0.5) ? 0.01 : positive();
      bar.com = bar.elastic || chance(0.5) ? 0.5 : std::uniform_real_distribution<>(0.0, 1.0)(engine_);
      bar.EA = bar.elastic ? positive() : 0.0;
      bar.mass_model = bar.elastic && chance(0.5) ? MassModel::lumped : MassModel::consistent;
    }
    const double length = start_length(model, bar);
    bar.rest_length = bar.elastic ? positive() : length;
    bar.inertia = bar.elastic ? 0.0 : chance(0.5) ? bar.mass * length * length / 12.0 : positive();
    bar.attached.clear();
    bar.axial_inertia = 0.0;
    if (!bar.elastic && chance(0.3)) attach(bar);
    model.bars.push_back(bar);
  }

  // Nodes that ride on the bar, with an inertia that is not small beside their distances.
  void attach(Bar& bar) {
    const Model& model = scenario_.model;
    double size = bar.rest_length;
    for (int node : path(1 + pick(3))) {
      const bool taken = std::find(bar.attached.begin(), bar.attached.end(), node) != bar.attached.end();
      if (node == bar.a || node == bar.b || taken) continue;
      bar.attached.push_back(node);
      size = std::max(size, (model.nodes[node].position - model.nodes[bar.a].position).norm());
    }
    if (bar.attached.empty()) return;
    bar.inertia = bar.mass * size * size;
    bar.axial_inertia = bar.inertia * std::uniform_real_distribution<>(0.1, 1.9)(engine_);
  }

  BodyShape shape() {
    const auto direction = [&] {
      return Vec3(
          Vec3::NullaryExpr([&](Eigen::Index) { return std::uniform_real_distribution<>(-1.0, 1.0)(engine_); }));
    };
    // Twice: of directions that are nearly parallel the first gives right angles to 1e-14 only.
    const Mat3 once = frame_of(direction(), direction()), frame = frame_of(once.row(0), once.row(1));
    const double a = positive();
    switch (pick(5)) {
      case 0:
        return {BodyShape::Kind::box, {a, positive(), positive()}, frame.row(0), frame.row(1)};
      case 1:
        return {BodyShape::Kind::cylinder, {a, positive(), 0.0}, frame.row(0)};
      case 2:
        return {BodyShape::Kind::tube, {a, 0.3 * a, positive()}, frame.row(0)};
      case 3:
        return {BodyShape::Kind::sphere, {a, 0.0, 0.0}};
      default:
        return {};
    }
  }

  void add_body() {
    Model& model = scenario_.model;
    Body body;
    body.name = name() + std::to_string(model.bodies.size());
    for (int node : path(1 + pick(6)))
      if (std::find(body.nodes.begin(), body.nodes.end(), node) == body.nodes.end()) body.nodes.push_back(node);
    body.mass = positive();
    double size = 1.0;
    for (int node : body.nodes)
      size = std::max(size, (model.nodes[node].position - model.nodes[body.nodes[0]].position).norm());
    body.centre = model.nodes[body.nodes[0]].position + Vec3(0.1, 0.2, -0.3) * size;
    // The inertia of a few points.
    for (int k = 0; k < 5; ++k) {
      const Vec3 r =
          size * Vec3::NullaryExpr([&](Eigen::Index) { return std::uniform_real_distribution<>(-1.0, 1.0)(engine_); });
      body.inertia += body.mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
    if (chance(0.5))
      body.outline = body.nodes;
    else
      body.shape = shape();
    model.bodies.push_back(body);
  }

  void add_cable() {
    Model& model = scenario_.model;
    Cable cable;
    const bool copy = !model.cables.empty() && chance(0.6);
    if (copy) cable = model.cables.back();
    if (!copy || chance(0.7)) cable.path = path(2 + pick(3));
    if (!copy && chance(0.2) && cable.path.front() != cable.path.back()) cable.path.push_back(cable.path.front());
    cable.name = member_name(cable.path, model.cables);
    if (!copy) {
      cable.law = law();
      cable.rest_length = cable.law.kind == LawKind::spring && !cable.law.by_EA && chance(0.5) ? 0.0 : positive();
      cable.mass = chance(0.5) ? 0.0 : positive();
      cable.mass_model = chance(0.5) ? MassModel::lumped : MassModel::consistent;
    }
    if (cable.path.size() == 2) {
      cable.friction = {};
    } else if (!copy && chance(0.5)) {
      cable.friction.kind = chance(0.5) ? SlidingKind::capstan : SlidingKind::coulomb;
      cable.friction.coefficient = std::uniform_real_distribution<>(0.0, 0.99)(engine_);
      if (chance(0.5)) cable.friction.slip_speed = positive();
    }
    model.cables.push_back(cable);
  }

  CableLaw law() {
    CableLaw law;
    law.kind = static_cast<LawKind>(pick(4));
    law.damping = chance(0.5) ? 0.0 : positive();
    if (law.kind == LawKind::table) {
      law.strain = {number()};
      law.force = {number()};
      for (int i = 1 + pick(4); i > 0; --i) {
        law.strain.push_back(law.strain.back() + positive());
        law.force.push_back(law.force.back() + positive());
      }
      return law;
    }
    law.by_EA = chance(0.5);
    law.stiffness = positive();
    if (law.kind == LawKind::linear) law.clip = chance(0.5);
    if (law.kind == LawKind::softplus) law.beta = positive();
    return law;
  }

  // A rigid bar begins as it is drawn, and must be able to move.
  void drive_bar(int index) {
    Model& model = scenario_.model;
    const Bar& bar = model.bars[index];
    const Axes all = {true, true, true};
    if (bar.elastic) return model.bar_drives.push_back({index, signal()});
    if (!bar.attached.empty() || (model.nodes[bar.a].fixed == all && model.nodes[bar.b].fixed == all)) return;
    Signal length;
    length.kind = SignalKind::sine;
    length.mean = bar.rest_length, length.amplitude = number(), length.period = positive(), length.ramp = positive();
    model.bar_drives.push_back({index, length});
  }

  Signal signal() {
    Signal s;
    s.kind = static_cast<SignalKind>(pick(7));
    switch (s.kind) {
      case SignalKind::constant:
        s.value = positive();
        break;
      case SignalKind::step:
        s.before = positive(), s.after = positive(), s.at = positive();
        break;
      case SignalKind::ramp:
      case SignalKind::cosine:
        s.from = positive(), s.to = number(), s.start = positive(), s.end = s.start + positive();
        break;
      case SignalKind::sine:
        s.mean = positive(), s.amplitude = s.mean / 2.0, s.period = positive(), s.phase = number();
        s.ramp = chance(0.5) ? 0.0 : positive();
        break;
      case SignalKind::table:
      case SignalKind::hermite:
        for (int i = 1 + pick(5); i > 0; --i) {
          s.times.push_back((s.times.empty() ? 0.0 : s.times.back()) + positive());
          s.values.push_back(positive());
          if (s.kind == SignalKind::hermite) s.slopes.push_back(number());
        }
        break;
    }
    return s;
  }

  void add_constraint() {
    Model& model = scenario_.model;
    Constraint constraint;
    if (chance(0.5)) constraint.name = name() + std::to_string(model.constraints.size());
    const int first = pick(static_cast<int>(model.nodes.size()));
    for (int i = 0; i < 1 + pick(3); ++i) {
      const int node = (first + i) % static_cast<int>(model.nodes.size());
      constraint.terms.emplace_back(node, positive());
      constraint.value += constraint.terms.back().second * model.nodes[node].position;
    }
    constraint.axes = {chance(0.5), chance(0.5), true};
    model.constraints.push_back(constraint);
  }

  // On nodes that span a triangle, relative to one that comes before it, to one that comes after it, or to none.
  void add_frame() {
    Model& model = scenario_.model;
    Frame frame{name() + std::to_string(model.frames.size()), {}, -1};
    const int first = pick(static_cast<int>(model.nodes.size()));
    for (int i = 0; i < 3; ++i) frame.nodes[i] = (first + i) % static_cast<int>(model.nodes.size());
    const auto at = [&](int i) { return model.nodes[frame.nodes[i]].position; };
    Pose pose;
    if (!place_frame(at(0), at(1), at(2), pose)) return;
    const int last = static_cast<int>(model.frames.size());
    if (last > 0 && chance(0.5)) frame.relative_to = pick(last);
    if (last > 0 && chance(0.3)) model.frames.front().relative_to = last;
    model.frames.push_back(std::move(frame));
  }

  std::mt19937 engine_;
  Scenario scenario_;
};

TEST(RoundTrip, RandomModels) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const Scenario scenario = RandomModel(seed).make();
    ASSERT_NO_THROW(validate(scenario.model)) << seed;
    const std::string text = to_toml(scenario);
    Scenario again;
    ASSERT_NO_THROW(again = read_scenario_text(text, "again.toml")) << seed << '\n' << text;
    ASSERT_EQ(again, scenario) << seed << '\n' << text;
    ASSERT_EQ(to_toml(again), text) << seed;
  }
}

TEST(RoundTrip, EveryGenerator) {
  for (const Generator& generator : generators()) {
    const Scenario scenario = generate(generator, {});
    EXPECT_EQ(read_scenario_text(to_toml(scenario), "again.toml"), scenario) << generator.kind;
  }
}

TEST(RoundTrip, NeighboursWithTheSameKeysShareATable) {
  const Scenario s = read_scenario_text(R"([nodes]
a = { at = [0, 0, 0], mass = 1 }
b = { at = [1, 0, 0], mass = 1 }
c = { at = [0, 1, 0], mass = 1 }
[[cables]]
paths = [["a", "b"], ["b", "c"], ["a", "b"]]
stiffness = 2
rest_length = 1
[[cables]]
nodes = ["a", "c"]
stiffness = 3
rest_length = 1
[[cables]]
nodes = ["b", "a"]
stiffness = 2
rest_length = 1
)",
                                        "m.toml");
  const std::string text = to_toml(s);
  EXPECT_NE(text.find("paths = [\n  [\"a\", \"b\"],\n  [\"b\", \"c\"],\n  [\"a\", \"b\"],\n]\nstiffness = "
                      "2.0\nrest_length = 1.0\n"),
            std::string::npos)
      << text;
  // The last one has the first ones' keys, but order comes first.
  EXPECT_EQ(read_scenario_text(text, "m.toml"), s);
  size_t tables = 0;
  for (size_t at = text.find("[[cables]]"); at != std::string::npos; at = text.find("[[cables]]", at + 1)) ++tables;
  EXPECT_EQ(tables, 3u);
  EXPECT_EQ(text.find("name = \"a-b"), std::string::npos);  // default names are not written
}

TEST(RoundTrip, Numbers) {
  EXPECT_EQ(toml_number(0.1), "0.1");
  EXPECT_EQ(toml_number(2.0), "2.0");
  EXPECT_EQ(toml_number(-0.0), "-0.0");
  EXPECT_EQ(toml_number(1e300), "1e+300");
  std::mt19937_64 engine(7);
  for (int i = 0; i < 20000; ++i) {
    double value = 0.0;
    const unsigned long long bits = engine();
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const std::string text = "[nodes]\na = { at = [" + toml_number(value) + ", 0, 0], mass = 1 }\n";
    const Scenario s = read_scenario_text(text, "m.toml");
    ASSERT_EQ(s.model.nodes[0].position.x(), value) << text;
  }
}

TEST(RoundTrip, Keys) {
  EXPECT_EQ(toml_key("a-1_B"), "a-1_B");
  EXPECT_EQ(toml_key("a.b"), "\"a.b\"");
  EXPECT_EQ(toml_key(""), "\"\"");
  EXPECT_EQ(toml_key("ä"), "\"ä\"");
  EXPECT_EQ(toml_string("a\"\\\n\x01"), "\"a\\\"\\\\\\n\\u0001\"");
}

}  // namespace
}  // namespace taut
