#include "apps/taut/draft_of.h"

#include <optional>
#include <utility>

#include "taut/base/text/toml_text.h"
#include "taut/file/override.h"
#include "taut/file/read/parse_toml.h"

namespace taut {

Draft draft_of(const std::string& file, const std::vector<std::string>& set) {
  Problems problems;
  std::vector<std::pair<std::string, Value>> values;
  for (const std::string& text : set) {
    const std::optional<Override> given = parse_override(text, problems);
    if (!given) continue;
    std::string key;
    const Table* table = &given->tree;
    const Value* value = nullptr;
    for (const std::string& part : given->path) {
      key += (key.empty() ? "" : ".") + (part == "*" ? part : toml_key(part));
      value = table->find(part);
      table = value->table();
    }
    values.emplace_back(key, *value);
  }
  problems.throw_if_any();
  Draft draft = Draft::from_parts(read_text_file(file), file, {}, {});
  if (!values.empty()) draft.set(values);
  draft.scenario();
  return draft;
}

}  // namespace taut
