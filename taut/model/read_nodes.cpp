#include <fmt/format.h>

#include <algorithm>

#include "taut/model/keys.h"
#include "taut/model/read_parts.h"

namespace taut {

namespace {

// Lays one value (a position, or a table) over what is known of a node.
void take_value(Problems& problems, const toml::node& value, NodeEntry& entry) {
  const KeyPath path{"nodes", -1, entry.name};
  if (value.is_array()) {
    entry.at = &value;
    entry.at_components.clear();
    return;
  }
  const toml::table* table = value.as_table();
  if (!table) {
    return problems.add(value.source(), path.text(""),
                        fmt::format("expected a position [x, y, z] or a table with `at`, got {}", describe(value)));
  }
  if (replaces_whole(value)) entry = NodeEntry{.name = entry.name, .self = entry.self};
  Fields(problems, path, {table}, table).refuse_unknown(keys::node);
  const auto take = [table](const char* key, const toml::node*& slot) {
    if (const toml::node* node = table->get(key)) slot = node;
  };
  // A vector as a whole, or components of it on top of what is there.
  const auto take_vector = [table](const char* key, const toml::node*& slot,
                                   std::vector<const toml::table*>& components, bool from_zero) {
    const toml::node* node = table->get(key);
    if (!node) return;
    if ((slot || from_zero) && is_override(*node) && node->is_table() && !replaces_whole(*node)) {
      components.push_back(node->as_table());
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

// toml++ sorts a table by name; the order of nodes is the order in the file.
std::vector<std::pair<std::string_view, const toml::node*>> in_file_order(const toml::table& table) {
  std::vector<std::tuple<toml::source_index, toml::source_index, std::string_view, const toml::node*>> found;
  found.reserve(table.size());
  for (const auto& [key, value] : table) {
    const toml::source_position at = key.source().begin;
    found.emplace_back(at.line, at.column, key.str(), &value);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::pair<std::string_view, const toml::node*>> result;
  result.reserve(found.size());
  for (const auto& [line, column, name, value] : found) result.emplace_back(name, value);
  return result;
}

void collect_nodes(Reading& reading) {
  for (const Document& document : reading.documents) {
    const toml::node* section = document.root.get("nodes");
    if (!section) continue;
    const toml::table* table = section->as_table();
    if (!table) {
      reading.problems.add(
          section->source(), "nodes",
          fmt::format("expected a table [nodes] with lines name = [x, y, z], got {}", describe(*section)));
      continue;
    }
    reading.node_index.reserve(reading.node_index.size() + table->size());
    for (const auto& [name, value] : in_file_order(*table)) {
      const auto [found, fresh] = reading.node_index.try_emplace(name, static_cast<int>(reading.nodes.size()));
      if (fresh) {
        reading.nodes.push_back({name, value});
        reading.node_names.push_back(name);
      }
      take_value(reading.problems, *value, reading.nodes[found->second]);
    }
  }

  // Overrides: nodes.NAME=[x, y, z], nodes.NAME.key=value.
  for (const Override& override : reading.overrides) {
    if (override.path.front() != "nodes") continue;
    if (override.path.size() < 2) {
      reading.problems.add(Place{override.source, 0, 0}, override.key,
                           "expected nodes.NAME=[x, y, z] or nodes.NAME.key=value");
      continue;
    }
    const toml::node* value = override.tree.get_as<toml::table>("nodes")->get(override.path[1]);
    for (const size_t i : select(reading.node_names, override, "node", reading.problems)) {
      take_value(reading.problems, *value, reading.nodes[i]);
    }
  }
}

Axes read_fixed(Problems& problems, const toml::node& node, const std::string& key) {
  if (node.is_boolean()) {
    const bool all = node.as_boolean()->get();
    return {all, all, all};
  }
  if (node.is_array()) return to_axes(problems, node, key).value_or(Axes{false, false, false});
  problems.add(node.source(), key,
               fmt::format("expected true, false or a list of axes such as [\"x\", \"z\"], got {}", describe(node)));
  return {false, false, false};
}

Node read_node(Problems& problems, const NodeEntry& entry, size_t index) {
  const KeyPath path{"nodes", -1, entry.name};
  Node node;
  node.name = entry.name;
  // Far from all others, so that a faulty position causes no further complaints.
  node.position = Vec3(1e6 * static_cast<double>(index + 1), 0.0, 0.0);
  if (entry.at) {
    const std::string key = entry.at == entry.self ? path.text("") : path.text("at");
    node.position = to_vector(problems, *entry.at, key).value_or(node.position);
    for (const toml::table* table : entry.at_components)
      lay_components(problems, *table, path.text("at"), node.position);
  } else if (entry.self->is_table()) {
    problems.add(entry.self->source(), path.text("at"), "is missing: expected a position [x, y, z]");
  }
  if (entry.velocity)
    node.velocity = to_vector(problems, *entry.velocity, path.text("velocity")).value_or(Vec3::Zero());
  for (const toml::table* table : entry.velocity_components)
    lay_components(problems, *table, path.text("velocity"), node.velocity);
  if (entry.mass) node.mass = to_number(problems, *entry.mass, path.text("mass")).value_or(0.0);
  if (entry.contact) {
    if (const auto* truth = entry.contact->as_boolean())
      node.contact = truth->get();
    else
      problems.add(entry.contact->source(), path.text("contact"),
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

std::optional<int> find_node(Reading& reading, const toml::node& name, const std::string& key) {
  const auto* text = name.as_string();
  if (!text) {
    reading.problems.add(name.source(), key,
                         fmt::format("expected the name of a node in quotes, got {}", describe(name)));
    return std::nullopt;
  }
  const auto found = reading.node_index.find(text->get());
  if (found != reading.node_index.end()) return found->second;
  reading.problems.add(name.source(), key,
                       fmt::format("there is no node {}{}", in_quotes(text->get()),
                                   reading.problems.did_you_mean(text->get(), reading.node_names)));
  return std::nullopt;
}

namespace {

// The list of nodes of a member, which an override may have replaced, and what it is called.
const toml::node& nodes_of(const Member& member, const Fields& fields) {
  return fields.level_of("nodes") > 0 ? *fields.find("nodes") : *member.nodes;
}

std::string nodes_key(const Member& member, const Fields& fields) {
  const bool in_group = member.path.item >= 0 && fields.level_of("nodes") <= 0;
  return in_group ? member.path.item_text() : member.path.text("nodes");
}

}  // namespace

void say_about_nodes(const Member& member, const Fields& fields, std::string message) {
  fields.problems().add(nodes_of(member, fields).source(), nodes_key(member, fields), std::move(message));
}

std::optional<std::vector<int>> read_member_nodes(Reading& reading, const Member& member, const Fields& fields) {
  const toml::node& node = nodes_of(member, fields);
  const toml::array* list = node.as_array();
  if (!list) {
    say_about_nodes(member, fields, fmt::format("expected a list of node names, got {}", describe(node)));
    return std::nullopt;
  }
  std::vector<int> path;
  path.reserve(list->size());
  bool good = true;
  for (size_t i = 0; i < list->size(); ++i) {
    const auto* text = (*list)[i].as_string();
    const auto found = text ? reading.node_index.find(text->get()) : reading.node_index.end();
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
