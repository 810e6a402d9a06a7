#include <fmt/format.h>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"

namespace taut {

namespace {

// Lays one value (a position, or a table) over what is known of a node.
void take_value(Problems& problems, const Value& value, NodeEntry& entry) {
  const KeyPath path{"nodes", -1, entry.name};
  if (value.list()) {
    entry.at = &value;
    entry.at_components.clear();
    return;
  }
  const Table* table = value.table();
  if (!table) {
    return problems.add(value.at, path.text(""),
                        fmt::format("expected a position [x, y, z] or a table with `at`, got {}", describe(value)));
  }
  if (replaces_whole(value)) entry = NodeEntry{.name = entry.name, .mark = entry.mark, .self = entry.self};
  Fields(problems, path, {table}, table->at).refuse_unknown(keys::node);
  const auto take = [table](const char* key, const Value*& slot) {
    if (const Value* node = table->find(key)) slot = node;
  };
  // A vector as a whole, or components of it on top of what is there.
  const auto take_vector = [table](const char* key, const Value*& slot, std::vector<const Table*>& components,
                                   bool from_zero) {
    const Value* node = table->find(key);
    if (!node) return;
    if ((slot || from_zero) && is_override(*node) && node->table() && !replaces_whole(*node)) {
      components.push_back(node->table());
    } else {
      slot = node;
      components.clear();
    }
  };
  take_vector("at", entry.at, entry.at_components, false);
  take("fixed", entry.fixed);
  take("mass", entry.mass);
  take_vector("velocity", entry.velocity, entry.velocity_components, true);
  take("contact", entry.contact);
}

void collect_nodes(Reading& reading) {
  for (const Document& document : reading.documents) {
    const Value* section = document.root.find("nodes");
    if (!section) continue;
    const Table* table = section->table();
    if (!table) {
      reading.problems.add(
          section->at, "nodes",
          fmt::format("expected a table [nodes] with lines name = [x, y, z], got {}", describe(*section)));
      continue;
    }
    reading.node_index.reserve(reading.node_index.size() + table->items.size());
    for (const auto& [name, value, at] : table->items) {
      const auto [found, fresh] = reading.node_index.try_emplace(name, static_cast<int>(reading.nodes.size()));
      if (fresh) {
        reading.nodes.push_back({name, value.at, &value});
        reading.node_names.push_back(name);
      }
      take_value(reading.problems, value, reading.nodes[found->second]);
    }
  }

  // Overrides: nodes.NAME=[x, y, z], nodes.NAME.key=value.
  for (const Override& override : reading.overrides) {
    if (override.path.front() != "nodes") continue;
    if (override.path.size() < 2) {
      reading.problems.add(Mark{override.source.get()}, "", "expected nodes.NAME=[x, y, z] or nodes.NAME.key=value");
      continue;
    }
    const Value* value = override.tree.find("nodes")->table()->find(override.path[1]);
    for (const size_t i : select(reading.node_names, override, "node", reading.problems)) {
      take_value(reading.problems, *value, reading.nodes[i]);
    }
  }
}

Axes read_fixed(Problems& problems, const Value& node, const std::string& key) {
  if (const bool* all = node.truth()) return {*all, *all, *all};
  if (node.list()) return to_axes(problems, node, key).value_or(Axes{false, false, false});
  problems.add(node.at, key,
               fmt::format("expected true, false or a list of axes such as [\"x\", \"z\"], got {}", describe(node)));
  return {false, false, false};
}

Node read_node(Problems& problems, const NodeEntry& entry, size_t index) {
  const KeyPath path{"nodes", -1, entry.name};
  Node node;
  node.name = entry.name;
  const Place where = place_of(entry.mark);
  node.place = {entry.mark.source->name, where.line, where.column, EntityKind::node};
  // Far from all others, so that a faulty position causes no further complaints.
  node.position = Vec3(1e6 * static_cast<double>(index + 1), 0.0, 0.0);
  if (entry.at) {
    const std::string key = entry.at == entry.self ? path.text("") : path.text("at");
    node.position = to_vector(problems, *entry.at, key).value_or(node.position);
    for (const Table* table : entry.at_components) lay_components(problems, *table, path.text("at"), node.position);
  } else if (entry.self->table()) {
    problems.add(entry.mark, path.text("at"), "is missing: expected a position [x, y, z]");
  }
  if (entry.velocity)
    node.velocity = to_vector(problems, *entry.velocity, path.text("velocity")).value_or(Vec3::Zero());
  for (const Table* table : entry.velocity_components)
    lay_components(problems, *table, path.text("velocity"), node.velocity);
  if (entry.mass) node.mass = to_number(problems, *entry.mass, path.text("mass")).value_or(0.0);
  if (entry.contact) {
    if (const bool* truth = entry.contact->truth())
      node.contact = *truth;
    else
      problems.add(entry.contact->at, path.text("contact"),
                   fmt::format("expected true or false, got {}", describe(*entry.contact)));
  }
  if (entry.fixed) node.fixed = read_fixed(problems, *entry.fixed, path.text("fixed"));
  return node;
}

}  // namespace

void read_nodes(Reading& reading) {
  collect_nodes(reading);
  std::vector<Node>& nodes = reading.scenario.model.nodes;
  nodes.reserve(reading.nodes.size());
  for (const NodeEntry& entry : reading.nodes) nodes.push_back(read_node(reading.problems, entry, nodes.size()));
}

std::optional<int> find_node(Reading& reading, const Value& name, const std::string& key) {
  const std::string* text = name.text();
  if (!text) {
    reading.problems.add(name.at, key, fmt::format("expected the name of a node in quotes, got {}", describe(name)));
    return std::nullopt;
  }
  const auto found = reading.node_index.find(*text);
  if (found != reading.node_index.end()) return found->second;
  reading.problems.add(
      name.at, key,
      fmt::format("there is no node {}{}", in_quotes(*text), reading.problems.did_you_mean(*text, reading.node_names)));
  return std::nullopt;
}

namespace {

// The list of nodes of a member, which an override may have replaced, and what it is called.
const Value& nodes_of(const MemberEntry& member, const Fields& fields) {
  return fields.level_of("nodes") > 0 ? *fields.find("nodes") : *member.nodes;
}

std::string nodes_key(const MemberEntry& member, const Fields& fields) {
  const bool in_group = member.path.item >= 0 && fields.level_of("nodes") <= 0;
  return in_group ? member.path.item_text() : member.path.text("nodes");
}

}  // namespace

void say_about_nodes(const MemberEntry& member, const Fields& fields, std::string message) {
  // A body of a machine may have no list.
  if (!member.nodes && !fields.has("nodes")) return fields.say("nodes", std::move(message));
  fields.problems().add(nodes_of(member, fields).at, nodes_key(member, fields), std::move(message));
}

std::optional<std::vector<int>> read_member_nodes(Reading& reading, const MemberEntry& member, const Fields& fields) {
  const Value& node = nodes_of(member, fields);
  const List* list = node.list();
  if (!list) {
    say_about_nodes(member, fields, fmt::format("expected a list of node names, got {}", describe(node)));
    return std::nullopt;
  }
  std::vector<int> path;
  path.reserve(list->size());
  bool good = true;
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string* text = (*list)[i].text();
    const auto found = text ? reading.node_index.find(*text) : reading.node_index.end();
    if (found != reading.node_index.end()) {
      path.push_back(found->second);
    } else {
      find_node(reading, (*list)[i], fmt::format("{}[{}]", nodes_key(member, fields), i));
      good = false;
    }
  }
  return good ? std::optional(std::move(path)) : std::nullopt;
}

}  // namespace taut
