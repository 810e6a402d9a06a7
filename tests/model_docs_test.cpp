// docs/model-format.md describes every key that the reader knows, and no other; its examples are models.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "model_support.h"
#include "scratch_folder.h"
#include "taut/model/generators.h"
#include "taut/model/keys.h"
#include "taut/model/write_toml.h"

namespace taut {
namespace {

const std::filesystem::path docs = std::filesystem::path(TAUT_SOURCE_DIR) / "docs";

// The keys in the tables of the page: rows "| `key` | ..." after a mark "<!-- keys: title -->", up to the next heading.
std::map<std::string, std::set<std::string>> described_keys() {
  std::map<std::string, std::set<std::string>> result;
  std::istringstream page(testing::contents(docs / "model-format.md"));
  std::string section;
  for (std::string line; std::getline(page, line);) {
    const std::string mark = "<!-- keys: ";
    const size_t at = line.find(mark);
    if (line.starts_with("#")) section.clear();
    if (at != std::string::npos) {
      section = line.substr(at + mark.size(), line.find(" -->") - at - mark.size());
      result[section];
    }
    if (!section.empty() && line.starts_with("| `")) result[section].insert(line.substr(3, line.find('`', 3) - 3));
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
  const std::string page = testing::contents(docs / "model-format.md");
  for (const Generator& generator : generators()) {
    EXPECT_NE(page.find("`" + generator.kind + "`"), std::string::npos) << generator.kind;
  }
}

// The ```toml blocks of every page whose first line starts with `beginning`.
std::vector<std::string> blocks(const std::string& beginning) {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(docs)) {
    if (entry.path().extension() != ".md") continue;
    const std::string page = testing::contents(entry.path());
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
  EXPECT_GE(examples.size(), 8u);
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

}  // namespace
}  // namespace taut
