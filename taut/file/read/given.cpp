#include <fmt/format.h>

#include "taut/file/read/members.h"
#include "taut/file/read/model_file.h"

namespace taut {

namespace {

std::vector<MemberEntry> entries_of(const Given& given, std::string_view section) {
  if (section == "bars") return collect_members(given, section, "bar", "pairs");
  if (section == "cables") return collect_members(given, section, "cable", "paths");
  if (section == "actuators") return collect_entries(given, section, "actuator", {"cable", "joint", "bar"});
  if (section == "outputs") return collect_entries(given, section, "frame", {"frame"});
  if (section == "loads" || section == "targets") return collect_entries(given, section, section, {});
  return collect_entries(given, section, section, {"name"});
}

bool is_plain(std::string_view section) {
  return section == "environment" || section == "simulation" || section == "generate";
}

}  // namespace

std::vector<GivenEntity> ModelFile::given(std::string_view section, const std::vector<Override>& more) {
  std::vector<Override> overrides = overrides_;
  overrides.insert(overrides.end(), more.begin(), more.end());
  if (!is_plain(section) && section != "name" && section != "nodes" && section != "model") {
    Problems problems;
    std::vector<GivenEntity> entities;
    for (const MemberEntry& entry : entries_of({documents_, overrides, problems}, section)) {
      GivenEntity& entity = entities.emplace_back(GivenEntity{entry.name, {}});
      for (const Table* level : entry.levels) entity.levels.push_back(*level);
    }
    return entities;
  }
  GivenEntity whole;
  const auto take = [&](const Table& root) {
    const Value* value = root.find(section);
    if (value != nullptr && value->table() != nullptr) whole.levels.push_back(*value->table());
  };
  for (const Document& document : documents_) take(document.root);
  for (const Override& override : overrides) take(override.tree);
  return {std::move(whole)};
}

}  // namespace taut
