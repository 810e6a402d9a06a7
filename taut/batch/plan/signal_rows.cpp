#include "taut/batch/plan/signal_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "taut/base/error.h"
#include "taut/control/cable_command.h"

namespace taut::batch {

namespace {

constexpr long most_rows = 4'000'000;

std::vector<double> jump_times(const Model& model) {
  std::vector<double> times;
  for (const Actuator& actuator : model.actuators)
    for (const double t : breakpoints(actuator.rest_length)) times.push_back(t);
  for (const Load& load : model.loads) {
    times.push_back(load.from);
    times.push_back(load.to);
  }
  std::erase_if(times, [](double t) { return !(t > 0.0 && std::isfinite(t)); });
  return times;
}

// The signals at one side of a time.
void add_row(const Model& model, const Plan& plan, double t, std::vector<double>& rows) {
  for (std::size_t d = 0; d < plan.drive_cable.size(); ++d) {
    const auto cable = static_cast<std::size_t>(plan.drive_cable[d]);
    if (plan.drive_signal[d] < 0) {
      rows.insert(rows.end(), {model.cables[cable].rest_length, 0.0});
      continue;
    }
    const Signal& signal = model.actuators[static_cast<std::size_t>(plan.drive_signal[d])].rest_length;
    const double rest = value(signal, t);
    if (!can_be_rest_length(model.cables[cable].law, rest))
      throw InputError(
          fmt::format("the rest length of cable \"{}\" is driven to {:g} m at t = {:g} s; it must stay above 0",
                      model.cables[cable].name, rest, t));
    rows.insert(rows.end(), {rest, rate(signal, t)});
  }
  for (const Load& load : model.loads) rows.push_back(t >= load.from && t < load.to ? 1.0 : 0.0);
}

}  // namespace

SignalRows signal_rows(const Model& model, const Plan& plan, double h, long first, long last) {
  if (last - first > most_rows || last > std::numeric_limits<int>::max())
    throw InputError(
        fmt::format("the times of the robots lie {:g} s apart; signals and loads over time need them within {:g} s: "
                    "reset robots sooner",
                    static_cast<double>(last - first) * h, static_cast<double>(most_rows) * h));
  SignalRows rows;
  rows.first = static_cast<int>(first);
  rows.row = 2 * plan.sizes.drives + plan.sizes.loads;
  std::map<long, double> jumps;  // by the time of the grid: the first that belongs there
  for (const double t : jump_times(model)) {
    const double k = std::round(t / h);
    if (k >= 1.0 && k < 2e9) jumps.emplace(static_cast<long>(k), t);
  }
  for (long k = first; k <= last; ++k) {
    const auto jump = jumps.find(k);
    const double t = jump == jumps.end() ? static_cast<double>(k) * h : jump->second;
    add_row(model, plan, jump == jumps.end() ? t : std::nextafter(t, -1.0), rows.before);
    add_row(model, plan, t, rows.after);
    rows.jumps.push_back(jump != jumps.end());
  }
  return rows;
}

std::string moved_jumps(const Model& model, double h) {
  for (const double t : jump_times(model))
    if (std::abs(t / h - std::round(t / h)) > 1e-6)
      return fmt::format(
          "a signal or load jumps at t = {:g} s, which is no whole number of steps of {:g} s: it jumps at {:g} s", t, h,
          std::round(t / h) * h);
  return "";
}

}  // namespace taut::batch
