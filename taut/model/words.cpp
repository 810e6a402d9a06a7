#include "taut/model/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/base/text/text.h"

namespace taut {

namespace {

// Whether one of an owner's nodes is called as add_body_nodes calls what it appends: "<owner>.<number>", touching nothing.
bool called_appended(const Node& node, const std::string& owner) {
  if (node.contact || !node.name.starts_with(owner + ".") || node.name.size() == owner.size() + 1) return false;
  return std::all_of(node.name.begin() + static_cast<long>(owner.size()) + 1, node.name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

bool appended(const Model& model, int node, const std::string& owner, const std::vector<int>& list) {
  return called_appended(model.nodes[node], owner) && std::find(list.begin(), list.end(), node) != list.end();
}

// What the file names.
std::size_t named_nodes(const Model& model) {
  std::size_t count = model.nodes.size();
  const auto leave_out = [&](const std::string& owner, const std::vector<int>& list) {
    for (const int node : list) count -= called_appended(model.nodes[node], owner);
  };
  for (const Body& body : model.bodies) leave_out(body.name, body.nodes);
  for (const Bar& bar : model.bars) leave_out(bar.name, bar.attached);
  return count;
}

}  // namespace

std::string counts_text(const Model& model) {
  const auto some = [](std::size_t n, const char* one, const char* many) {
    return n == 0 ? std::string() : plural(n, one, many) + ", ";
  };
  return fmt::format("{}, {}, {}{}{}{}", plural(named_nodes(model), "node", "nodes"),
                     plural(model.bars.size(), "bar", "bars"), some(model.bodies.size(), "body", "bodies"),
                     some(model.joints.size(), "joint", "joints"), some(model.pulleys.size(), "pulley", "pulleys"),
                     plural(model.cables.size(), "cable", "cables"));
}

std::string slack_text(const Model& model, const std::vector<int>& cables) {
  const std::vector<std::string> names = cable_names(model, cables);
  return fmt::format("{} no tension at the start: {}.",
                     names.size() == 1 ? "One cable has" : fmt::format("{} cables have", names.size()),
                     listed(names, 10));
}

std::vector<std::string> cable_names(const Model& model, const std::vector<int>& cables) {
  std::vector<std::string> names;
  for (const int cable : cables) names.push_back(cable_name(model, cable));
  return names;
}

const std::string& cable_name(const Model& model, int index) {
  const std::size_t i = static_cast<std::size_t>(index), cables = model.cables.size();
  return i < cables ? model.cables[i].name : model.pulleys.at(i - cables).name;
}

bool is_appended(const Model& model, int node, const Body& body) {
  return appended(model, node, body.name, body.nodes);
}

std::string place_text(const Model& model, int node) {
  for (const Bar& bar : model.bars)
    if (appended(model, node, bar.name, bar.attached)) return "bar " + bar.name;
  for (const Body& body : model.bodies)
    if (appended(model, node, body.name, body.nodes)) return "body " + body.name;
  return "node " + model.nodes[node].name;
}

}  // namespace taut
