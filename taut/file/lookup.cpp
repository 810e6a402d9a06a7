#include "taut/file/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/file/keys.h"
#include "taut/file/numbers.h"
#include "taut/file/write/tree.h"
#include "taut/generators/generators.h"

namespace taut {

std::vector<std::string> path_of(const std::string& key) {
  std::vector<std::string> path = parse_key_path(key);
  if (path.empty())
    throw InputError(
        {Problem{{}, key, "is not a key: expected a path such as cables.*.stiffness or environment.gravity"}});
  return path;
}

bool is_plain(const std::string& section) {
  return section == "name" || section == "environment" || section == "simulation" || section == "generate" ||
         section == "model";
}

bool is_known(const std::string& section, const std::string& key, std::vector<std::string_view>& known) {
  for (const keys::Section& listed : keys::sections) {
    const bool here = listed.title == section || (section == "controllers" && listed.title.starts_with("controller "));
    if (here) known.insert(known.end(), listed.keys.begin(), listed.keys.end());
  }
  if (section == "generate" || section == "outputs") return true;
  return std::find(known.begin(), known.end(), key) != known.end();
}

namespace {

using Path = std::vector<std::string>;

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

// Throws InputError: there is no such section, or the path ends at it.
void require_section(const Path& path, std::size_t first, const std::string& key) {
  const std::string& section = path.front();
  const std::vector<std::string_view> known(keys::file.begin(), keys::file.end());
  if (std::find(known.begin(), known.end(), section) == known.end())
    throw InputError({Problem{{}, key, unknown_word(section, known)}});
  if (section == "name" || section == "model" || path.size() > first) return;
  throw InputError({Problem{{},
                            key,
                            first == 1 ? fmt::format("expected {}.KEY", section)
                                       : fmt::format("expected {0}.NAME.key, {0}.NUMBER.key or {0}.*.key", section)}});
}

// The values of a key path in its section: what the scenario holds, what its file would say, what was given, whichever
// has it first.
struct Lookup {
  Scenario scenario;
  const Path& path;
  std::size_t first;  // of the path, below the entity
  std::string section, rest;
  bool plain, members;
  std::vector<std::string> names;   // of the entities
  std::vector<std::size_t> chosen;  // of them
  std::vector<NumberAt> numbers;
  std::vector<GivenEntity> given;
  Table tree;

  // Throws InputError: there is no such entity or key.
  Lookup(const Scenario& of, const Path& below_section, std::size_t from, const std::string& key)
      : scenario(of),
        path(below_section),
        first(from),
        section(path.front()),
        rest(rest_of(path, from)),
        plain(is_plain(section)),
        members(section == "bars" || section == "cables"),
        names(plain ? std::vector<std::string>{""} : names_in(scenario.model, section)),
        chosen(plain ? std::vector<std::size_t>{0} : selected(names, path[1], key)) {
    std::vector<std::string_view> known;
    if (first < path.size() && !is_known(section, path[first], known))
      throw InputError({Problem{{}, key, unknown_word(path[first], known)}});
    numbers = numbers_of(scenario);
    if (!members) tree = tree_of(scenario);
  }

  std::optional<Value> value_of(std::size_t entity) const {
    if (std::optional<Value> held = held_by(entity)) return held;
    if (rest == "name" && !names[entity].empty()) return Value{names[entity]};
    if (std::optional<Value> written = written_of(entity)) return written;
    return given_to(entity);
  }

 private:
  std::optional<Value> held_by(std::size_t entity) const {
    for (const NumberAt& number : numbers)
      if (number.section == section && (plain || number.member == names[entity]) && own_key(number) == rest)
        return number_value(number);
    return std::nullopt;
  }

  std::optional<Value> written_of(std::size_t entity) const {
    const auto copy_of = [&](const Value* whole) {
      const Value* const found = below(whole, path, first);
      return found ? std::optional(*found) : std::nullopt;
    };
    if (members) {
      const Value written = written_member(scenario, section, entity);
      return copy_of(&written);
    }
    const Value* written = tree.find(section);
    if (written == nullptr) return std::nullopt;
    if (section == "nodes") return copy_of(written->table()->find(names[entity]));
    if (const List* list = written->list(); list != nullptr)
      written = entity < list->size() ? &(*list)[entity] : nullptr;
    return copy_of(written);
  }

  std::optional<Value> given_to(std::size_t entity) const {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!plain && (names[entity].empty() ? i != entity : given[i].name != names[entity])) continue;
      for (auto level = given[i].levels.rbegin(); level != given[i].levels.rend(); ++level) {
        const Value whole{*level};
        if (const Value* found = below(&whole, path, first)) return *found;
      }
    }
    return std::nullopt;
  }
};

}  // namespace

std::optional<Value> look_up(const Scenario& scenario, ModelFile& file, const std::vector<Override>& overrides,
                             const std::string& key) {
  const Path path = path_of(key);
  const std::string& section = path.front();
  const std::size_t first = is_plain(section) ? 1 : 2;
  require_section(path, first, key);
  Lookup look(scenario, path, first, key);
  look.given = file.given(section, overrides);
  if (first == 1 || path[1] != "*") {
    std::optional<Value> value = look.value_of(look.chosen.front());
    if (!value && section == "generate" && path[1] != "kind")
      require_parameter(look_up(scenario, file, overrides, "generate.kind"), path[1], key);
    return value;
  }
  List all;
  for (const std::size_t entity : look.chosen) {
    std::optional<Value> value = look.value_of(entity);
    if (!value) return std::nullopt;
    all.push_back(std::move(*value));
  }
  return Value{std::move(all)};
}

}  // namespace taut
