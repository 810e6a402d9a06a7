// Nothing allocates inside a step: every call of malloc and its kin on this thread is counted while an integrator
// advances between rows.
#include <gtest/gtest.h>

#include <cstdlib>

#include "taut/integrate/integrator.h"
#include "tests/integrate/suite.h"

namespace {

thread_local long allocations = 0;

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
// The sanitizer owns malloc; it offers a hook instead.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});
}
#else
// glibc's own entry points under the public names: operator new, Eigen and everything else come through here.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** place, std::size_t alignment, std::size_t size) {
  ++allocations;
  *place = __libc_memalign(alignment, size);
  return *place == nullptr ? 12 : 0;
}
}
#endif

namespace taut::testing {
namespace {

// The counter counts: otherwise a zero below would mean nothing.
TEST(Allocation, EveryKindIsCounted) {
  const long before = allocations;
  std::vector<double> plain(100);
  EXPECT_GT(allocations, before);
  const long then = allocations;
  AlignedDoubles aligned(100);
  EXPECT_GT(allocations, then);
  const long last = allocations;
  const Eigen::VectorXd vector = Eigen::VectorXd::Zero(100);
  EXPECT_GT(allocations, last);
  EXPECT_EQ(plain[5] + aligned[5] + vector[5], 0.0);
}

// Allocations between the end of the first segment and the end of the second, rows included.
long allocations_while_advancing(const Scenario& s, const std::string& method, double accuracy) {
  const Dynamics dynamics(s.model, s.simulation.formulation, s.simulation.constraints);
  const auto integrator = make_integrator(method, dynamics, {accuracy, accuracy});
  State state = dynamics.start();
  long rows = 0;
  Outputs outputs(s.simulation.output_step, s.simulation.duration, [&](const State&) { ++rows; });
  outputs.emit(state);
  const double warm = 0.25 * s.simulation.duration;
  integrator->restart(state);
  integrator->advance(state, warm, outputs);
  if (outputs.next() == warm) outputs.emit(state);
  const long before = allocations;
  integrator->restart(state);
  integrator->advance(state, s.simulation.duration, outputs);
  const long during = allocations - before;
  EXPECT_GT(integrator->log.counts.steps, 5);
  EXPECT_GT(rows, 5);
  EXPECT_TRUE(state.y.allFinite());
  return during;
}

// Class 1 with everything a step can meet (damping, actuators, loads, composite cables), class k, linear constraints
// and redundant bars; rows between the steps and on them.
std::vector<std::pair<std::string, Scenario>> cases() {
  std::vector<std::pair<std::string, Scenario>> list;
  Scenario prism = generated("prism", {{"damping", 2.0}});
  prism.model.nodes[3].velocity = {0.1, 0.2, 0.3};
  Signal sine;
  sine.kind = SignalKind::sine;
  sine.mean = prism.model.cables[0].rest_length;
  sine.amplitude = 0.01;
  sine.period = 0.5;
  prism.model.actuators.push_back({0, sine});
  add_load(prism.model, 4, {0.5, 0, 0.3});
  add_cable(prism.model, {0, 4, 2}, linear_law(50.0, 1.0), 1.0);
  prism.model.cables.back().friction = {SlidingKind::capstan, 0.2, 0.1};
  add_cable(prism.model, {1, 5}, spring_law(20.0), 0.5);
  list.emplace_back("prism", prism);

  Scenario pendulum = generated("double_pendulum");
  list.emplace_back("double pendulum", pendulum);

  Scenario tower = generated("class2_tower");
  for (int i = 0; i < 4; ++i) tower.model.nodes[i].velocity = {0.01 * i, 0.02, 0.0};
  list.emplace_back("class-2 tower", tower);

  Scenario square = empty_scenario();
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)})
    add_node(square.model, x, 0.1, {}, Vec3(1, 2, 3).cross(x));
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) add_bar(square.model, i, j, 1.0);
  add_node(square.model, {0.5, 0.5, 1.0}, 1.0, {}, {1, 0, 0});
  add_cable(square.model, {4, 0}, linear_law(100.0), 0.8);
  square.model.constraints.push_back({"", {{4, 1.0}, {0, -0.5}, {2, -0.5}}, {0, 0, 1}, {false, false, true}});
  list.emplace_back("square", square);
  Scenario dropped = generated("six_bar", {{"velocity_z", -1.0}, {"spin_x", 2.0}});
  dropped.model.gravity = {0, 0, -9.81};
  dropped.model.ground.emplace();
  dropped.model.ground->height = -0.6;
  dropped.model.ground->friction = 0.1;
  dropped.model.ground->slip_speed = 0.1;
  dropped.model.collision.emplace();
  for (Bar& bar : dropped.model.bars) bar.radius = 0.1;
  list.emplace_back("dropped six-bar", dropped);
  for (const char* formulation : {"nodal", "minimal", "quaternion"}) {
    Scenario driven = generated("prism");
    driven.model.nodes[3].velocity = {0.1, 0.2, 0.3};
    drive_length(driven.model, 1, sine_signal(start_length(driven.model, driven.model.bars[1]), 0.02, 0.3));
    driven.simulation.formulation = formulation;
    list.emplace_back(std::string("driven bar in ") + formulation, driven);
  }
  for (auto& [name, scenario] : list) {
    scenario.simulation.duration = 0.4;
    scenario.simulation.output_step = 0.01;
  }
  return list;
}

TEST(Allocation, NoneInsideSteps) {
  for (const auto& [name, scenario] : cases())
    for (const auto& [method, accuracy] :
         {std::pair{"euler", 1e-4}, {"rk4", 1e-3}, {"dopri5", 1e-5}, {"dopri5", 1e-10}, {"symplectic", 1e-3}})
      EXPECT_EQ(allocations_while_advancing(scenario, method, accuracy), 0)
          << name << ", " << method << " " << accuracy;
}

// Rods that stand and slide, coupled and by themselves, with and without a bounce.
TEST(Allocation, NoneInsideStepsOnHardGround) {
  for (const char* kind : {"six_bar", "class2_tower"})
    for (const char* formulation : {"nodal", "minimal"})
      for (const double restitution : {0.0, 0.5}) {
        Scenario s = generated(kind);
        if (std::string(kind) != "six_bar" && std::string(formulation) == "minimal") continue;
        s.model.gravity = {0, 0, -9.81};
        Ground& ground = s.model.ground.emplace();
        ground.law = PressKind::rigid;
        ground.friction = 0.3;
        ground.restitution = restitution;
        ground.height = 1e9;
        for (Node& node : s.model.nodes) {
          ground.height = std::min(ground.height, node.position.z() - 1e-3);
          if (node.fixed == Axes{}) node.velocity = {0.5, 0.0, -0.5};
        }
        s.simulation.formulation = formulation;
        s.simulation.duration = 0.4;
        s.simulation.output_step = 0.01;
        EXPECT_EQ(allocations_while_advancing(s, "symplectic", 1e-3), 0) << kind << " in " << formulation;
      }
}

TEST(Allocation, NoneInsideStepsForEveryConstraintMethod) {
  Scenario s = generated("double_pendulum");
  s.simulation.duration = 0.4;
  for (ConstraintMethod constraints : {ConstraintMethod::baumgarte, ConstraintMethod::none}) {
    s.simulation.constraints = constraints;
    for (const char* method : {"rk4", "dopri5"})
      EXPECT_EQ(allocations_while_advancing(s, method, method[0] == 'r' ? 1e-3 : 1e-9), 0);
  }
}

}  // namespace
}  // namespace taut::testing
