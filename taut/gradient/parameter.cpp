#include "taut/gradient/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "taut/base/error.h"
#include "taut/base/text/toml_text.h"
#include "taut/file/override.h"
#include "taut/file/write/write_toml.h"
#include "taut/integrate/choose.h"
#include "taut/run/settle.h"

namespace taut {

namespace {

constexpr double relative_step = 1e-4;
// How far a model beside the one that runs may be off: its start over the length of a member; its ground, m, and its
// jumps, s, which must be told apart from those of the run by no step of it.
constexpr double start_room = 1e-4, ground_room = 1e-6, jump_room = 1e-6;

std::shared_ptr<const GroundSurface> surface_of(const Model& model) {
  return model.ground ? std::make_shared<const GroundSurface>(*model.ground) : nullptr;
}

double longest_member(const Model& model) {
  double longest = 0.0;
  for (const Bar& bar : model.bars) longest = std::max(longest, start_length(model, bar));
  for (const Cable& cable : model.cables) longest = std::max(longest, start_length(model, cable));
  return longest > 0.0 ? longest : 1.0;
}

// An entry of a list, as of values.3: the key of the list, and which; -1: it is no entry of one.
std::pair<std::string, long> entry_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  const char *const first = key.data() + dot + 1, *const end = key.data() + key.size();
  long index = -1;
  if (dot == std::string::npos || std::from_chars(first, end, index).ptr != end) return {key, -1};
  return {key.substr(0, dot), index};
}

// The list that the entry is of; null: none.
const List* list_with(const std::optional<Value>& value, long index) {
  const List* list = value ? value->list() : nullptr;
  return list != nullptr && index >= 0 && index < static_cast<long>(list->size()) ? list : nullptr;
}

Scenario with_value(const Draft& draft, const std::string& key, double value) {
  const std::string typed = fmt::format("{} = {:.17g}", key, value);
  // Which method is taken says the model that runs.
  const auto beside = [](Scenario scenario) {
    scenario.simulation.integrator = "dopri5";
    return differentiable(scenario).scenario;
  };
  const auto [list_key, index] = entry_of(key);
  const std::optional<Value> whole = index >= 0 ? draft.get(list_key) : std::nullopt;
  if (const List* list = list_with(whole, index); list != nullptr) {
    List changed = *list;
    changed[static_cast<std::size_t>(index)] = Value{value};
    return beside(draft.with({{list_key, Value{std::move(changed)}, typed}}));
  }
  return beside(draft.with({{key, Value{value}, typed}}));
}

template <class List>
bool same_names(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.name == other.name; });
}

void require_same_structure(const NearbyModel& base, const NearbyModel& other, const std::string& key) {
  const Model &a = base.scenario->model, &b = other.scenario->model;
  const FormulationFacts &facts = base.dynamics.formulation().facts(), &others = other.dynamics.formulation().facts();
  if (!same_names(a.nodes, b.nodes) || !same_names(a.bars, b.bars) || !same_names(a.cables, b.cables) ||
      !same_names(a.joints, b.joints) || facts.nq != others.nq || facts.nv != others.nv ||
      base.jumps.size() != other.jumps.size())
    throw InputError({Problem{{}, key, "changes the structure: there is no derivative by it"}});
}

// The share of the step with which the model beside the one that runs is near enough.
double share_of_step(const NearbyModel& base, NearbyModel& other) {
  double share = 1.0;
  const auto allow = [&](double off, double room) {
    if (off > room) share = std::min(share, room / off);
  };
  Terms at_base = base.terms;
  base.dynamics.formulation().place_nodes(base.start.q(), base.start.v(), at_base);
  other.dynamics.formulation().place_nodes(other.start.q(), other.start.v(), other.terms);
  const std::size_t nodes = base.scenario->model.nodes.size();
  double moved = 0.0, sunk = 0.0, shifted = 0.0;
  for (std::size_t i = 0; i < nodes; ++i) {
    const double *const x = at_base.x.data() + 4 * i, *const y = other.terms.x.data() + 4 * i;
    moved = std::max(moved, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    if (base.ground && other.ground) sunk = std::max(sunk, std::abs(other.ground->depth(x) - base.ground->depth(x)));
  }
  for (std::size_t i = 0; i < base.jumps.size(); ++i)
    shifted = std::max(shifted, std::abs(other.jumps[i] - base.jumps[i]));
  allow(moved, start_room * longest_member(base.scenario->model));
  allow(sunk, ground_room);
  allow(shifted, jump_room);
  return share;
}

// Numbers that may well be 0 among others that are not: their own size says nothing.
bool has_own_size(const std::string& key) {
  for (const char* part : {".at", ".velocity", ".force", "gravity", "height"})
    if (key.find(part) != std::string::npos) return false;
  return true;
}

void require_number(const std::string& key, const Value& value) {
  if (!value.number() || !std::isfinite(*value.number()))
    throw InputError({Problem{{}, key, fmt::format("is {}: expected a number", toml_value(value))}});
}

}  // namespace

NearbyModel::NearbyModel(Scenario of)
    : scenario(std::make_unique<const Scenario>(std::move(of))),
      dynamics(scenario->model, scenario->simulation.formulation, scenario->simulation.constraints),
      terms(dynamics.make_terms()),
      ground(surface_of(scenario->model)),
      start(start_state(dynamics)),
      jumps(dynamics.breakpoints(INFINITY)) {
  terms.cables.want_rates = true;
  dynamics.recall(start, terms);
}

double NearbyModel::time_between(double t, std::size_t before) const {
  if (before > 0 && before <= jumps.size()) t = std::max(t, jumps[before - 1]);
  if (before < jumps.size() && t >= jumps[before]) t = std::nextafter(jumps[before], -INFINITY);
  return t;
}

State start_state(const Dynamics& dynamics) {
  State state = dynamics.start();
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size());
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  if (dynamics.formulation().project(state.q(), state.v(), terms) < 0.0)
    throw RunError(0.0, "the constraints contradict each other at the start");
  return state;
}

Differentiable differentiable(const Scenario& scenario) {
  Differentiable result{scenario, ""};
  Model& model = result.scenario.model;
  RunSettings& settings = result.scenario.simulation;
  std::vector<Problem> problems;
  const auto refuse = [&](std::string key, std::string message) {
    problems.push_back({{}, std::move(key), std::move(message)});
  };
  if (settings.formulation == "all") refuse("simulation.formulation", "is \"all\": a gradient is of one run");
  if (!model.controllers.empty())
    refuse("controllers",
           "there is no gradient through what controllers observe: take them out, or drive by actuators");
  if (model.ground && model.ground->law == PressKind::rigid)
    refuse("environment.ground.law",
           "is \"rigid\", which gives impulses: a gradient takes linear, smooth or hunt_crossley");
  if (std::any_of(model.cables.begin(), model.cables.end(), [](const Cable& c) { return c.law.yield > 0.0; }) ||
      std::any_of(model.bars.begin(), model.bars.end(), [](const Bar& b) { return b.elastic && b.yield > 0.0; }))
    refuse("yield", "there is no gradient through members that yield");
  if (std::any_of(model.pulleys.begin(), model.pulleys.end(), [](const PulleySpec& p) { return p.damping > 0.0; }))
    refuse("pulleys", "there is no gradient through cables of pulleys that are damped: set damping = 0");
  if (!problems.empty()) throw InputError(std::move(problems));
  if (settings.settle) {
    Settled settled = settle(scenario, nullptr);
    if (!settled.failure.empty()) throw RunError(0.0, settled.failure);
    model = std::move(settled.scenario.model);
    settings.settle = false;
  }
  settings.constraints = ConstraintMethod::projection;
  if (settings.integrator == "auto") {
    const Dynamics dynamics(model, settings.formulation, settings.constraints);
    settings.integrator = choose_integrator(dynamics).integrator == "cvode" ? "cvode" : "dopri5";
  } else if (settings.integrator != "dopri5" && settings.integrator != "cvode") {
    result.note = fmt::format("the gradient is that of the motion by dopri5, which locates switches; {} does not",
                              settings.integrator);
    settings.integrator = "dopri5";
  }
  return result;
}

namespace {

using Numbers = std::vector<std::pair<std::string, double>>;

// A number, or the entries of a vector or a list.
void add_number(const std::string& key, const Value& value, Numbers& numbers) {
  const List* list = value.list();
  if (list == nullptr) {
    require_number(key, value);
    numbers.emplace_back(key, *value.number());
    return;
  }
  const bool knots = key.ends_with(".t") || key.ends_with(".values") || key.ends_with(".slopes");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string part = knots || list->size() != 3 ? std::to_string(i) : std::string(1, "xyz"[i]);
    const std::string entry = fmt::format("{}.{}", key, part);
    require_number(entry, (*list)[i]);
    numbers.emplace_back(entry, *(*list)[i].number());
  }
}

// "*" by the names of the entities, or by their numbers where they have none.
void add_each(const Draft& draft, const std::vector<std::string>& path, const List& values, Numbers& numbers) {
  std::string rest;
  for (std::size_t i = 2; i < path.size(); ++i) rest += fmt::format(".{}", toml_key(path[i]));
  const std::optional<Value> found = draft.get(fmt::format("{}.*.name", path[0]));
  const List* names = found ? found->list() : nullptr;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string* name = names != nullptr ? (*names)[i].text() : nullptr;
    add_number(fmt::format("{}.{}{}", path[0], name != nullptr ? toml_key(*name) : std::to_string(i), rest), values[i],
               numbers);
  }
}

void add_key(const Draft& draft, const std::string& key, Numbers& numbers) {
  if (const auto [list_key, index] = entry_of(key); index >= 0) {
    const std::optional<Value> whole = draft.get(list_key);
    if (const List* list = list_with(whole, index); list != nullptr)
      return add_number(key, (*list)[static_cast<std::size_t>(index)], numbers);
  }
  const std::optional<Value> value = draft.get(key);
  if (!value) throw InputError({Problem{{}, key, "has no value in this model: set one first"}});
  const std::vector<std::string> path = parse_key_path(key);
  if (path.size() >= 3 && path[1] == "*") return add_each(draft, path, *value->list(), numbers);
  add_number(key, *value, numbers);
}

}  // namespace

std::vector<std::pair<std::string, double>> spelled_out(const Draft& draft, const std::vector<std::string>& keys) {
  Numbers numbers;
  for (const std::string& key : keys) add_key(draft, key, numbers);
  std::set<std::string> seen;
  for (const auto& [key, value] : numbers)
    if (!seen.insert(key).second) throw InputError({Problem{{}, key, "is there twice"}});
  return numbers;
}

GradientParameter make_parameter(const Draft& draft, const NearbyModel& base, const std::string& key, double value) {
  GradientParameter p;
  p.key = key;
  p.value = value;
  p.scale = has_own_size(key) ? std::abs(value) : std::max(std::abs(value), longest_member(base.scenario->model));
  if (p.scale == 0.0) p.scale = 1.0;
  p.step = relative_step * p.scale;
  const auto at = [&](double off) { return std::make_unique<NearbyModel>(with_value(draft, key, value + off)); };
  // A side on which there is a model, and how far it is from this one.
  double side = 1.0;
  std::unique_ptr<NearbyModel> near;
  try {
    near = at(p.step);
  } catch (const InputError&) {
    side = -1.0;
    near = at(-p.step);
  }
  require_same_structure(base, *near, key);
  p.step *= share_of_step(base, *near);
  const auto fill = [&](const Stencil& stencil) {
    p.stencil = stencil;
    p.models.clear();
    for (const double offset : stencil.offset) {
      p.models.push_back(at(offset * p.step));
      require_same_structure(base, *p.models.back(), key);
    }
  };
  try {
    fill(Stencil::both_sides());
  } catch (const InputError&) {
    fill(Stencil::one_side(side));
  }
  for (std::size_t i = 0; i < base.jumps.size(); ++i)
    p.jump_by.push_back(p.derivative([&](std::size_t k) { return p.models[k]->jumps[i]; }));
  return p;
}

}  // namespace taut
