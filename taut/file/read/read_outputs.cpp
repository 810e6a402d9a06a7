// [[outputs]]: frames on three nodes.
#include <fmt/format.h>

#include <algorithm>

#include "taut/file/keys.h"
#include "taut/file/read/read_sections.h"
#include "taut/model/shape/frame_pose.h"

namespace taut {

namespace {

// The three nodes; false if something was reported.
bool read_frame_nodes(Reading& reading, MemberEntry& entry, const Fields& fields, Frame& frame) {
  if (!fields.require("nodes", "the names of three nodes")) return false;
  entry.nodes = fields.find("nodes");
  const auto nodes = read_member_nodes(reading, entry, fields);
  if (!nodes) return false;
  if (nodes->size() != frame.nodes.size()) {
    say_about_nodes(entry, fields, fmt::format("expected three nodes, got a list of {}", nodes->size()));
    return false;
  }
  std::copy(nodes->begin(), nodes->end(), frame.nodes.begin());
  return true;
}

}  // namespace

void read_outputs(Reading& reading) {
  std::vector<MemberEntry> entries = collect_entries(reading.given(), "outputs", "frame", {"frame"});
  std::vector<Frame>& frames = reading.scenario.model.frames;
  std::unordered_map<std::string, int> index;  // -1: the frame is there, but faulty
  std::vector<int> place(entries.size(), -1);  // in the model, by entry
  for (size_t i = 0; i < entries.size(); ++i) {
    const Fields fields = entries[i].fields(reading.problems);
    fields.refuse_unknown(keys::output);
    Frame frame;
    const bool named = fields.require("frame", "the name of the frame");
    const std::optional<std::string> name = named ? fields.text("frame") : std::nullopt;
    const bool whole = read_frame_nodes(reading, entries[i], fields, frame);
    if (!name) continue;
    if (whole) {
      frame.name = *name;
      frame.place = entries[i].place(EntityKind::frame);
      place[i] = static_cast<int>(frames.size());
      frames.push_back(std::move(frame));
    }
    index.emplace(*name, place[i]);
  }

  // A frame may be named before it comes.
  std::vector<std::string_view> names;
  for (const auto& [name, at] : index) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (size_t i = 0; i < entries.size(); ++i) {
    const Fields fields = entries[i].fields(reading.problems);
    const std::optional<std::string> base = fields.text("relative_to");
    if (base && *base != world_frame) {
      const auto found = index.find(*base);
      if (found == index.end()) {
        fields.say("relative_to", fmt::format("there is no frame {}{}", in_quotes(*base),
                                              reading.problems.did_you_mean(*base, names)));
      } else if (place[i] >= 0) {
        frames[place[i]].relative_to = found->second;
      }
    }
    if (place[i] >= 0) reading.frames.push_back(std::move(entries[i]));
  }
}

}  // namespace taut
