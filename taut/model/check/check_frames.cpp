// Rules for frames: their names, their nodes, and that these span a triangle at the start.
#include <fmt/format.h>

#include <unordered_set>

#include "taut/model/check/check_values.h"
#include "taut/model/shape/frame_pose.h"

namespace taut {

namespace {

void check_nodes(const Entity& entity, const Model& model, const Frame& frame) {
  for (size_t k = 0; k < frame.nodes.size(); ++k) {
    const int node = frame.nodes[k];
    if (node < 0 || static_cast<size_t>(node) >= model.nodes.size())
      return entity.say("nodes", fmt::format("refers to number {} of {}", node, model.nodes.size()));
    for (size_t other = 0; other < k; ++other)
      if (frame.nodes[other] == node)
        return entity.say("nodes", fmt::format("names \"{}\" twice: expected three nodes", model.nodes[node].name));
  }
}

}  // namespace

void check_frames(const Model& model, std::vector<Finding>& findings) {
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < model.frames.size(); ++i) {
    const Entity entity(findings, EntityKind::frame, static_cast<int>(i));
    const Frame& frame = model.frames[i];
    if (frame.name.empty())
      entity.say("frame", "is empty: expected a name");
    else if (frame.name == world_frame)
      entity.say("frame", fmt::format("\"{}\" is the frame that stands still: expected another name", frame.name));
    else if (!names.insert(frame.name).second)
      entity.say("frame", fmt::format("a second frame is called \"{}\"", frame.name));
    check_nodes(entity, model, frame);
    if (frame.relative_to == static_cast<int>(i))
      entity.say("relative_to", fmt::format("is the frame itself: expected another one, or \"{}\"", world_frame));
    else if (frame.relative_to < -1 || frame.relative_to >= static_cast<int>(model.frames.size()))
      entity.say("relative_to", fmt::format("refers to number {} of {}", frame.relative_to, model.frames.size()));
  }
}

void check_start_frames(const Model& model, std::vector<Finding>& findings) {
  for (size_t i = 0; i < model.frames.size(); ++i) {
    const auto corner = [&](int k) -> const Node& { return model.nodes[model.frames[i].nodes[k]]; };
    Pose pose;
    if (place_frame(corner(0).position, corner(1).position, corner(2).position, pose)) continue;
    std::string why = "the three nodes lie in one line at the start";
    for (int k = 0; k < 3; ++k) {
      const Node &one = corner(k), &next = corner((k + 1) % 3);
      if (one.position == next.position)
        why = fmt::format("\"{}\" and \"{}\" are at the same position at the start", one.name, next.name);
    }
    findings.push_back({EntityKind::frame, static_cast<int>(i), "nodes", why + ": expected the corners of a triangle"});
  }
}

}  // namespace taut
