// docs/model-format.md and the pages in docs/model describe every key that the reader knows, and no other; examples on
// pages are models; every page is in the index, and every link to a heading meets one.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "taut/file/keys.h"
#include "taut/file/write/write_toml.h"
#include "taut/generators/generators.h"
#include "tests/file/model_support.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

const std::filesystem::path docs = std::filesystem::path(TAUT_SOURCE_DIR) / "docs";

std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(docs))
    if (entry.path().extension() == ".md") result.push_back(entry.path());
  return result;
}

// The titles in a mark "<!-- keys: title, title -->"; none where the line is no mark.
std::vector<std::string> titles_of(const std::string& line) {
  const std::string mark = "<!-- keys: ";
  const size_t at = line.find(mark);
  if (at == std::string::npos) return {};
  std::istringstream names(line.substr(at + mark.size(), line.find(" -->", at) - at - mark.size()));
  std::vector<std::string> result;
  for (std::string name; std::getline(names >> std::ws, name, ',');) result.push_back(name);
  return result;
}

// The keys in the tables of the pages: rows "| `key` | ..." of the table that follows a mark belong to each of its
// titles.
std::map<std::string, std::set<std::string>> described_keys() {
  std::map<std::string, std::set<std::string>> result;
  for (const std::filesystem::path& path : pages()) {
    std::istringstream page(testing::contents(path));
    std::vector<std::string> titles;
    bool in_table = false;
    for (std::string line; std::getline(page, line);) {
      if (const std::vector<std::string> marked = titles_of(line); !marked.empty()) titles = marked;
      const bool row = line.starts_with("|");
      if (in_table && !row) titles.clear();
      in_table = row;
      if (!line.starts_with("| `")) continue;
      const std::string key = line.substr(3, line.find('`', 3) - 3);
      for (const std::string& title : titles)
        EXPECT_TRUE(result[title].insert(key).second) << path << ": " << title << ": " << key << " is described twice";
    }
  }
  return result;
}

TEST(Docs, EveryKeyIsDescribedAndNoOther) {
  std::map<std::string, std::set<std::string>> known;
  for (const keys::Section& section : keys::sections) {
    known[std::string(section.title)] = {section.keys.begin(), section.keys.end()};
  }
  EXPECT_EQ(described_keys(), known);
}

TEST(Docs, EveryGeneratorIsNamed) {
  const std::string page = testing::contents(docs / "model" / "generate.md");
  for (const Generator& generator : generators()) {
    EXPECT_NE(page.find("`" + generator.kind + "`"), std::string::npos) << generator.kind;
  }
}

// The ```toml blocks of every page whose first line starts with `beginning`.
std::vector<std::string> blocks(const std::string& beginning) {
  std::vector<std::string> result;
  for (const std::filesystem::path& path : pages()) {
    const std::string page = testing::contents(path);
    const std::string opening = "```toml\n";
    for (size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at + 1)) {
      const size_t begin = at + opening.size();
      const std::string text = page.substr(begin, page.find("```", begin) - begin);
      if (text.starts_with(beginning)) result.push_back(text);
    }
  }
  return result;
}

TEST(Docs, ExamplesAreModels) {
  const std::vector<std::string> examples = blocks("# model");
  EXPECT_GE(examples.size(), 20u);
  for (const std::string& text : examples) EXPECT_EQ(testing::problems_of(text), std::vector<std::string>{}) << text;
}

TEST(Docs, ExamplesThatBuildOnThePrism) {
  const testing::ScratchFolder folder;
  const Scenario prism = generate(*find_generator("prism"), {});
  std::ofstream(folder / "prism.toml") << to_toml(prism);
  const std::vector<std::string> examples = blocks("model = \"prism.toml\"");
  EXPECT_GE(examples.size(), 1u);
  for (const std::string& text : examples) {
    Scenario s;
    ASSERT_NO_THROW(s = read_scenario_text(text, (folder / "m.toml").string())) << text;
    EXPECT_EQ(s.model.cables.size(), prism.model.cables.size());  // replaced, not added
  }
}

// The links "](...)" of a page.
std::vector<std::string> links(const std::string& page) {
  std::vector<std::string> result;
  for (size_t at = page.find("]("); at != std::string::npos; at = page.find("](", at + 1))
    result.push_back(page.substr(at + 2, page.find(')', at) - at - 2));
  return result;
}

TEST(Docs, EveryPageIsInTheIndex) {
  const std::vector<std::string> index = links(testing::contents(docs / "README.md"));
  const std::set<std::string> linked(index.begin(), index.end());
  for (const std::filesystem::path& path : pages()) {
    const std::string name = path.lexically_relative(docs).generic_string();
    EXPECT_TRUE(name == "README.md" || linked.contains(name)) << name;
  }
}

// What a link can end in after "#": <a id="..."> and headings, as browsers see them: lower case, without punctuation,
// hyphens for spaces.
std::set<std::string> anchors(const std::string& page) {
  std::set<std::string> result;
  const std::string id = "<a id=\"";
  for (size_t at = page.find(id); at != std::string::npos; at = page.find(id, at + 1))
    result.insert(page.substr(at + id.size(), page.find('"', at + id.size()) - at - id.size()));
  std::istringstream lines(page);
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    if (code || !line.starts_with("#")) continue;
    std::string anchor;
    for (const char c : line.substr(line.find_first_not_of('#') + 1)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == ' ') anchor += '-';
      if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80) anchor += static_cast<char>(std::tolower(byte));
    }
    result.insert(anchor);
  }
  return result;
}

TEST(Docs, LinksToHeadingsMeetThem) {
  std::vector<std::filesystem::path> all = pages();
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) all.push_back(docs.parent_path() / page);
  for (const std::filesystem::path& path : all) {
    const std::string page = testing::contents(path);
    for (const std::string& link : links(page)) {
      const size_t hash = link.find('#');
      if (hash == std::string::npos || link.starts_with("http")) continue;
      const std::string there = hash == 0 ? page : testing::contents(path.parent_path() / link.substr(0, hash));
      EXPECT_TRUE(anchors(there).contains(link.substr(hash + 1))) << path << ": " << link;
    }
  }
}

}  // namespace
}  // namespace taut
