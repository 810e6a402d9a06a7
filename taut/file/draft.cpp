#include "taut/file/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/base/text/toml_text.h"
#include "taut/file/keys.h"
#include "taut/file/lookup.h"
#include "taut/file/override.h"
#include "taut/file/read/model_file.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/write/write_toml.h"

namespace taut {

namespace {

using Given = std::vector<std::pair<std::string, Value>>;

std::vector<Override> overrides_of(const Given& values) {
  std::vector<Override> overrides;
  for (const auto& [key, value] : values)
    overrides.push_back(override_value(key, value, fmt::format("set {} = {}", key, toml_value(value))));
  return overrides;
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
      throw InputError({Problem{{}, fmt::format("nodes.{}", toml_key(name)), "exists already: expected a new name"}});
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
  ModelFile model_file = file();
  return look_up(scenario(), model_file, overrides(), key);
}

}  // namespace taut
