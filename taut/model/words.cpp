#include "taut/model/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/base/text.h"

namespace taut {

namespace {

// Whether the node is one that add_body_nodes has appended: "<owner>.<number>", touching nothing.
bool appended(const Model& model, int node, const std::string& owner, const std::vector<int>& list) {
  const Node& n = model.nodes[node];
  if (n.contact || std::find(list.begin(), list.end(), node) == list.end()) return false;
  if (!n.name.starts_with(owner + ".") || n.name.size() == owner.size() + 1) return false;
  return std::all_of(n.name.begin() + static_cast<long>(owner.size()) + 1, n.name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string counts_text(const Model& model) {
  const auto some = [](std::size_t n, const char* one, const char* many) {
    return n == 0 ? std::string() : plural(n, one, many) + ", ";
  };
  return fmt::format("{}, {}, {}{}{}{}", plural(model.nodes.size(), "node", "nodes"),
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

std::string place_text(const Model& model, int node) {
  for (const Bar& bar : model.bars)
    if (appended(model, node, bar.name, bar.attached)) return "bar " + bar.name;
  for (const Body& body : model.bodies)
    if (appended(model, node, body.name, body.nodes)) return "body " + body.name;
  return "node " + model.nodes[node].name;
}

}  // namespace taut
