// Models: a draft behind a handle.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>

#include "taut/answers/check.h"
#include "taut/base/error.h"
#include "taut/c/handles.h"
#include "taut/file/override.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/control_names.h"
#include "taut/model/joint_spec.h"
#include "taut/modes/lowest_modes.h"
#include "taut/modes/modes.h"
#include "taut/results/columns.h"
#include "taut/statics/machine/machine_statics.h"
#include "taut/statics/statics.h"

namespace taut::c {

namespace {

using Items = std::vector<std::pair<std::string, Value>>;

// A text "key.path=value" as its key and its value.
std::pair<std::string, Value> item_of(const std::string& text) {
  Problems problems;
  const std::optional<Override> override = parse_override(text, problems);
  problems.throw_if_any();
  const Value* value = override->tree.find(override->path.front());
  for (std::size_t i = 1; i < override->path.size(); ++i) value = value->table()->find(override->path[i]);
  return {override->source->key, *value};
}

Items items_of(const char* const* set, std::int64_t count) {
  Items items;
  for (std::size_t i = 0; i < require_count(count, set, "set"); ++i)
    items.push_back(item_of(&require(set[i], "an entry of set")));
  return items;
}

void read(taut_model** model, std::string text, const std::string& name, Items values) {
  Draft draft = Draft::from_parts(std::move(text), name, {}, std::move(values));
  draft.scenario();
  *model = new taut_model{std::move(draft)};
}

// Its place in the list of a kind: how many there are, and what each is called.
template <class Take>
auto listed(const Model& model, int kind, const Take& take) {
  const auto own = [&](const auto& entities) {
    return take(entities.size(), [&](std::size_t i) { return entities[i].name; });
  };
  const auto columns = [&](const auto& names) {
    return take(names.size(), [&](std::size_t i) { return std::string(names[i]); });
  };
  switch (kind) {
    case TAUT_KIND_NODE:
      return own(model.nodes);
    case TAUT_KIND_BAR:
      return own(model.bars);
    case TAUT_KIND_CABLE:
      return own(model.cables);
    case TAUT_KIND_BODY:
      return own(model.bodies);
    case TAUT_KIND_JOINT:
      return own(model.joints);
    case TAUT_KIND_PULLEY:
      return own(model.pulleys);
    case TAUT_KIND_FRAME:
      return own(model.frames);
    case TAUT_KIND_SUPPORT: {
      const std::vector<int> held = support_nodes(model);
      return take(held.size(), [&](std::size_t i) { return model.nodes[static_cast<std::size_t>(held[i])].name; });
    }
    case TAUT_KIND_ENERGY:
      return columns(energy_names);
    case TAUT_KIND_JOINTS:
      return columns(joint_columns(model));
    case TAUT_KIND_CONTROLS:
      return columns(control_columns(model));
    default:
      throw Misuse(fmt::format("{} is no taut_kind", kind));
  }
}

// Lists and lists of lists, one number after another.
void flatten(const Value& value, const std::string& key, std::vector<double>& numbers) {
  if (const List* list = value.list()) {
    for (const Value& entry : *list) flatten(entry, key, numbers);
  } else if (const std::optional<double> number = value.number()) {
    numbers.push_back(*number);
  } else {
    throw InputError({Problem{{}, key, fmt::format("is {}: expected numbers", toml_value(value))}});
  }
}

std::vector<int> path_of(const Model& model, int kind, std::int64_t index) {
  if (kind == TAUT_KIND_CABLE) return model.cables[require_index(index, model.cables.size(), "cable")].path;
  if (kind != TAUT_KIND_BAR) throw Misuse(fmt::format("taut_kind {} has no path: expected bar or cable", kind));
  const Bar& bar = model.bars[require_index(index, model.bars.size(), "bar")];
  return {bar.a, bar.b};
}

int as_int(long count) { return static_cast<int>(std::min<long>(count, INT_MAX)); }

taut_balance balance_of(const CheckAnswer& a) {
  if (const auto& m = a.machine)
    return {m->imbalance,          m->mean_force, m->imbalance <= rounding_of_files, as_int(std::ssize(m->slack)),
            m->degrees_of_freedom, m->parts};
  const Balance& b = a.balance;
  return {b.imbalance,          b.mean_force, b.imbalance <= rounding_of_files, as_int(std::ssize(b.slack)),
          a.degrees_of_freedom, a.parts.count};
}

taut_counts counts_of(const Model& model) {
  if (has_joints(model)) {
    const MachineStatics s = analyse_machine(model);
    return {s.states, as_int(std::ssize(s.mechanisms)), s.rigid_motions,
            s.rank,   static_cast<int>(s.stability),    s.sign_feasible};
  }
  const Statics s = analyse_statics(model);
  return {s.spaces.states, s.spaces.mechanisms,           s.parts.total_rigid_motions(),
          s.spaces.rank,   static_cast<int>(s.stability), s.sign_feasible};
}

ModalAnalysis lowest_modes(const Scenario& scenario, std::size_t count) {
  const char* wish = scenario.simulation.formulation == "point_mass" ? "point_mass" : "nodal";
  ModeOptions options;
  options.count = as_int(static_cast<long>(count));
  options.formulation = natural_formulation(scenario.model, wish);
  return find_modes(scenario.model, options);
}

}  // namespace

}  // namespace taut::c

using namespace taut::c;

extern "C" {

int taut_load(const char* file, const char* const* set, int64_t count, taut_model** model) {
  return answer([&] {
    cleared(model, "model");
    const std::string name = &require(file, "file");
    read(model, taut::read_text_file(name), name, items_of(set, count));
  });
}

int taut_loads(const char* text, const char* name, const char* const* set, int64_t count, taut_model** model) {
  return answer([&] {
    cleared(model, "model");
    read(model, &require(text, "text"), name != nullptr ? name : "model", items_of(set, count));
  });
}

int taut_generate(const char* kind, const char* const* set, int64_t count, taut_model** model) {
  return answer([&] {
    cleared(model, "model");
    Items parameters, others;
    for (auto& item : items_of(set, count))
      (taut::parse_key_path(item.first).size() == 1 ? parameters : others).push_back(std::move(item));
    taut::Draft draft = taut::Draft::generated(&require(kind, "kind"), parameters);
    if (!others.empty()) draft.set(others);
    *model = new taut_model{std::move(draft)};
  });
}

void taut_model_free(taut_model* model) { release(model); }

int taut_model_set(taut_model* model, const char* key, const char* value) {
  return answer([&] {
    const Use use(model, "model");
    const std::string path = &require(key, "key");
    if (taut::parse_key_path(path).empty())
      throw taut::InputError(
          {taut::Problem{{}, path, "is not a key: expected a path such as cables.*.stiffness or environment.gravity"}});
    model->draft.set({item_of(path + "=" + &require(value, "value"))});
  });
}

int taut_model_set_number(taut_model* model, const char* key, double value) {
  return answer([&] {
    const Use use(model, "model");
    // Some keys take whole numbers only, and all that take others take whole ones, too.
    const bool whole = value == std::trunc(value) && std::abs(value) < 0x1p53 && !(value == 0.0 && std::signbit(value));
    model->draft.set(&require(key, "key"), whole ? taut::Value{static_cast<std::int64_t>(value)} : taut::Value{value});
  });
}

int taut_model_get(taut_model* model, const char* key, const char** text) {
  return answer([&] {
    cleared(text, "text");
    const Use use(model, "model");
    const std::optional<taut::Value> value = model->draft.get(&require(key, "key"));
    model->text = value ? taut::toml_value(*value) : "";
    *text = model->text.c_str();
  });
}

int taut_model_get_numbers(taut_model* model, const char* key, double* values, int64_t size, int64_t* count) {
  return answer([&] {
    if (count != nullptr) *count = 0;
    const Use use(model, "model");
    const std::string path = &require(key, "key");
    std::vector<double> numbers;
    if (const std::optional<taut::Value> value = model->draft.get(path)) flatten(*value, path, numbers);
    hand_out(numbers.data(), numbers.size(), values, size, count, "values");
  });
}

int64_t taut_model_count(taut_model* model, int kind) {
  return value_or(int64_t{-1}, [&] {
    const Use use(model, "model");
    return listed(model->draft.scenario().model, kind,
                  [](std::size_t count, const auto&) { return static_cast<int64_t>(count); });
  });
}

const char* taut_model_name(taut_model* model, int kind, int64_t index) {
  return value_or(static_cast<const char*>(nullptr), [&] {
    const Use use(model, "model");
    model->name = listed(model->draft.scenario().model, kind, [&](std::size_t count, const auto& name) {
      return name(require_index(index, count, "name"));
    });
    return model->name.c_str();
  });
}

int64_t taut_model_path(taut_model* model, int kind, int64_t index, int64_t* nodes, int64_t size) {
  return value_or(int64_t{-1}, [&] {
    const Use use(model, "model");
    const std::vector<int> path = path_of(model->draft.scenario().model, kind, index);
    const std::vector<int64_t> wide(path.begin(), path.end());
    int64_t count = 0;
    hand_out(wide.data(), wide.size(), nodes, size, &count, "nodes");
    return count;
  });
}

int taut_model_toml(taut_model* model, const char** text) {
  return answer([&] {
    cleared(text, "text");
    const Use use(model, "model");
    model->text = taut::to_toml(model->draft.scenario());
    *text = model->text.c_str();
  });
}

int taut_model_check(taut_model* model, taut_balance* balance) {
  return answer([&] {
    require(balance, "balance") = {};
    const Use use(model, "model");
    *balance = balance_of(taut::answer_check(model->draft.scenario()));
  });
}

int taut_model_statics(taut_model* model, taut_counts* counts) {
  return answer([&] {
    require(counts, "counts") = {};
    const Use use(model, "model");
    *counts = counts_of(model->draft.scenario().model);
  });
}

int taut_model_modes(taut_model* model, double* frequencies, int64_t size, int64_t* found) {
  return answer([&] {
    if (found != nullptr) *found = 0;
    const Use use(model, "model");
    const std::size_t most = require_count(size, frequencies, "frequencies");
    if (most == 0) throw Misuse("frequencies: there is room for none");
    const taut::ModalAnalysis modes = lowest_modes(model->draft.scenario(), most);
    for (long k = 0; k < modes.count(); ++k) frequencies[k] = taut::frequency(modes.square[k]);
    if (found != nullptr) *found = modes.count();
  });
}

}  // extern "C"
