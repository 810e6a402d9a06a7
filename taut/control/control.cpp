#include "taut/control/control.h"

#include <algorithm>

#include "taut/base/error.h"
#include "taut/control/roll.h"

namespace taut {

namespace {

// Instants that differ by less than this part of their distance are one.
constexpr double rounding = 1e-9;

}  // namespace

std::unique_ptr<Controller> make_controller(const Model& model, const ControllerSpec& spec) {
  if (spec.kind == ControllerKind::roll) return make_roll(model, spec);
  throw InputError(std::string("controllers of kind ") + name(spec.kind) + " are not built yet");
}

Control::Control(const Model& model) {
  for (const Cable& cable : model.cables) rest_.push_back(cable.rest_length);
  for (const ControllerSpec& spec : model.controllers) {
    Loop loop{&spec, make_controller(model, spec), {}, winches_.size()};
    for (const int cable : loop.controller->cables()) {
      loop.targets.push_back(rest_[cable]);
      winches_.push_back({cable, rest_[cable], 0.0, 0.0});
    }
    loops_.push_back(std::move(loop));
  }
}

double Control::next_before(double end) const {
  double t = end;
  for (const Loop& loop : loops_)
    if (loop.next() < end - rounding / loop.spec->rate) t = std::min(t, loop.next());
  return t;
}

bool Control::due(double t) const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& loop) { return t >= loop.next() - rounding / loop.spec->rate; });
}

std::vector<ControlReport> Control::update(double t, const double* x, const double* v) {
  std::vector<ControlReport> reports;
  for (const Winch& winch : winches_) rest_[winch.cable] = winch.from + winch.rate * (t - winch.since);
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    Loop& loop = loops_[i];
    const double period = 1.0 / loop.spec->rate;
    if (t < loop.next() - rounding * period) continue;
    ++loop.instants;
    std::string what = loop.controller->update({t, x, v, rest_.data()}, loop.targets);
    if (!what.empty()) reports.push_back({static_cast<int>(i), std::move(what)});
    // Towards the targets, no faster than the winches can.
    const double fastest = loop.controller->speed();
    for (std::size_t k = 0; k < loop.targets.size(); ++k) {
      Winch& winch = winches_[loop.first_winch + k];
      const double now = rest_[winch.cable];
      winch = {winch.cable, now, std::clamp((loop.targets[k] - now) / period, -fastest, fastest), t};
    }
  }
  return reports;
}

}  // namespace taut
