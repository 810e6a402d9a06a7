#include "taut/file/read/members.h"

#include <fmt/format.h>

#include <charconv>
#include <numeric>
#include <unordered_map>

#include "taut/file/keys.h"
#include "taut/model/member_defaults.h"

namespace taut {

namespace {

// The tables of an array of tables; anything else is reported.
const List* tables_of(const Document& document, std::string_view section, Problems& problems) {
  const Value* node = document.root.find(section);
  if (!node) return nullptr;
  const List* list = node->list();
  if (!list) {
    problems.add(node->at, std::string(section),
                 fmt::format("expected entries that start with [[{}]], got {}", section, describe(*node)));
    return nullptr;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    if ((*list)[i].table()) continue;
    problems.add((*list)[i].at, fmt::format("{}[{}]", section, i),
                 fmt::format("expected a table, got {}", describe((*list)[i])));
  }
  return list;
}

// "a-b" from the list ["a", "b"]; what is not a text is reported when the nodes are looked up.
std::string joined_names(const Value& nodes) {
  const List* list = nodes.list();
  if (!list || list->empty()) return "?";
  std::string result;
  for (size_t i = 0; i < list->size(); ++i) {
    if (i > 0) result += '-';
    if (const std::string* text = (*list)[i].text()) result += *text;
  }
  return result;
}

// An entry without nodes. The group key of the other section is a slip of its own: it is named instead.
void say_no_nodes(const Fields& fields, std::string_view section, std::string_view group) {
  const bool bars = section == "bars";
  std::vector<std::string_view> known = bars ? std::vector<std::string_view>{keys::bar.begin(), keys::bar.end()}
                                             : std::vector<std::string_view>{keys::cable.begin(), keys::cable.end()};
  const std::string_view other = bars ? "paths" : "pairs";
  known.push_back(other);
  fields.refuse_unknown(known);
  if (fields.has(other))
    fields.say(other, fmt::format("is not a known key of [[{}]]: expected nodes or {}", section, group));
  else
    fields.say("nodes", fmt::format("is missing: expected nodes or {}", group));
}

// One table as one member (`nodes`) or as many (the group key).
void open_entry(const Table& table, const KeyPath& path, std::string_view group, int document, Problems& problems,
                std::vector<MemberEntry>& members) {
  const Fields fields(problems, path, {&table}, table.at);
  const std::string_view key = fields.one_of({"nodes", group});
  if (key.empty()) return say_no_nodes(fields, path.section, group);
  MemberEntry member{"", path, {&table}, table.at, table.find(key), document};
  if (key == "nodes") {
    member.name = fields.text("name").value_or("");
    if (fields.has("name") && table.find("name")->text() && member.name.empty()) {
      fields.say("name", "is empty: expected a name");
    }
    members.push_back(std::move(member));
    return;
  }
  const List* list = member.nodes->list();
  if (!list) return fields.say(key, fmt::format("expected a list of node lists, got {}", describe(*member.nodes)));
  if (fields.has("name")) fields.say("name", fmt::format("belongs to a single member, not to {}", group));
  if (list->empty()) fields.say(key, "is empty: expected one list of nodes or more");
  for (size_t i = 0; i < list->size(); ++i) {
    member.path.group = group;
    member.path.item = static_cast<int>(i);
    member.nodes = &(*list)[i];
    member.self = member.nodes->at;
    members.push_back(member);
  }
}

// Puts a stronger file's members into the list: in place of their namesakes, or at the end.
void merge(std::vector<MemberEntry>& list, std::vector<MemberEntry> stronger) {
  if (list.empty()) {
    list = std::move(stronger);
    return;
  }
  std::unordered_map<std::string, size_t> known;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].name.empty()) known.emplace(list[i].name, i);
  }
  for (MemberEntry& member : stronger) {
    const auto found = known.find(member.name);
    if (found != known.end()) {
      list[found->second] = std::move(member);
      known.erase(found);  // a second one of that name in the same file is a mistake, not a replacement
    } else {
      list.push_back(std::move(member));
    }
  }
}

// Lays overrides of the section on the members that they select by name, by number or by "*".
void apply_overrides(const std::vector<Override>& overrides, std::string_view section, std::string_view singular,
                     std::vector<MemberEntry>& members, Problems& problems) {
  std::vector<std::string_view> names;
  for (const Override& override : overrides) {
    if (override.path.front() != section) continue;
    if (override.path.size() < 3) {
      problems.add(Mark{override.source.get()}, "",
                   fmt::format("expected {0}.NAME.key=value, {0}.NUMBER.key=value or {0}.*.key=value", section));
      continue;
    }
    if (names.empty()) {
      for (const MemberEntry& member : members) names.push_back(member.name);
    }
    const Table* values = override.tree.find(section)->table()->find(override.path[1])->table();
    for (const size_t i : select(names, override, singular, problems)) members[i].levels.push_back(values);
  }
}

// The entries of a section, file by file: open(table, path, document, members) adds those of one table, close(members)
// sees those of one file.
template <class Open, class Close>
std::vector<MemberEntry> collect(const Given& given, std::string_view section, std::string_view singular,
                                 const Open& open, const Close& close) {
  std::vector<MemberEntry> list;
  for (size_t d = 0; d < given.documents.size(); ++d) {
    const List* tables = tables_of(given.documents[d], section, given.problems);
    if (!tables) continue;
    std::vector<MemberEntry> members;
    for (size_t i = 0; i < tables->size(); ++i)
      if (const Table* table = (*tables)[i].table())
        open(*table, KeyPath{section, static_cast<int>(i)}, static_cast<int>(d), members);
    close(members);
    merge(list, std::move(members));
  }
  apply_overrides(given.overrides, section, singular, list, given.problems);
  return list;
}

}  // namespace

EntityPlace MemberEntry::place(EntityKind kind) const {
  const Value* named = path.item < 0 ? levels.front()->find("name") : nullptr;
  const Mark& at = named ? named->at : self;
  const Place where = place_of(at);
  return {at.source->name, where.line, where.column, kind, path.index, path.item};
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
        Mark{override.source.get()}, "",
        fmt::format("there is no {} {}{}", singular, in_quotes(selector), problems.did_you_mean(selector, names)));
  }
  return chosen;
}

std::vector<MemberEntry> collect_members(const Given& given, std::string_view section, std::string_view singular,
                                         std::string_view group) {
  return collect(
      given, section, singular,
      [&](const Table& table, const KeyPath& path, int document, std::vector<MemberEntry>& members) {
        open_entry(table, path, group, document, given.problems, members);
      },
      [](std::vector<MemberEntry>& members) {
        // Names given by hand come first, defaults avoid them.
        DefaultNames defaults(members.size());
        for (const MemberEntry& member : members)
          if (!member.name.empty()) defaults.reserve(member.name);
        for (MemberEntry& member : members)
          if (member.name.empty()) member.name = defaults.take(joined_names(*member.nodes));
      });
}

std::vector<MemberEntry> collect_entries(const Given& given, std::string_view section, std::string_view singular,
                                         std::initializer_list<std::string_view> identities) {
  return collect(
      given, section, singular,
      [&](const Table& table, const KeyPath& path, int document, std::vector<MemberEntry>& members) {
        const Value* name = nullptr;
        for (const std::string_view identity : identities)
          if (!name) name = table.find(identity);
        members.push_back({name && name->text() ? *name->text() : "", path, {&table}, table.at, nullptr, document});
      },
      [](std::vector<MemberEntry>&) {});
}

}  // namespace taut
