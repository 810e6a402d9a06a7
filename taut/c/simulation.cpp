// Simulations and their snapshots.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/c/handles.h"
#include "taut/dynamics/dynamics.h"
#include "taut/model/joint_spec.h"
#include "taut/model/model.h"
#include "taut/run/snapshot_bytes.h"

namespace taut::c {

namespace {

static_assert(std::atomic<bool>::is_always_lock_free);  // signal handlers may set it

// Calls of a C function, with the memory in which it sees the motion.
class Caller {
 public:
  explicit Caller(const taut_controller& controller) : given_(controller) {}

  void operator()(const Observation& now, Commands& commands) {
    const Model& model = now.dynamics->model();
    const std::size_t nodes = model.nodes.size();
    pack(now.x, nodes, nodes_);
    pack(now.v, nodes, velocities_);
    if (now.contact != nullptr) pack(now.contact, nodes, contact_);
    if (!counted_) joints_ = static_cast<int64_t>(joint_columns(model).size()), counted_ = true;
    const taut_observation seen = {now.t,
                                   static_cast<int64_t>(nodes),
                                   static_cast<int64_t>(model.cables.size()),
                                   joints_,
                                   static_cast<int64_t>(commands.inputs.size()),
                                   static_cast<int64_t>(commands.memory.size()),
                                   nodes_.data(),
                                   velocities_.data(),
                                   now.tension,
                                   now.length,
                                   now.length_rate,
                                   now.rest,
                                   now.joints,
                                   now.contact != nullptr ? contact_.data() : nullptr};
    if (const int said = given_.function(given_.user, &seen, commands.inputs.data(), commands.memory.data()))
      throw RunError(now.t, fmt::format("the control function returned {} at t = {:.9g} s", said, now.t));
  }

 private:
  static void pack(const double* stride4, std::size_t nodes, std::vector<double>& packed) {
    packed.resize(3 * nodes);
    for (std::size_t i = 0; i < nodes; ++i) std::copy_n(stride4 + 4 * i, 3, packed.data() + 3 * i);
  }

  taut_controller given_;
  std::vector<double> nodes_, velocities_, contact_;
  int64_t joints_ = 0;
  bool counted_ = false;
};

constexpr double highest_rate = 1e9;  // 1/s: instants closer than that are one in the last digits of a time

// Its numbers, wherever they are.
struct Numbers {
  const double* first;
  std::size_t count;
};

Numbers numbers_of(const Sample& s, int quantity) {
  const auto list = [](const std::vector<double>& numbers) { return Numbers{numbers.data(), numbers.size()}; };
  switch (quantity) {
    case TAUT_T:
      return {&s.t, 1};
    case TAUT_NODES:
      return list(s.nodes);
    case TAUT_VELOCITIES:
      return list(s.velocities);
    case TAUT_TENSIONS:
      return list(s.tensions);
    case TAUT_LENGTHS:
      return list(s.lengths);
    case TAUT_REST_LENGTHS:
      return list(s.rest_lengths);
    case TAUT_BAR_FORCES:
      return list(s.bar_forces);
    case TAUT_ENERGY:
      return {s.energy.data(), s.energy.size()};
    case TAUT_CONTACT_FORCES:
      return list(s.contact_forces);
    case TAUT_SUPPORT_FORCES:
      return list(s.support_forces);
    case TAUT_BAR_LENGTHS:
      return list(s.bar_lengths);
    case TAUT_BAR_REST_LENGTHS:
      return list(s.bar_rest_lengths);
    case TAUT_JOINTS:
      return list(s.joints);
    case TAUT_FRAMES:
      return list(s.frames);
    case TAUT_BODIES:
      return list(s.bodies);
    case TAUT_CONTROLS:
      return {nullptr, 0};  // of runs
    case TAUT_CONSTRAINT_ERROR:
      return {&s.constraint_error, 1};
    default:
      throw Misuse(fmt::format("{} is no taut_quantity", quantity));
  }
}

// A flag that was set before or is set meanwhile ends the work, and is used up by that.
void advance(taut_simulation& sim, double dt) {
  const auto stopped = [&] {
    sim.stop.store(false, std::memory_order_relaxed);
    const double t = sim.simulation.time();
    return StoppedAt(t, fmt::format("stopped at t = {:.9g} s", t));
  };
  const StopScope scope(&sim.stop);
  const std::atomic<bool>* const flag = stop_flag();  // of a call further up, where there is one
  if (is_set(&sim.stop) || is_set(flag)) throw stopped();
  try {
    sim.simulation.advance(dt);
  } catch (const Stopped&) {
    throw stopped();
  }
  if (is_set(&sim.stop) || is_set(flag)) throw stopped();
}

}  // namespace

ControlFunction control_function(const taut_controller& controller) {
  if (controller.function == nullptr) throw Misuse("the function of the controller is NULL");
  if (!(controller.rate > 0.0 && controller.rate <= highest_rate))
    throw InputError(
        fmt::format("control: rate {} 1/s; expected more than 0 and at most {:g}", controller.rate, highest_rate));
  return Caller(controller);
}

ControlOptions control_options(const taut_controller& controller) {
  if (controller.memory < 0 || controller.memory > TAUT_MOST_MEMORY)
    throw Misuse(fmt::format("control: {} numbers to remember; expected 0 to {}", controller.memory, TAUT_MOST_MEMORY));
  ControlOptions options;
  options.memory = static_cast<std::size_t>(controller.memory);
  if (controller.speed != 0.0) options.speed = controller.speed;
  return options;
}

}  // namespace taut::c

using namespace taut::c;

extern "C" {

int taut_simulation_new(taut_model* model, taut_simulation** sim) {
  return answer([&] {
    cleared(sim, "sim");
    const Use use(model, "model");
    *sim = new taut_simulation(model->draft.scenario());
  });
}

void taut_simulation_free(taut_simulation* sim) { release(sim); }

int64_t taut_input_count(taut_simulation* sim) {
  return value_or(int64_t{-1}, [&] {
    const Use use(sim, "sim");
    return static_cast<int64_t>(sim->simulation.inputs().size());
  });
}

const char* taut_input_name(taut_simulation* sim, int64_t index) {
  return value_or(static_cast<const char*>(nullptr), [&] {
    const Use use(sim, "sim");
    const std::vector<std::string>& names = sim->simulation.inputs();
    return names[require_index(index, names.size(), "input")].c_str();
  });
}

int64_t taut_input_index(taut_simulation* sim, const char* name) {
  return value_or(int64_t{-1}, [&] {
    const Use use(sim, "sim");
    return static_cast<int64_t>(sim->simulation.input(&require(name, "name")));
  });
}

int taut_command(taut_simulation* sim, const double* values, int64_t count, double over) {
  return answer([&] {
    const Use use(sim, "sim");
    const std::size_t given = require_count(count, values, "values"), inputs = sim->simulation.inputs().size();
    if (given != inputs) throw Misuse(fmt::format("values: {} for {} inputs", given, inputs));
    sim->simulation.command_all({values, given}, over);
  });
}

int taut_command_one(taut_simulation* sim, int64_t index, double value, double over) {
  return answer([&] {
    const Use use(sim, "sim");
    sim->simulation.command(require_index(index, sim->simulation.inputs().size(), "input"), value, over);
  });
}

int taut_control(taut_simulation* sim, const taut_controller* controller) {
  return answer([&] {
    const Use use(sim, "sim");
    const taut_controller& given = require(controller, "controller");
    sim->simulation.control(given.rate, control_function(given), control_options(given));
  });
}

int taut_advance(taut_simulation* sim, double dt) {
  return answer([&] {
    const Use use(sim, "sim");
    advance(*sim, dt);
  });
}

double taut_time(taut_simulation* sim) {
  return value_or(std::numeric_limits<double>::quiet_NaN(), [&] {
    const Use use(sim, "sim");
    return sim->simulation.time();
  });
}

const double* taut_array(taut_simulation* sim, int quantity, int64_t* count) {
  if (count != nullptr) *count = -1;
  return value_or(static_cast<const double*>(nullptr), [&] {
    static constexpr double nothing = 0.0;
    const Use use(sim, "sim");
    const Numbers numbers = numbers_of(sim->simulation.sample(), quantity);
    if (count != nullptr) *count = static_cast<int64_t>(numbers.count);
    return numbers.count > 0 ? numbers.first : &nothing;
  });
}

int taut_read(taut_simulation* sim, int quantity, double* values, int64_t size) {
  return answer([&] {
    const Use use(sim, "sim");
    const std::size_t room = require_count(size, values, "values");
    const Numbers numbers = numbers_of(sim->simulation.sample(), quantity);
    if (room != numbers.count) throw Misuse(fmt::format("values: room for {}, and there are {}", room, numbers.count));
    if (room > 0) std::memcpy(values, numbers.first, room * sizeof(double));
  });
}

int taut_snapshot_new(taut_simulation* sim, taut_snapshot** snapshot) {
  return answer([&] {
    cleared(snapshot, "snapshot");
    const Use use(sim, "sim");
    *snapshot = new taut_snapshot{sim->simulation.snapshot()};
  });
}

void taut_snapshot_free(taut_snapshot* snapshot) { delete snapshot; }

int taut_restore(taut_simulation* sim, const taut_snapshot* snapshot) {
  return answer([&] {
    const Use use(sim, "sim");
    sim->simulation.restore(require(snapshot, "snapshot").snapshot);
  });
}

int taut_reset(taut_simulation* sim) {
  return answer([&] {
    const Use use(sim, "sim");
    sim->simulation.reset();
  });
}

int taut_snapshot_to_bytes(const taut_snapshot* snapshot, void* bytes, int64_t size, int64_t* count) {
  return answer([&] {
    if (count != nullptr) *count = 0;
    const std::string all = taut::bytes_of(require(snapshot, "snapshot").snapshot);
    hand_out(all.data(), all.size(), static_cast<char*>(bytes), size, count, "bytes");
  });
}

int taut_snapshot_from_bytes(const void* bytes, int64_t size, taut_snapshot** snapshot) {
  return answer([&] {
    cleared(snapshot, "snapshot");
    const std::size_t count = require_count(size, bytes, "bytes");
    *snapshot = new taut_snapshot{taut::snapshot_of({static_cast<const char*>(bytes), count})};
  });
}

void taut_stop(taut_simulation* sim) {
  if (sim != nullptr) sim->stop.store(true, std::memory_order_relaxed);
}

}  // extern "C"
