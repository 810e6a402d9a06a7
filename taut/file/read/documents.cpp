#include "taut/file/read/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "taut/file/read/fields.h"
#include "taut/file/read/parse_toml.h"

namespace taut {

namespace {

// The same file by whatever path it is reached.
std::string identity(const std::string& file) {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::weakly_canonical(file, failed);
  return failed ? file : path.string();
}

// Which file a document builds on; empty if on none. `model` may also come from an override.
std::string base_of(const Document& document, const Override* from_override, Problems& problems, const Value*& key) {
  Levels levels = {&document.root};
  if (from_override) levels.push_back(&from_override->tree);
  const Fields fields(problems, KeyPath{""}, std::move(levels), document.root.at);
  key = fields.find("model");
  const std::string base = fields.text("model").value_or("");
  if (key && key->text() && base.empty()) fields.say("model", "is empty: expected the path of a model file");
  return base.empty() ? "" : path_beside(document.file(), base);
}

std::string read_base(const std::string& file, const Value& key, Problems& problems) {
  try {
    return read_text_file(file);
  } catch (const InputError& error) {
    problems.add(key.at, "model", fmt::format("{} {}", in_quotes(file), error.problems().front().message));
    problems.throw_if_any();
    throw;
  }
}

}  // namespace

std::string path_beside(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

std::vector<Document> load_documents(std::string_view text, const std::string& file,
                                     const std::vector<Override>& overrides, Problems& problems) {
  constexpr size_t longest_chain = 100;
  const Override* from_override = nullptr;
  for (const Override& o : overrides) {
    if (o.path.front() == "model") from_override = &o;
  }

  std::vector<Document> chain;  // strongest first
  std::vector<std::string> seen;
  std::string current = file, base_text;
  while (true) {
    problems.announce_file(current);
    seen.push_back(identity(current));
    try {
      auto source = std::make_shared<const Source>(Source{.name = std::make_shared<const std::string>(current)});
      Table root = parse_toml(chain.empty() ? text : base_text, *source);
      chain.push_back({std::move(source), std::move(root)});
    } catch (const InputError& error) {
      problems.add(error);
      problems.throw_if_any();
    }
    const Value* key = nullptr;
    const std::string base = base_of(chain.back(), chain.size() == 1 ? from_override : nullptr, problems, key);
    if (base.empty()) break;

    // Around in a circle, or without end.
    if (std::find(seen.begin(), seen.end(), identity(base)) != seen.end() || chain.size() == longest_chain) {
      std::string way;
      for (const Document& document : chain) way += document.file() + " -> ";
      problems.add(key->at, "model", fmt::format("the files build on each other in a circle: {}{}", way, base));
      problems.throw_if_any();
    }
    base_text = read_base(base, *key, problems);
    current = base;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace taut
