// Files that are no models at all, or no TOML: a message with its place, never a crash. And how misspelt words find
// theirs.
#include <gtest/gtest.h>

#include <fstream>

#include "taut/base/text/suggest.h"
#include "tests/file/model_support.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using namespace std::string_literals;
using testing::problems_of;
using Strings = std::vector<std::string>;

TEST(HostileFiles, SyntaxWithItsPlace) {
  const auto place = [](std::string_view text) {
    const Strings found = problems_of(text);
    return found.size() == 1 ? found[0].substr(0, found[0].find(' ')) : "not one problem";
  };
  EXPECT_EQ(place("name = \"x\"\nnodes = [1, 2\n[[bars]]\n"), "m.toml:3:1:");
  EXPECT_EQ(place("name = \n"), "m.toml:1:8:");
  EXPECT_EQ(place("name = \"x"), "m.toml:1:10:");
  EXPECT_EQ(place("[nodes\n"), "m.toml:1:7:");
  EXPECT_EQ(place("a = 1\n[[[\n"), "m.toml:2:3:");
  EXPECT_EQ(place("a = 1\n\nb = [}\n"), "m.toml:3:6:");
  EXPECT_EQ(place("a = \"\xff\""), "m.toml:1:5:");
}

TEST(HostileFiles, FilesThatAreNoModels) {
  const testing::ScratchFolder folder;
  const auto message = [&](const std::string& file) {
    try {
      read_scenario(file);
      return std::string("read");
    } catch (const InputError& error) {
      return std::string(error.what()).substr(file.size());
    }
  };
  const auto put = [&](const std::string& text) {
    const std::string file = (folder / "f.toml").string();
    std::ofstream(file, std::ios::binary) << text;
    return file;
  };
  EXPECT_EQ(message(folder.path().string()), ": is a folder: expected a file");
  EXPECT_EQ(message((folder / "none.toml").string()), ": cannot be opened: No such file or directory");
  EXPECT_EQ(message(put("")), ":1:1: nodes: the model has no nodes");
  EXPECT_EQ(message(put("name = \"x\"\nb\0"s)), ":2:2: holds a zero byte: expected a text file");
  EXPECT_EQ(message(put("\x7f"
                        "ELF\x02\x01"))
                .substr(0, 6),
            ":1:1: ");
  EXPECT_EQ(message(put(std::string(1000, '['))), ":1:101: is nested more than 100 levels deep");
  EXPECT_EQ(message(put("a = " + std::string(10000, '['))), ":1:105: is nested more than 100 levels deep");
  std::string dotted = "a", inline_tables = "a = ";
  for (int i = 0; i < 10000; ++i) dotted += ".a", inline_tables += "{ a = ";
  EXPECT_EQ(message(put(dotted + " = 1")), ":1:202: is nested more than 100 levels deep");
  EXPECT_EQ(message(put("[" + dotted + "]\n")), ":1:201: is nested more than 100 levels deep");
  EXPECT_EQ(message(put(inline_tables)), ":1:605: is nested more than 100 levels deep");
  // Dots in texts, comments and numbers are no nesting; nor are brackets.
  const std::string dots(500, '.'), brackets(500, '[');
  EXPECT_EQ(message(put("# " + dots + brackets + "\nname = \"" + dots + brackets + "\"\n[nodes]\n\"" + dots +
                        "\" = { at = [0.5, 0.25, 0.125], mass = 1.5 }\n")),
            "read");
  EXPECT_EQ(message(put("name = '''" + dots + "\n" + brackets + "''''\n")), ":1:1: nodes: the model has no nodes");
  // Larger than any sensible file: refused before it is parsed.
  EXPECT_EQ(message(put(std::string(100'000'000, '['))), ": is larger than 64 MB");
}

TEST(Suggest, NearestWord) {
  const std::vector<std::string_view> words = {"stiffness", "strain", "mass", "mass_model", "EA", "nodes"};
  EXPECT_EQ(nearest_word("stifness", words), "stiffness");
  EXPECT_EQ(nearest_word("Stiffness", words), "stiffness");
  EXPECT_EQ(nearest_word("stiffnses", words), "stiffness");
  EXPECT_EQ(unknown_word("tru\ne", {"true", "false"}),
            R"("tru\ne" is not known: expected one of true, false (did you mean "true"?))");
  EXPECT_EQ(nearest_word("msas", words), "mass");
  EXPECT_EQ(nearest_word("mass_modle", words), "mass_model");
  EXPECT_EQ(nearest_word("ea", words), "EA");
  EXPECT_EQ(nearest_word("colour", words), "");
  EXPECT_EQ(nearest_word("x", words), "");
  EXPECT_EQ(edit_distance("kitten", "sitting", 9), 3);
  EXPECT_EQ(edit_distance("ab", "ba", 9), 1);
  EXPECT_EQ(edit_distance("", "abc", 9), 3);
  EXPECT_EQ(edit_distance("abcdef", "ghijkl", 2), 3);  // more than 2
}

}  // namespace
}  // namespace taut
