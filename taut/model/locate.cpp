#include "taut/model/locate.h"

#include <fmt/format.h>

#include <array>

#include "taut/model/parse_toml.h"

namespace taut {

namespace {

struct Kind {
  std::string_view title, section;
};
constexpr std::array<Kind, 5> kinds = {
    {{"joint", "joints"}, {"pulley", "pulleys"}, {"bar", "bars"}, {"body", "bodies"}, {"cable", "cables"}}};

// Whether an entry has the name, or is the pulley whose cable's joints are called after it.
bool is_called(const toml::table& entry, std::string_view section, std::string_view name) {
  const auto* text = entry.get_as<std::string>("name");
  if (!text) return false;
  if (**text == name) return true;
  return section == "pulleys" && (name == **text + "-involuteJt" || name == **text + "-loopJt");
}

bool find_in(const toml::table& root, const std::string& file, std::string_view section, std::string_view name,
             Problem& problem) {
  const toml::array* list = root[section].as_array();
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const toml::table* entry = (*list)[i].as_table();
    if (!entry || !is_called(*entry, section, name)) continue;
    const toml::source_position at = entry->get("name")->source().begin;
    problem.place = {file, static_cast<int>(at.line), static_cast<int>(at.column)};
    problem.message = fmt::format("{}: {}", problem.key, problem.message);
    problem.key = fmt::format("{}[{}]", section, i);
    return true;
  }
  return false;
}

}  // namespace

void locate(const std::string& file, Problem& problem) {
  const std::size_t first = problem.key.find('"'), last = problem.key.rfind('"');
  if (first == std::string::npos || last <= first + 1) return;
  const std::string title = problem.key.substr(0, first > 0 ? first - 1 : 0),
                    name = problem.key.substr(first + 1, last - first - 1);
  try {
    const toml::table root = parse_toml(read_text_file(file), file);
    for (const Kind& kind : kinds)
      if (title == kind.title && find_in(root, file, kind.section, name, problem)) return;
    if (title == "joint") find_in(root, file, "pulleys", name, problem);
  } catch (const InputError&) {
    // A file that cannot be read any more says nothing of places.
  }
}

}  // namespace taut
