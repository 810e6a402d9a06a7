#include "taut/batch/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "taut/base/error.h"
#include "taut/batch/backend.h"
#include "taut/batch/plan/robot_numbers.h"
#include "taut/batch/plan/signal_rows.h"
#include "taut/control/cable_command.h"
#include "taut/integrate/choose.h"

namespace taut {

using batch::Backend;
using batch::DeviceArray;
using batch::Plan;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<Backend> make_backend(const BatchOptions& options) {
  if (!(options.step > 0.0) || !std::isfinite(options.step))
    throw InputError(fmt::format("batch: a step of {} s; expected more than 0", options.step));
  if (!(options.speed >= 0.0))
    throw InputError(fmt::format("batch: a speed of {} m/s; expected 0 or more", options.speed));
  if (options.threads < 0) throw InputError(fmt::format("batch: {} threads; expected 1 or more", options.threads));
  return options.device == BatchDevice::cuda ? batch::make_cuda_backend(options) : batch::make_lanes_backend(options);
}

std::string unstable(const Scenario& scenario, double step) {
  const Dynamics dynamics(scenario.model, "nodal", ConstraintMethod::projection);
  const double longest = stable_step(estimate_stiffness(dynamics), "symplectic");
  if (step <= longest) return "";
  return fmt::format(
      "a step of {:g} s is above the limit of stability at the start, about {:.2g} s: motions may diverge", step,
      longest);
}

}  // namespace

const char* name(Done done) {
  switch (done) {
    case Done::diverged:
      return "diverged";
    case Done::fallen:
      return "fallen";
    case Done::outside:
      return "outside";
    default:
      return "no";
  }
}

struct Batch::Parts {
  Draft draft;
  BatchOptions options;
  long robots, stride = 0;
  std::unique_ptr<Backend> backend;
  std::string device;
  std::vector<std::string> warnings, names;
  std::vector<int> input_drive;  // per input: its drive in the plan with commands

  Plan plan;  // the one in use
  std::vector<batch::RobotKey> keys;
  batch::RobotNumbers differ;
  std::vector<int> varied;  // places in Plan::numbers, and their rows

  DeviceArray x, v, rest, target, varied_values, time_array, done_array;
  mutable DeviceArray slot_tension, cable_tension;
  mutable bool tension_known = false;
  std::vector<int> time;
  std::vector<unsigned char> done;

  batch::SignalRows rows;
  long rows_last = -1;
  DeviceArray row_before, row_after, row_jumps;

  Parts(Draft model, long count, const BatchOptions& asked)
      : draft(std::move(model)), options(asked), robots(count), backend(make_backend(asked)) {
    if (robots < 1 || robots > most_robots)
      throw InputError(fmt::format("batch: {} robots; expected a number from 1 to {}", robots, most_robots));
    if (draft.scenario().simulation.settle)
      throw InputError(
          "simulation.settle: robots of a batch start where the model stands: leave settle out, or take the "
          "settled model");
    const Model& m = draft.scenario().model;
    plan = batch::make_plan(m, false);
    const long pack = backend->pack();
    // A stride that is a power of two would put all numbers of a robot into the same lines of the cache.
    stride = (robots + pack - 1) / pack * pack;
    if (stride > 256) stride += pack;
    require_memory();
    for (const int cable : batch::commandable_cables(m))
      names.push_back(m.cables[static_cast<std::size_t>(cable)].name);
    device = fmt::format("{}", backend->name());
    for (std::string warning : {unstable(draft.scenario(), options.step), batch::moved_jumps(m, options.step)})
      if (!warning.empty()) warnings.push_back(std::move(warning));
    x = array(3 * plan.sizes.nodes, number_size());
    v = array(3 * plan.sizes.nodes, number_size());
    time_array = array(1, sizeof(int));
    done_array = array(1, 1);
    time.assign(static_cast<std::size_t>(stride), 0);
    done.assign(static_cast<std::size_t>(stride), 1);  // what fills up the last pack never moves
    make_room_for_drives();
    reset({});
  }

  std::size_t number_size() const { return options.precision == Precision::single_precision ? 4 : 8; }
  DeviceArray array(long rows_wanted, std::size_t size) const {
    return {*backend, static_cast<std::size_t>(std::max(rows_wanted, 1L) * stride) * size};
  }

  // Said before anything is allocated.
  void require_memory() const {
    const double each = 6.0 * plan.sizes.nodes * static_cast<double>(number_size()) +
                        16.0 * static_cast<double>(plan.slot_of_cable.size()) + 6.0;
    const double free = 0.9 * static_cast<double>(backend->free_memory());
    if (each * static_cast<double>(stride) > free)
      throw InputError(
          fmt::format("batch: {} robots of this model need {:.3g} GB; {:.0f} fit into the {:.3g} GB that are free",
                      robots, each * static_cast<double>(stride) * 1e-9, std::floor(free / each), free * 1e-9));
  }

  // Calls f on the memory of an array, on the processor; changes go back.
  template <class T, class F>
  void with(DeviceArray& of, const F& f) const {
    if (!backend->on_card()) {
      f(of.as<T>());
      return;
    }
    std::vector<T> here(of.bytes() / sizeof(T));
    of.download(here.data());
    f(here.data());
    of.upload(here.data());
  }
  template <class T, class F>
  void look(const DeviceArray& of, const F& f) const {
    if (!backend->on_card()) {
      f(static_cast<const T*>(of.as<T>()));
      return;
    }
    std::vector<T> here(of.bytes() / sizeof(T));
    of.download(here.data());
    f(static_cast<const T*>(here.data()));
  }
  template <class F>
  void look_at_numbers(const DeviceArray& of, const F& f) const {
    if (options.precision == Precision::single_precision)
      look<float>(of, f);
    else
      look<double>(of, f);
  }

  void make_room_for_drives() {
    const int drives = plan.sizes.drives;
    rest = array(drives, sizeof(double));
    target = array(drives, sizeof(double));
    rows_last = -1;
    if (drives == 0) return;
    const auto fill = [&](double* to, bool targets) {
      for (int d = 0; d < drives; ++d)
        for (long i = 0; i < stride; ++i)
          to[d * stride + i] = targets && plan.drive_signal[static_cast<std::size_t>(d)] >= 0 ? none : start_rest(d, i);
    };
    with<double>(rest, [&](double* to) { fill(to, false); });
    with<double>(target, [&](double* to) { fill(to, true); });
  }

  double number(int place, long robot) const {
    const auto row = differ.numbers.find(place);
    if (row != differ.numbers.end() && robot < robots) return row->second[static_cast<std::size_t>(robot)];
    return plan.numbers[static_cast<std::size_t>(place)];
  }
  double start_rest(int drive, long robot) const {
    const int signal = plan.drive_signal[static_cast<std::size_t>(drive)];
    const auto cable = static_cast<std::size_t>(plan.drive_cable[static_cast<std::size_t>(drive)]);
    if (signal >= 0) return value(draft.scenario().model.actuators[static_cast<std::size_t>(signal)].rest_length, 0.0);
    return number(plan.sizes.at_rest + plan.slot_of_cable[cable], robot);
  }

  // From now on commands drive; robots that have none yet are driven as before.
  void take_commands() {
    if (plan.commands) return;
    plan = batch::make_plan(draft.scenario().model, true);
    const std::vector<int> cables = batch::commandable_cables(draft.scenario().model);
    for (const int cable : cables)
      input_drive.push_back(
          plan.tables.driven[static_cast<std::size_t>(plan.slot_of_cable[static_cast<std::size_t>(cable)])]);
    make_room_for_drives();
    with<double>(rest, [&](double* to) {
      for (int d = 0; d < plan.sizes.drives; ++d) {
        const int signal = plan.drive_signal[static_cast<std::size_t>(d)];
        for (long i = 0; i < robots && signal >= 0; ++i)
          to[d * stride + i] = value(draft.scenario().model.actuators[static_cast<std::size_t>(signal)].rest_length,
                                     time[static_cast<std::size_t>(i)] * options.step);
      }
    });
  }

  // Judged alone: how many numbers there are for each robot.
  batch::RobotKey key_of(const BatchValues& given) const {
    const auto& [key, values] = given;
    draft.get(key);  // throws where there is no such key
    if (key.starts_with("simulation."))
      throw InputError(fmt::format(
          "batch: {} cannot differ from robot to robot: they share steps; expected a number of the model", key));
    if (values.empty())
      throw InputError(fmt::format("batch: {} has no values; expected one, or one for each robot", key));
    for (const double value : values)
      if (!std::isfinite(value)) throw InputError(fmt::format("batch: {} is {}; expected a number", key, value));
    const auto n = static_cast<std::size_t>(robots);
    int parts = 0;
    for (const int count : {1, 3})
      if (parts == 0 &&
          (values.size() == static_cast<std::size_t>(count) * n || values.size() == static_cast<std::size_t>(count)))
        parts = count;
    if (parts == 0)
      throw InputError(
          fmt::format("batch: {} has {} values for {} robots; expected 1 or {}, or three times as many for a vector",
                      key, values.size(), robots, robots));
    // Three robots and three numbers may be one vector for all.
    if (robots == 3 && values.size() == 3 && is_vector(key)) parts = 3;
    return {key, parts, {values.begin(), values.end()}};
  }

  void set(std::span<const BatchValues> given) {
    std::vector<batch::RobotKey> next = keys;
    for (const BatchValues& values : given) {
      std::erase_if(next, [&](const batch::RobotKey& k) { return k.key == values.key; });
      next.push_back(key_of(values));
    }
    use(batch::numbers_of_robots(draft, next, robots, plan, threads()));
    keys = std::move(next);
  }
  std::vector<std::string> take(std::span<const Model* const> models) {
    if (models.size() != static_cast<std::size_t>(robots))
      throw InputError(fmt::format("batch: {} models for {} robots", models.size(), robots));
    batch::RobotNumbers next;
    std::vector<std::string> reasons = batch::numbers_of_models(models, plan, draft.scenario().model, next);
    use(std::move(next));
    keys.clear();
    return reasons;
  }
  void use(batch::RobotNumbers next) {
    differ = std::move(next);
    varied.clear();
    for (const auto& [place, row] : differ.numbers) varied.push_back(place);
    varied_values = array(static_cast<long>(varied.size()), sizeof(double));
    with<double>(varied_values, [&](double* to) {
      for (const auto& [place, row] : differ.numbers) {
        std::fill_n(std::copy(row.begin(), row.end(), to), stride - robots, row.back());
        to += stride;
      }
    });
    make_room_for_drives();
    reset({});
  }
  bool is_vector(const std::string& key) const {
    const std::optional<Value> value = draft.get(key);
    return value && value->list() != nullptr;
  }
  int threads() const { return std::max(1, backend->threads()); }

  // All robots where the mask is empty.
  void reset(std::span<const unsigned char> mask) {
    if (!mask.empty() && mask.size() != static_cast<std::size_t>(robots))
      throw InputError(fmt::format("batch: a mask of {} for {} robots", mask.size(), robots));
    const auto wanted = [&](long i) { return mask.empty() || mask[static_cast<std::size_t>(i)] != 0; };
    const auto put = [&](auto* to, const std::vector<double>& start, const std::map<int, std::vector<double>>& own) {
      using T = std::remove_pointer_t<decltype(to)>;
      for (std::size_t k = 0; k < start.size(); ++k) {
        const auto row = own.find(static_cast<int>(k));
        T* const line = to + static_cast<long>(k) * stride;
        for (long i = 0; i < robots; ++i)
          if (wanted(i))
            line[i] = static_cast<T>(row == own.end() ? start[k] : row->second[static_cast<std::size_t>(i)]);
        if (mask.empty()) std::fill(line + robots, line + stride, static_cast<T>(start[k]));
      }
    };
    const auto put_all = [&](DeviceArray& to, const std::vector<double>& start,
                             const std::map<int, std::vector<double>>& own) {
      if (options.precision == Precision::single_precision)
        with<float>(to, [&](float* line) { put(line, start, own); });
      else
        with<double>(to, [&](double* line) { put(line, start, own); });
    };
    put_all(x, plan.start_x, differ.start_x);
    put_all(v, plan.start_v, differ.start_v);
    for (long i = 0; i < robots; ++i)
      if (wanted(i)) time[static_cast<std::size_t>(i)] = 0, done[static_cast<std::size_t>(i)] = 0;
    upload_times();
    done_array.upload(done.data());
    if (plan.sizes.drives > 0) {
      const auto put_drives = [&](double* to, bool targets) {
        for (int d = 0; d < plan.sizes.drives; ++d)
          for (long i = 0; i < robots; ++i)
            if (wanted(i))
              to[d * stride + i] =
                  targets && plan.drive_signal[static_cast<std::size_t>(d)] >= 0 ? none : start_rest(d, i);
      };
      with<double>(rest, [&](double* to) { put_drives(to, false); });
      with<double>(target, [&](double* to) { put_drives(to, true); });
    }
    tension_known = false;
  }

  void command(std::span<const double> values) {
    const std::size_t inputs = names.size();
    if (values.size() != inputs * static_cast<std::size_t>(robots))
      throw InputError(fmt::format("batch: {} commands for {} robots with {} inputs each; expected {}", values.size(),
                                   robots, inputs, inputs * static_cast<std::size_t>(robots)));
    const Model& m = draft.scenario().model;
    const std::vector<int> cables = batch::commandable_cables(m);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (done[k / inputs] == 0 &&
          (!std::isfinite(values[k]) ||
           !can_be_rest_length(m.cables[static_cast<std::size_t>(cables[k % inputs])].law, values[k])))
        throw InputError(fmt::format("batch: the rest length of \"{}\" is {:g} m for robot {}; expected more than 0",
                                     names[k % inputs], values[k], k / inputs));
    take_commands();
    with<double>(target, [&](double* to) {
      for (std::size_t input = 0; input < inputs; ++input) {
        double* const line = to + input_drive[input] * stride;
        for (long i = 0; i < robots; ++i) line[i] = values[static_cast<std::size_t>(i) * inputs + input];
      }
    });
  }

  // Lanes that do not move read signals too, of the first time that there is.
  void upload_times() {
    std::vector<int> within = time;
    for (long i = 0; i < stride && rows_last >= 0; ++i)
      if (i >= robots || done[static_cast<std::size_t>(i)] != 0)
        within[static_cast<std::size_t>(i)] = std::max(within[static_cast<std::size_t>(i)], rows.first);
    time_array.upload(within.data());
  }

  void need_rows(int steps) {
    const bool signals = plan.sizes.loads > 0 || std::any_of(plan.drive_signal.begin(), plan.drive_signal.end(),
                                                             [](int signal) { return signal >= 0; });
    if (!signals && (plan.commands || plan.sizes.drives == 0)) return;
    const auto [low, high] = std::minmax_element(time.begin(), time.begin() + robots);
    const long last = static_cast<long>(*high) + steps;
    // Those that are done stay within reach for a while.
    constexpr long most_behind = 100'000;
    long going = last;
    for (long i = 0; i < robots; ++i)
      if (done[static_cast<std::size_t>(i)] == 0) going = std::min<long>(going, time[static_cast<std::size_t>(i)]);
    const long first = std::max<long>(*low, std::min(going, last - most_behind));
    if (rows_last >= last && rows.first <= first) return;
    const long ahead = std::min(last + std::max(1000L, 4L * steps), last + 100'000L);
    rows = batch::signal_rows(draft.scenario().model, plan, options.step, first, ahead);
    rows_last = ahead;
    upload_times();
    const auto copy = [&](const auto& from) {
      DeviceArray to(*backend, std::max<std::size_t>(1, from.size() * sizeof(from[0])));
      if (!from.empty()) to.upload(from.data());
      return to;
    };
    row_before = copy(rows.before);
    row_after = copy(rows.after);
    row_jumps = copy(rows.jumps);
  }

  batch::LanesJob job(const batch::Shape& shape, int steps) const {
    batch::LanesJob job;
    job.shape = &shape;
    job.numbers = plan.numbers.data();
    job.number_count = static_cast<int>(plan.numbers.size());
    job.varied = varied.data();
    job.varied_count = static_cast<int>(varied.size());
    job.varied_values = varied_values.as<double>();
    job.x = x.data(), job.v = v.data();
    job.rest = rest.as<double>(), job.target = target.as<double>();
    job.winding.speed = options.speed;
    job.time = time_array.as<int>();
    job.done = done_array.as<unsigned char>();
    job.steps.h = options.step;
    job.steps.count = steps;
    job.steps.commands = plan.commands;
    job.steps.before = row_before.as<double>();
    job.steps.after = row_after.as<double>();
    job.steps.jumps = row_jumps.as<unsigned char>();
    job.steps.first = rows.first;
    job.steps.row = rows.row;
    job.stride = stride;
    return job;
  }

  void step(int steps, bool evenly) {
    if (steps < 1) throw InputError(fmt::format("batch: {} steps; expected 1 or more", steps));
    if (steps > std::numeric_limits<int>::max() - 1 - *std::max_element(time.begin(), time.begin() + robots))
      throw InputError("batch: more steps than can be counted; reset the robots");
    need_rows(steps);
    const batch::Shape shape = plan.shape();
    batch::LanesJob asked = job(shape, steps);
    asked.winding.evenly = evenly;
    const std::vector<unsigned char> before(done.begin(), done.end());
    backend->run(plan, asked, robots);
    done_array.download(done.data());
    for (long i = 0; i < robots; ++i)
      if (before[static_cast<std::size_t>(i)] == 0 && done[static_cast<std::size_t>(i)] == 0)
        time[static_cast<std::size_t>(i)] += steps;  // as the kernel does with time_array
    tension_known = false;
    if (options.fallen > -1e299 || options.bounds < 1e299) judge();
  }

  // Robots that have fallen or left are done.
  void judge() {
    const int nodes = plan.sizes.nodes;
    look_at_numbers(x, [&](const auto* at) {
      for (long i = 0; i < robots; ++i) {
        if (done[static_cast<std::size_t>(i)] != 0) continue;
        double height = 0.0, farthest = 0.0;
        for (int k = 0; k < nodes; ++k) {
          height += static_cast<double>(at[(3L * k + 2) * stride + i]) / nodes;
          for (int axis = 0; axis < 2; ++axis)
            farthest = std::max(farthest, std::abs(static_cast<double>(at[(3L * k + axis) * stride + i])));
        }
        if (height < options.fallen)
          done[static_cast<std::size_t>(i)] = static_cast<unsigned char>(Done::fallen);
        else if (farthest > options.bounds)
          done[static_cast<std::size_t>(i)] = static_cast<unsigned char>(Done::outside);
      }
    });
    done_array.upload(done.data());
  }

  // Those of the model's cables, from the slots of the kernel.
  void find_tensions() const {
    if (tension_known) return;
    const auto cables = static_cast<long>(plan.slot_of_cable.size());
    if (slot_tension.data() == nullptr) {
      slot_tension = array(plan.sizes.slots, number_size());
      cable_tension = array(cables, number_size());
    }
    const_cast<Parts*>(this)->need_rows(0);
    const batch::Shape shape = plan.shape();
    batch::LanesJob asked = job(shape, 0);
    asked.tension = slot_tension.data();
    backend->run(plan, asked, robots);
    const std::size_t line = static_cast<std::size_t>(stride) * number_size();
    std::vector<char> here(line);
    for (long c = 0; c < cables; ++c) {
      const auto slot = static_cast<std::size_t>(plan.slot_of_cable[static_cast<std::size_t>(c)]);
      backend->download(here.data(), slot_tension.as<char>() + slot * line, line);
      backend->upload(cable_tension.as<char>() + static_cast<std::size_t>(c) * line, here.data(), line);
    }
    tension_known = true;
  }

  BatchArray view(const DeviceArray& of, int numbers) const {
    return {of.data(), options.precision, backend->on_card(), numbers, robots, stride, options.card};
  }

  std::vector<double> of_robot(const DeviceArray& of, int numbers, long robot) const {
    if (robot < 0 || robot >= robots) throw InputError(fmt::format("batch: robot {} of {}", robot, robots));
    std::vector<double> out;
    const std::size_t size = number_size();
    for (int k = 0; k < numbers; ++k) {
      double number = 0.0;
      float single = 0.0F;
      void* const to = size == 4 ? static_cast<void*>(&single) : &number;
      backend->download(to, of.as<char>() + static_cast<std::size_t>(k * stride + robot) * size, size);
      out.push_back(size == 4 ? static_cast<double>(single) : number);
    }
    return out;
  }

  std::vector<double> copy(const BatchArray& of) const {
    std::vector<double> out(static_cast<std::size_t>(of.robots) * static_cast<std::size_t>(of.numbers));
    const auto take = [&](const auto* from) {
      for (long k = 0; k < of.numbers; ++k)
        for (long i = 0; i < of.robots; ++i)
          out[static_cast<std::size_t>(i * of.numbers + k)] = static_cast<double>(from[k * of.stride + i]);
    };
    const bool single = of.precision == Precision::single_precision;
    const std::size_t bytes = static_cast<std::size_t>(of.numbers * of.stride) * (single ? 4 : 8);
    std::vector<char> here;
    if (of.on_card) {
      here.resize(bytes);
      backend->download(here.data(), of.data, bytes);
    }
    const void* const from = of.on_card ? here.data() : of.data;
    if (single)
      take(static_cast<const float*>(from));
    else
      take(static_cast<const double*>(from));
    return out;
  }

  double bar_error() const {
    double worst = 0.0;
    const Plan::Tables& t = plan.tables;
    look_at_numbers(x, [&](const auto* at) {
      const auto look_at = [&](int a, int b, int place, bool squared) {
        for (long i = 0; i < robots; ++i) {
          if (done[static_cast<std::size_t>(i)] != 0) continue;
          double square = 0.0;
          for (int k = 0; k < 3; ++k) {
            const double d =
                static_cast<double>(at[(3L * b + k) * stride + i]) - static_cast<double>(at[(3L * a + k) * stride + i]);
            square += d * d;
          }
          const double length = squared ? std::sqrt(number(place, i)) : number(place, i);
          worst = std::max(worst, std::abs(std::sqrt(square) / length - 1.0));
        }
      };
      for (int i = 0; i < plan.sizes.bars; ++i)
        look_at(t.bar_a[static_cast<std::size_t>(i)], t.bar_b[static_cast<std::size_t>(i)],
                plan.sizes.at_bar + 10 * i + 9, false);
      for (int i = 0; i < plan.sizes.rows; ++i)
        if (t.row_a[static_cast<std::size_t>(i)] >= 0)
          look_at(t.row_a[static_cast<std::size_t>(i)], t.row_b[static_cast<std::size_t>(i)], plan.sizes.at_target + i,
                  true);
    });
    return worst;
  }

  // What a snapshot begins with: only one of the same kind of batch fits.
  struct Header {
    long robots = 0;
    int nodes = 0, drives = 0, numbers = 0;
    bool commands = false, single = false;
    bool operator==(const Header&) const = default;
  };
  Header header() const {
    return {robots,
            plan.sizes.nodes,
            plan.sizes.drives,
            static_cast<int>(plan.numbers.size()),
            plan.commands,
            options.precision == Precision::single_precision};
  }
  std::vector<std::pair<void*, std::size_t>> here() {
    return {{time.data(), time.size() * sizeof(int)}, {done.data(), done.size()}};
  }
  std::vector<DeviceArray*> there() { return {&x, &v, &rest, &target}; }

  BatchSnapshot snapshot() {
    BatchSnapshot out;
    const auto room = [&](std::size_t bytes) {
      out.bytes.resize(out.bytes.size() + bytes);
      return out.bytes.data() + out.bytes.size() - bytes;
    };
    const Header first = header();
    std::memset(room(sizeof(Header)), 0, sizeof(Header));
    std::memcpy(out.bytes.data(), &first, sizeof(Header));
    for (const auto& [data, bytes] : here()) std::memcpy(room(bytes), data, bytes);
    for (const DeviceArray* array : there()) array->download(room(array->bytes()));
    return out;
  }

  void drive_by(bool commands) {
    if (commands) {
      take_commands();
    } else if (plan.commands) {
      plan = batch::make_plan(draft.scenario().model, false);
      input_drive.clear();
      make_room_for_drives();
    }
  }

  void restore(const BatchSnapshot& from) {
    const bool before = plan.commands;
    Header first;
    if (from.bytes.size() >= sizeof(Header)) {
      std::memcpy(&first, from.bytes.data(), sizeof(Header));
      if (first.robots == robots && first.commands != before) {
        const BatchSnapshot now = snapshot();
        drive_by(first.commands);
        if (!fits(from, first)) {
          drive_by(before);
          restore(now);
        }
      }
    }
    if (!fits(from, first)) throw InputError("batch: the snapshot is of another batch");
    const unsigned char* at = from.bytes.data() + sizeof(Header);
    for (const auto& [data, bytes] : here()) {
      std::memcpy(data, at, bytes);
      at += bytes;
    }
    for (DeviceArray* array : there()) {
      array->upload(at);
      at += array->bytes();
    }
    rows_last = -1;
    upload_times();
    done_array.upload(done.data());
    tension_known = false;
  }

  bool fits(const BatchSnapshot& from, const Header& first) {
    std::size_t size = sizeof(Header);
    for (const auto& [data, bytes] : here()) size += bytes;
    for (const DeviceArray* array : there()) size += array->bytes();
    return first == header() && from.bytes.size() == size;
  }

  void place(std::span<const double> nodes, std::span<const double> velocities) {
    const long n3 = 3L * plan.sizes.nodes;
    const auto wanted = static_cast<std::size_t>(n3 * robots);
    if (nodes.size() != wanted || velocities.size() != wanted)
      throw InputError(
          fmt::format("batch: {} positions and {} velocities; expected {} of each: 3 per node, robot after robot",
                      nodes.size(), velocities.size(), wanted));
    for (const std::span<const double> list : {nodes, velocities})
      for (const double value : list)
        if (!std::isfinite(value)) throw InputError(fmt::format("batch: a position or velocity is {}", value));
    batch::RobotNumbers other = differ;
    other.start_x.clear(), other.start_v.clear();
    for (long k = 0; k < n3; ++k) {
      std::vector<double>&px = other.start_x[static_cast<int>(k)], &pv = other.start_v[static_cast<int>(k)];
      for (long i = 0; i < robots; ++i) {
        px.push_back(nodes[static_cast<std::size_t>(i * n3 + k)]);
        pv.push_back(velocities[static_cast<std::size_t>(i * n3 + k)]);
      }
    }
    std::swap(differ, other);
    reset({});
    if (const double error = bar_error(); error > 1e-6) {
      std::swap(differ, other);
      reset({});
      throw InputError(
          fmt::format("batch: at these positions a bar is {:.2g} times its length too long or too short", error));
    }
  }
};

Batch::Batch(Draft model, long robots, const BatchOptions& options)
    : parts_(std::make_unique<Parts>(std::move(model), robots, options)) {}
Batch::Batch(const Scenario& scenario, long robots, const BatchOptions& options)
    : Batch(Draft::from_scenario(scenario), robots, options) {}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

long Batch::robots() const { return parts_->robots; }
int Batch::node_count() const { return parts_->plan.sizes.nodes; }
const Draft& Batch::draft() const { return parts_->draft; }
const BatchOptions& Batch::options() const { return parts_->options; }
const std::string& Batch::device() const { return parts_->device; }
int Batch::threads() const { return parts_->backend->threads(); }
const std::vector<std::string>& Batch::warnings() const { return parts_->warnings; }
void Batch::set(std::span<const BatchValues> values) { parts_->set(values); }
void Batch::set(const std::string& key, std::span<const double> values) {
  const BatchValues one{key, values};
  parts_->set({&one, 1});
}
std::vector<std::string> Batch::take(std::span<const Model* const> models) { return parts_->take(models); }
Scenario Batch::scenario(long robot) const {
  if (robot < 0 || robot >= robots()) throw InputError(fmt::format("batch: robot {} of {}", robot, robots()));
  return batch::scenario_of(parts_->draft, parts_->keys, robot);
}
const std::vector<std::string>& Batch::inputs() const { return parts_->names; }
void Batch::reset() { parts_->reset({}); }
void Batch::reset(std::span<const unsigned char> mask) {
  if (mask.empty()) throw InputError("batch: a mask of 0; expected one number for each robot");
  const std::vector<unsigned char> own(mask.begin(), mask.end());  // it may be done()
  parts_->reset(own);
}
void Batch::place(std::span<const double> nodes, std::span<const double> velocities) {
  parts_->place(nodes, velocities);
}
void Batch::step(int steps) { parts_->step(steps, false); }
void Batch::step(std::span<const double> commands, int steps, bool evenly) {
  if (steps < 1) throw InputError(fmt::format("batch: {} steps; expected 1 or more", steps));
  parts_->command(commands);
  parts_->step(steps, evenly);
}
BatchArray Batch::nodes() const { return parts_->view(parts_->x, 3 * node_count()); }
BatchArray Batch::velocities() const { return parts_->view(parts_->v, 3 * node_count()); }
BatchArray Batch::tensions() const {
  parts_->find_tensions();
  return parts_->view(parts_->cable_tension, static_cast<int>(parts_->plan.slot_of_cable.size()));
}
std::span<const unsigned char> Batch::done() const {
  return {parts_->done.data(), static_cast<std::size_t>(parts_->robots)};
}
double Batch::time(long robot) const {
  if (robot < 0 || robot >= robots()) throw InputError(fmt::format("batch: robot {} of {}", robot, robots()));
  return parts_->time[static_cast<std::size_t>(robot)] * parts_->options.step;
}
std::vector<double> Batch::nodes_of(long robot) const { return parts_->of_robot(parts_->x, 3 * node_count(), robot); }
std::vector<double> Batch::velocities_of(long robot) const {
  return parts_->of_robot(parts_->v, 3 * node_count(), robot);
}
std::vector<double> Batch::copy(const BatchArray& of) const { return parts_->copy(of); }
BatchSnapshot Batch::snapshot() const { return parts_->snapshot(); }
void Batch::restore(const BatchSnapshot& snapshot) { parts_->restore(snapshot); }
double Batch::largest_bar_length_error() const { return parts_->bar_error(); }

}  // namespace taut
