#include "tests/apps/studies/results.h"

#include <regex>

#include "tests/support/support.h"

namespace taut::testing {
namespace {

const std::filesystem::path page = std::string(TAUT_SOURCE_DIR) + "/docs/published.md";

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::istringstream text(contents(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// "| a | b |" without the spaces that align it.
std::string tidied(const std::string& row) {
  std::string text;
  for (const char c : row)
    if (c != ' ' || text.empty() || text.back() != ' ') text += c;
  return text;
}

// Rows of a table, less its head.
std::vector<std::string> rows_of(const std::filesystem::path& file) {
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(file))
    if (line.starts_with("| ") && !line.starts_with("| paper ")) rows.push_back(tidied(line));
  return rows;
}

std::string paper_of(const std::string& row) { return row.substr(2, row.find(" |", 2) - 2); }

// Paper and quantity.
std::string key_of(const std::string& row) { return row.substr(0, row.find(" |", row.find(" |", 2) + 2)); }

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Those of a paper on the page; of a part of a study only those that it computes.
std::vector<std::string> shown_for(const std::vector<std::string>& rows, bool whole) {
  std::vector<std::string> shown;
  for (const std::string& row : rows_of(page)) {
    const auto same = [&](const std::string& other) { return key_of(other) == key_of(row); };
    if (paper_of(row) == paper_of(rows.front()) && (whole || std::any_of(rows.begin(), rows.end(), same)))
      shown.push_back(row);
  }
  return shown;
}

// The rows of a paper with those of a part of its study in their places; new ones at the end.
std::vector<std::string> merged(const std::vector<std::string>& part, const std::string& paper) {
  std::vector<std::string> all;
  for (const std::string& row : rows_of(page))
    if (paper_of(row) == paper) all.push_back(row);
  for (const std::string& row : part) {
    const auto old =
        std::find_if(all.begin(), all.end(), [&](const std::string& other) { return key_of(other) == key_of(row); });
    if (old != all.end())
      *old = row;
    else
      all.push_back(row);
  }
  return all;
}

// Word for word, numbers to 1 %.
bool agree(const std::vector<std::string>& shown, const std::vector<std::string>& computed) {
  ScratchFolder folder;
  write_text(folder / "shown", text_of(shown));
  write_text(folder / "computed", text_of(computed));
  const std::string rule = std::string(TAUT_SOURCE_DIR) + "/tests/house/page_prints.awk";
  return Program({"awk", "-v", "shown=shown", "-f", rule, "computed"}, folder.path()).wait().exit_code == 0;
}

// The rows of the paper, where they stand; at the end if they are new.
void take_over(const std::vector<std::string>& rows, const std::string& paper) {
  std::vector<std::string> lines;
  bool placed = false;
  const auto place = [&] {
    if (!placed) lines.insert(lines.end(), rows.begin(), rows.end());
    placed = true;
  };
  for (const std::string& line : lines_of(page)) {
    const bool old = line.starts_with("| ") && paper_of(tidied(line)) == paper;
    if (old)
      place();
    else
      lines.push_back(line);
  }
  place();
  write_text(page, text_of(lines));
}

}  // namespace

void expect_on_the_page(const std::filesystem::path& table, Page compared) {
  const std::vector<std::string> rows = rows_of(table);
  ASSERT_FALSE(rows.empty());
  const bool whole = compared == Page::whole;
  if (const char* update = std::getenv("TAUT_UPDATE_PAGES"); update && std::string(update) == "1") {
    // Digits that a part, or another tolerance, does not have stay as they are.
    if (whole)
      take_over(rows, paper_of(rows.front()));
    else if (!agree(shown_for(rows, whole), rows))
      take_over(merged(rows, paper_of(rows.front())), paper_of(rows.front()));
  }
  const std::vector<std::string> shown = shown_for(rows, whole);
  // Sanitizers come with other instructions, which round in another way.
  const bool to_the_letter = whole && std::getenv("TAUT_PROGRAM") == nullptr;
  EXPECT_TRUE(to_the_letter ? shown == rows : agree(shown, rows))
      << page.string() << " shows\n"
      << text_of(shown) << "computed is\n"
      << text_of(rows) << "TAUT_UPDATE_PAGES=1 takes this over";
  // What the paper prints or says, and what the study assumed, is told of every row.
  for (const std::string& row : rows) {
    EXPECT_EQ(row.find("| |"), std::string::npos) << row;
    EXPECT_EQ(std::count(row.begin(), row.end(), '|'), 7) << row;
  }
}

void expect_readable(const std::filesystem::path& folder, const std::string& printed) {
  EXPECT_FALSE(std::regex_search(printed, std::regex("[0-9]+ values\\b"))) << printed;
  EXPECT_TRUE(std::regex_search(printed, std::regex("\n[^\n]*(\\((19|20)[0-9]{2}\\)|Berkeley chapter): ")))
      << "no authors, year and title in the second line of\n"
      << printed;
  const nlohmann::json results = nlohmann::json::parse(contents(folder / "results.json"));
  for (const auto& [name, number] : results.items())
    EXPECT_NE(number.at("unit"), "degrees") << name << ": deg, as everywhere";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string extension = entry.path().extension();
    if (extension == ".html" || extension == ".csv") continue;
    const std::string text = contents(entry.path());
    for (const char* word : {"seed", "Seed"}) EXPECT_EQ(text.find(word), std::string::npos) << entry.path();
    std::smatch label;
    if (extension == ".svg") {
      EXPECT_FALSE(std::regex_search(text, label, std::regex(">[^<>]*(_|, degrees)[^<>]*<")))
          << entry.path() << ": " << label[0];
    }
    if (extension == ".svg" && std::regex_search(text, label, std::regex("rotate\\(-90\\)[^>]*>([^<]*)<"))) {
      EXPECT_TRUE(std::regex_match(label[1].str(), std::regex("[^,]{3,}, .+|strain|coordinate( y)?")))
          << entry.path() << ": " << label[1];
    }
  }
}

}  // namespace taut::testing
