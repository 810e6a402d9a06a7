#include "tests/batch/cuda/kernel_cases.h"

#include "taut/generators/generators.h"
#include "tests/batch/random_robots.h"

namespace taut::testing {

namespace {

constexpr double step = 1e-3;             // s
constexpr int shared_memory = 227 << 10;  // bytes, of a recent card

KernelCase made(const std::string& name, const Scenario& scenario, bool commands = false, bool single = false,
                bool tensions = false) {
  KernelCase one{name, scenario, batch::make_plan(scenario.model, commands), {}, {}};
  one.kernel = batch::choose_kernel(one.plan, single, step, tensions, shared_memory);
  one.kernel.entry = "taut_batch_" + name;
  return one;
}

KernelCase drawn(const std::string& name, unsigned seed, const RobotTraits& traits, bool commands = false) {
  return made(name, random_robot(seed, traits), commands);
}

}  // namespace

std::vector<KernelCase> kernel_cases() {
  Scenario six_bar = generate(*find_generator("six_bar"), {{"damping", 2.0}});
  const RobotTraits everything{
      .coupled = true, .laws = true, .signals = true, .drag = true, .ground = true, .slope = true};
  std::vector<KernelCase> cases = {
      made("six_bar", six_bar),
      made("six_bar_single", six_bar, false, true),
      made("six_bar_commands", six_bar, true),
      drawn("laws", 1, {.laws = true, .drag = true, .guided = true}),
      drawn("coupled", 2, {.coupled = true, .laws = true}),
      drawn("signals", 3, {.laws = true, .signals = true}, true),
      drawn("heights", 4, {.ground = true, .heights = true}),
      drawn("everything", 5, everything),
      drawn("large", 5, everything),
      made("tensions", random_robot(5, everything), true, false, true),
      drawn("bounce", 6, {.ground = true, .slope = true, .press = PressKind::rigid, .restitution = 0.6}),
      drawn("bounce_coupled", 7,
            {.coupled = true, .laws = true, .ground = true, .press = PressKind::rigid, .restitution = 0.4}),
  };
  // As models are compiled that are too large for registers.
  cases[8].kernel.unrolled = cases[8].kernel.shares_past = false;
  // Robots with stiffnesses and masses of their own.
  for (const std::size_t which : {1, 2, 7, 9})
    for (const int place : {cases[which].plan.sizes.at_stiffness + 1, cases[which].plan.sizes.at_rest + 2,
                            cases[which].plan.sizes.at_weight + 2})
      cases[which].varied.push_back(place);
  return cases;
}

}  // namespace taut::testing
