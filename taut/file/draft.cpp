#include "taut/file/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/base/text/toml_text.h"
#include "taut/file/keys.h"
#include "taut/file/numbers.h"
#include "taut/file/override.h"
#include "taut/file/read/model_file.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/write/tree.h"
#include "taut/file/write/write_toml.h"
#include "taut/generators/generators.h"

namespace taut {

namespace {

using Path = std::vector<std::string>;
using Given = std::vector<std::pair<std::string, Value>>;

std::vector<Override> overrides_of(const Given& values) {
  std::vector<Override> overrides;
  for (const auto& [key, value] : values)
    overrides.push_back(override_value(key, value, fmt::format("set {} = {}", key, toml_value(value))));
  return overrides;
}

Path path_of(const std::string& key) {
  Path path = parse_key_path(key);
  if (path.empty())
    throw InputError(
        {Problem{{}, key, "is not a key: expected a path such as cables.*.stiffness or environment.gravity"}});
  return path;
}

bool is_plain(const std::string& section) {
  return section == "name" || section == "environment" || section == "simulation" || section == "generate" ||
         section == "model";
}

// The names by which the entities of a section are known; empty texts where they have none.
std::vector<std::string> names_in(const Model& model, std::string_view section) {
  std::vector<std::string> names;
  const auto add = [&](const auto& list, const auto& name) {
    for (const auto& entity : list) names.push_back(name(entity));
  };
  const auto own = [](const auto& entity) { return entity.name; };
  if (section == "nodes") add(model.nodes, own);
  if (section == "bars") add(model.bars, own);
  if (section == "cables") add(model.cables, own);
  if (section == "bodies") add(model.bodies, own);
  if (section == "joints") add(model.joints, own);
  if (section == "pulleys") add(model.pulleys, own);
  if (section == "constraints") add(model.constraints, own);
  if (section == "controllers") add(model.controllers, own);
  if (section == "outputs") add(model.frames, own);
  if (section == "loads") add(model.loads, [](const Load&) { return std::string(); });
  if (section == "targets") add(model.wanted_tensions, [](const WantedTension&) { return std::string(); });
  if (section == "actuators") {
    add(model.drives,
        [&](const JointDrive& drive) { return model.joints[static_cast<std::size_t>(drive.joint)].name; });
    add(model.actuators, [&](const Actuator& a) { return model.cables[static_cast<std::size_t>(a.cable)].name; });
    add(model.bar_drives, [&](const BarDrive& d) { return model.bars[static_cast<std::size_t>(d.bar)].name; });
  }
  return names;
}

// Which of them a selector means: the one of that name, all, or the one of that number.
std::vector<std::size_t> selected(const std::vector<std::string>& names, const std::string& selector,
                                  const std::string& key) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (selector == "*" || names[i] == selector) chosen.push_back(i);
  std::size_t number = 0;
  const char* end = selector.data() + selector.size();
  if (chosen.empty() && std::from_chars(selector.data(), end, number).ptr == end && number < names.size())
    chosen.push_back(number);
  if (chosen.empty() && selector != "*")
    throw InputError({Problem{
        {}, key, fmt::format("there is no \"{}\"{}", selector, suggestion(selector, {names.begin(), names.end()}))}});
  return chosen;
}

// Down the rest of a path; x, y, z are components of a vector.
const Value* below(const Value* value, const Path& path, std::size_t from) {
  for (std::size_t i = from; value != nullptr && i < path.size(); ++i) {
    const List* list = value->list();
    const std::size_t axis = std::string_view("xyz").find(path[i]);
    if (list != nullptr && list->size() == 3 && path[i].size() == 1 && axis != std::string_view::npos)
      value = &(*list)[axis];
    else
      value = value->table() != nullptr ? value->table()->find(path[i]) : nullptr;
  }
  return value;
}

Value number_value(const NumberAt& number) {
  if (number.count == 1) return {*number.first};
  List list;
  for (int i = 0; i < number.count; ++i) list.push_back({number.first[i]});
  return {std::move(list)};
}

// A bar or a cable as a file would have it; those that are alike stand together there, and alone here.
Value written_member(const Scenario& scenario, const std::string& section, std::size_t index) {
  Scenario alone;
  alone.model.nodes = scenario.model.nodes;
  if (section == "bars")
    alone.model.bars.push_back(scenario.model.bars[index]);
  else
    alone.model.cables.push_back(scenario.model.cables[index]);
  return tree_of(alone).find(section)->list()->front();
}

std::string rest_of(const Path& path, std::size_t from) {
  std::string rest;
  for (std::size_t i = from; i < path.size(); ++i) rest += (i > from ? "." : "") + path[i];
  return rest;
}

// Throws InputError: generators of that kind have no such parameter.
void require_parameter(const std::optional<Value>& kind, const std::string& parameter, const std::string& key) {
  const Generator* generator = kind && kind->text() != nullptr ? find_generator(*kind->text()) : nullptr;
  if (generator == nullptr) return;
  std::vector<std::string_view> known;
  for (const Parameter& p : generator->parameters) {
    if (p.key == parameter || p.also == parameter) return;
    known.push_back(p.key);
  }
  throw InputError({Problem{{}, key, unknown_word(parameter, known)}});
}

// A key of that section, down to its first part.
bool is_known(const std::string& section, const std::string& key, std::vector<std::string_view>& known) {
  for (const keys::Section& listed : keys::sections) {
    const bool here = listed.title == section || (section == "controllers" && listed.title.starts_with("controller "));
    if (here) known.insert(known.end(), listed.keys.begin(), listed.keys.end());
  }
  if (section == "generate" || section == "outputs") return true;
  return std::find(known.begin(), known.end(), key) != known.end();
}

}  // namespace

Draft Draft::from_file(const std::string& file) { return from_text(read_text_file(file), file); }

Draft Draft::from_text(std::string text, const std::string& name) {
  Draft draft = from_parts(std::move(text), name, {}, {});
  draft.scenario();
  return draft;
}

Draft Draft::from_scenario(Scenario scenario) {
  Draft draft;
  if (!scenario.model.name.empty()) draft.name_ = scenario.model.name;
  draft.base_ = std::make_shared<const Scenario>(std::move(scenario));
  draft.text_ = to_toml(*draft.base_);
  draft.scenario();
  return draft;
}

Draft Draft::generated(const std::string& kind, const std::vector<std::pair<std::string, Value>>& parameters) {
  std::string text = fmt::format("[generate]\nkind = {}\n", toml_value({kind}));
  for (const auto& [key, value] : parameters) text += fmt::format("{} = {}\n", toml_key(key), toml_value(value));
  return from_text(std::move(text), kind);
}

Draft Draft::from_parts(std::string text, std::string name, Table added,
                        std::vector<std::pair<std::string, Value>> values) {
  Draft draft;
  draft.text_ = std::move(text);
  draft.name_ = std::move(name);
  draft.added_ = std::move(added);
  draft.values_ = std::move(values);
  return draft;
}

ModelFile Draft::file() const {
  return base_ ? ModelFile(*base_, name_, {}, added_) : ModelFile(text_, name_, {}, added_);
}

std::vector<Override> Draft::overrides() const { return overrides_of(values_); }

const Scenario& Draft::scenario() const {
  if (!scenario_) scenario_ = std::make_shared<const Scenario>(file().read(overrides()));
  return *scenario_;
}

Scenario Draft::with(const std::vector<Setting>& settings) const {
  if (settings.empty()) return scenario();
  std::vector<Override> overrides = this->overrides();
  for (const auto& [key, value, typed] : settings) overrides.push_back(override_value(key, value, typed));
  return file().read(overrides);
}

void Draft::add(const std::string& section, const std::string& name, Table keys) {
  const bool nodes = section == "nodes";
  std::vector<std::string_view> known;
  if (is_plain(section) || std::find(keys::file.begin(), keys::file.end(), section) == keys::file.end()) {
    for (const std::string_view word : keys::file)
      if (!is_plain(std::string(word))) known.push_back(word);
    throw InputError({Problem{{}, section, unknown_word(section, known)}});
  }
  std::vector<Problem> problems;
  for (const Item& item : keys.items)
    if (known.clear(); !is_known(section, item.key, known))
      problems.push_back({{}, fmt::format("{}.{}", section, item.key), unknown_word(item.key, known)});
  if (!problems.empty()) throw InputError(std::move(problems));
  Value* list = const_cast<Value*>(added_.find(section));
  if (list == nullptr) list = &added_.add(section, nodes ? Value{Table{}} : Value{List{}});
  if (nodes) {
    auto& table = std::get<Table>(list->data);
    if (table.find(name) != nullptr)
      throw InputError({Problem{{}, fmt::format("nodes.{}", toml_key(name)), "there is such a node already"}});
    table.add(name, {std::move(keys)});
  } else {
    std::get<List>(list->data).push_back({std::move(keys)});
  }
  scenario_.reset();
}

void Draft::set(const std::vector<std::pair<std::string, Value>>& values) {
  Draft next = *this;
  for (const auto& [key, value] : values) {
    path_of(key);
    std::erase_if(next.values_, [&key = key](const auto& earlier) { return earlier.first == key; });
    next.values_.emplace_back(key, value);
  }
  const bool waits = scenario_ == nullptr;
  next.scenario_.reset();
  if (!waits) next.scenario();
  *this = std::move(next);
}

std::optional<Value> Draft::get(const std::string& key) const {
  const Path path = path_of(key);
  const std::string& section = path.front();
  const bool plain = is_plain(section);
  const std::size_t first = plain ? 1 : 2;
  std::vector<std::string_view> known(keys::file.begin(), keys::file.end());
  if (std::find(known.begin(), known.end(), section) == known.end())
    throw InputError({Problem{{}, key, unknown_word(section, known)}});
  if (section != "name" && section != "model" && path.size() <= first)
    throw InputError({Problem{{},
                              key,
                              plain ? fmt::format("expected {}.KEY", section)
                                    : fmt::format("expected {0}.NAME.key, {0}.NUMBER.key or {0}.*.key", section)}});

  Scenario scenario = this->scenario();
  const std::string rest = rest_of(path, first);
  const std::vector<std::string> names = plain ? std::vector<std::string>{""} : names_in(scenario.model, section);
  const std::vector<std::size_t> chosen = plain ? std::vector<std::size_t>{0} : selected(names, path[1], key);
  known.clear();
  if (first < path.size() && !is_known(section, path[first], known))
    throw InputError({Problem{{}, key, unknown_word(path[first], known)}});

  // What the scenario holds, what its file would say, what was given: whichever has it first.
  const std::vector<NumberAt> numbers = numbers_of(scenario);
  const std::vector<GivenEntity> given = file().given(section, overrides());
  const bool members = section == "bars" || section == "cables";
  const Table tree = members ? Table{} : tree_of(scenario);
  const auto value_of = [&](std::size_t entity) -> std::optional<Value> {
    for (const NumberAt& number : numbers)
      if (number.section == section && (plain || number.member == names[entity]) && own_key(number) == rest)
        return number_value(number);
    if (rest == "name" && !names[entity].empty()) return Value{names[entity]};
    if (members) {
      const Value written = written_member(scenario, section, entity);
      if (const Value* found = below(&written, path, first)) return *found;
    } else if (const Value* written = tree.find(section); written != nullptr) {
      if (section == "nodes") written = written->table()->find(names[entity]);
      if (const List* list = written->list(); list != nullptr && section != "nodes")
        written = entity < list->size() ? &(*list)[entity] : nullptr;
      if (const Value* found = below(written, path, first)) return *found;
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!plain && (names[entity].empty() ? i != entity : given[i].name != names[entity])) continue;
      for (auto level = given[i].levels.rbegin(); level != given[i].levels.rend(); ++level) {
        const Value whole{*level};
        if (const Value* found = below(&whole, path, first)) return *found;
      }
    }
    return std::nullopt;
  };
  if (plain || path[1] != "*") {
    std::optional<Value> value = value_of(chosen.front());
    if (!value && section == "generate" && path[1] != "kind") require_parameter(get("generate.kind"), path[1], key);
    return value;
  }
  List all;
  for (const std::size_t entity : chosen) {
    std::optional<Value> value = value_of(entity);
    if (!value) return std::nullopt;
    all.push_back(std::move(*value));
  }
  return Value{std::move(all)};
}

}  // namespace taut
