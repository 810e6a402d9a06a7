#include "taut/model/members.h"

#include <fmt/format.h>

#include <charconv>
#include <numeric>
#include <unordered_map>

#include "taut/model/member_defaults.h"

namespace taut {

namespace {

// The tables of an array of tables; anything else is reported.
const toml::array* tables_of(const Document& document, std::string_view section, Problems& problems) {
  const toml::node* node = document.root.get(section);
  if (!node) return nullptr;
  const toml::array* list = node->as_array();
  if (!list) {
    problems.add(node->source(), std::string(section),
                 fmt::format("expected entries that start with [[{}]], got {}", section, describe(*node)));
    return nullptr;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    if ((*list)[i].is_table()) continue;
    problems.add((*list)[i].source(), fmt::format("{}[{}]", section, i),
                 fmt::format("expected a table, got {}", describe((*list)[i])));
  }
  return list;
}

// "a-b" from the list ["a", "b"]; what is not a text is reported when the nodes are looked up.
std::string joined_names(const toml::node& nodes) {
  const toml::array* list = nodes.as_array();
  if (!list || list->empty()) return "?";
  std::string result;
  for (size_t i = 0; i < list->size(); ++i) {
    if (i > 0) result += '-';
    if (const auto* text = (*list)[i].as_string()) result += text->get();
  }
  return result;
}

// One table as one member (`nodes`) or as many (the group key).
void open_entry(const toml::table& table, const KeyPath& path, std::string_view group, int document, Problems& problems,
                std::vector<Member>& members) {
  const Fields fields(problems, path, {&table}, &table);
  const std::string_view key = fields.one_of({"nodes", group});
  if (key.empty()) return fields.say("nodes", fmt::format("is missing: expected nodes or {}", group));
  Member member{"", path, {&table}, &table, table.get(key), document};
  if (key == "nodes") {
    member.name = fields.text("name").value_or("");
    if (fields.has("name") && table.get("name")->is_string() && member.name.empty()) {
      fields.say("name", "is empty: expected a name");
    }
    members.push_back(std::move(member));
    return;
  }
  const toml::array* list = member.nodes->as_array();
  if (!list) return fields.say(key, fmt::format("expected a list of node lists, got {}", describe(*member.nodes)));
  if (fields.has("name")) fields.say("name", fmt::format("belongs to a single member, not to {}", group));
  if (list->empty()) fields.say(key, "is empty: expected one list of nodes or more");
  for (size_t i = 0; i < list->size(); ++i) {
    member.path.group = group;
    member.path.item = static_cast<int>(i);
    member.self = member.nodes = &(*list)[i];
    members.push_back(member);
  }
}

// Puts a stronger file's members into the list: in place of their namesakes, or at the end.
void merge(std::vector<Member>& list, std::vector<Member> stronger) {
  if (list.empty()) {
    list = std::move(stronger);
    return;
  }
  std::unordered_map<std::string, size_t> known;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].name.empty()) known.emplace(list[i].name, i);
  }
  for (Member& member : stronger) {
    const auto found = known.find(member.name);
    if (found != known.end()) {
      list[found->second] = std::move(member);
      known.erase(found);  // a second one of that name in the same file is a mistake, not a replacement
    } else {
      list.push_back(std::move(member));
    }
  }
}

}  // namespace

std::vector<Member> collect_members(const std::vector<Document>& documents, std::string_view section,
                                    std::string_view group, Problems& problems) {
  std::vector<Member> list;
  for (size_t d = 0; d < documents.size(); ++d) {
    const toml::array* tables = tables_of(documents[d], section, problems);
    if (!tables) continue;
    std::vector<Member> members;
    for (size_t i = 0; i < tables->size(); ++i) {
      const toml::table* table = (*tables)[i].as_table();
      const KeyPath path{section, static_cast<int>(i)};
      if (table) open_entry(*table, path, group, static_cast<int>(d), problems, members);
    }

    // Names given by hand come first, defaults avoid them.
    DefaultNames defaults(members.size());
    for (const Member& member : members) {
      if (!member.name.empty()) defaults.reserve(member.name);
    }
    for (Member& member : members) {
      if (member.name.empty()) member.name = defaults.take(joined_names(*member.nodes));
    }
    merge(list, std::move(members));
  }
  return list;
}

std::vector<Member> collect_entries(const std::vector<Document>& documents, std::string_view section,
                                    std::string_view identity, Problems& problems, std::string_view or_else) {
  std::vector<Member> list;
  for (size_t d = 0; d < documents.size(); ++d) {
    const toml::array* tables = tables_of(documents[d], section, problems);
    if (!tables) continue;
    std::vector<Member> members;
    for (size_t i = 0; i < tables->size(); ++i) {
      const toml::table* table = (*tables)[i].as_table();
      if (!table) continue;
      Member member{"", {section, static_cast<int>(i)}, {table}, table, nullptr, static_cast<int>(d)};
      const toml::node* name = identity.empty() ? nullptr : table->get(identity);
      if (!name && !or_else.empty()) name = table->get(or_else);
      if (name && name->is_string()) member.name = name->as_string()->get();
      members.push_back(std::move(member));
    }
    merge(list, std::move(members));
  }
  return list;
}

std::vector<size_t> select(const std::vector<std::string_view>& names, const Override& override,
                           std::string_view singular, Problems& problems) {
  const std::string& selector = override.path[1];
  std::vector<size_t> chosen;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == selector) chosen.push_back(i);
  }
  if (!chosen.empty()) return chosen;

  size_t number = 0;
  const auto [end, error] = std::from_chars(selector.data(), selector.data() + selector.size(), number);
  if (selector == "*") {
    chosen.resize(names.size());
    std::iota(chosen.begin(), chosen.end(), size_t{0});
  } else if (error == std::errc() && end == selector.data() + selector.size() && number < names.size()) {
    chosen.push_back(number);
  } else {
    problems.add(
        Place{override.source, 0, 0}, override.key,
        fmt::format("there is no {} {}{}", singular, in_quotes(selector), problems.did_you_mean(selector, names)));
  }
  return chosen;
}

void apply_overrides(const std::vector<Override>& overrides, std::string_view section, std::string_view singular,
                     std::vector<Member>& members, Problems& problems) {
  std::vector<std::string_view> names;
  for (const Override& override : overrides) {
    if (override.path.front() != section) continue;
    if (override.path.size() < 3) {
      problems.add(Place{override.source, 0, 0}, override.key,
                   fmt::format("expected {0}.NAME.key=value, {0}.NUMBER.key=value or {0}.*.key=value", section));
      continue;
    }
    if (names.empty()) {
      for (const Member& member : members) names.push_back(member.name);
    }
    const toml::table* values = override.tree.get_as<toml::table>(section)->get_as<toml::table>(override.path[1]);
    for (const size_t i : select(names, override, singular, problems)) members[i].levels.push_back(values);
  }
}

}  // namespace taut
