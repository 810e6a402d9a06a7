#include "bench/peers/cases.h"

#include <Eigen/Geometry>
#include <cstdint>

#include "taut/generators/generators.h"

namespace taut::bench {
namespace {

// Numbers in [-1, 1), the same on every machine (the standard library's distributions are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1.0;
  }
  Vec3 vector() {
    const double x = next(), y = next(), z = next();
    return {x, y, z};
  }

 private:
  std::uint64_t state_;
};

// Each bar moves as a rigid body: speed (m/s) and turn (rad/s) bound its own random velocity, spin (rad/s) is common.
Model stirred(Model model, double speed, double turn, const Vec3& spin) {
  Random random(1);
  for (const Bar& bar : model.bars) {
    Node &a = model.nodes[bar.a], &b = model.nodes[bar.b];
    const Vec3 centre = 0.5 * (a.position + b.position);
    const Vec3 velocity = speed * random.vector(), omega = turn * random.vector();
    for (Node* node : {&a, &b}) {
      node->velocity = velocity + omega.cross(node->position - centre) + spin.cross(node->position);
    }
  }
  return model;
}

Model made(const char* kind, const Parameters& parameters) { return generate(*find_generator(kind), parameters).model; }

}  // namespace

std::vector<Case> cases() {
  // The standard six-bar: rods of 1 kg and 1 m. The prisms share its rods' mass, stiffness and pretension; they are
  // 1 m high with rings of 0.5 m radius.
  const double stiffness = 500.0, pretension = 20.0, damping = 10.0;  // N/m, N, N s/m
  const Parameters stiff = {{"stiffness", stiffness}, {"pretension", pretension}, {"mass", 1.0}};
  const auto with = [&](Parameters more) {
    more.insert(stiff.begin(), stiff.end());
    return more;
  };
  const double speed = 0.1, turn = 0.2;  // m/s, rad/s
  const Vec3 no_spin = Vec3::Zero();
  const Vec3 spin = 3.0 * Vec3(1.0, 1.2, 1.4).normalized();  // rad/s, about a generic axis
  const Parameters tower = {{"height", 1.0}, {"damping", damping}};
  const auto stages = [&](double count) {
    Parameters p = with(tower);
    p["stages"] = count;
    return p;
  };
  return {
      {"prism", "3-prism, undamped", stirred(made("prism", with({{"damping", 0.0}})), speed, turn, no_spin)},
      {"six-bar", "six-bar, spinning, undamped", stirred(made("six_bar", with({{"damping", 0.0}})), speed, turn, spin)},
      {"six-bar-damped", "six-bar, damped 10 N s/m",
       stirred(made("six_bar", with({{"damping", damping}})), speed, turn, spin)},
      {"tower-10", "tower, 10 prisms, damped", stirred(made("tower", stages(10)), speed, turn, no_spin)},
      {"tower-100", "tower, 100 prisms, damped", stirred(made("tower", stages(100)), speed, turn, no_spin)},
  };
}

}  // namespace taut::bench
