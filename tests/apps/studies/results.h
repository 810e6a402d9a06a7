// The results of a study, computed once by the program and read back. A study with its own settings is also held against
// the page of all published numbers, docs/published.md: its rows there are those that it computes.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/program.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {

// What of a paper's rows on docs/published.md a study computes.
enum class Page {
  none,
  part,  // some, or with another tolerance: word for word, numbers to 1 % by the rule of all pages (page_prints.awk)
  whole  // all, to the letter
};

// Whether the rows of a paper on docs/published.md are those of `table` (Markdown). With TAUT_UPDATE_PAGES=1 in the
// environment the page takes them over.
void expect_on_the_page(const std::filesystem::path& table, Page compared);

// Lists are printed, not counted; axes are quantities with units; papers have authors and years.
void expect_readable(const std::filesystem::path& folder, const std::string& printed);

class StudyFolder {
 public:
  // `changed`: what a study with other settings still computes of the page.
  explicit StudyFolder(std::vector<std::string> words, Page changed = Page::none) {
    const bool as_it_is = std::find(words.begin(), words.end(), "--set") == words.end();
    words.insert(words.begin(), "reproduce");
    words.insert(words.end(), {"-o", "out"});
    outcome = run_program(words, folder_.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    results = nlohmann::json::parse(contents(path() / "results.json"));
    if (as_it_is || changed != Page::none)
      expect_on_the_page(path() / "published.md", as_it_is ? Page::whole : changed);
    expect_readable(path(), outcome.out);
  }

  std::filesystem::path path() const { return folder_ / "out"; }
  double value(const std::string& name) const { return results.at(name).at("value").get<double>(); }
  std::vector<double> list(const std::string& name) const {
    return results.at(name).at("value").get<std::vector<double>>();
  }

  // Columns of a series, the abscissa first.
  std::vector<std::vector<double>> series(const std::string& file) const {
    std::istringstream text(contents(path() / file));
    std::string line, cell;
    std::getline(text, line);
    std::vector<std::vector<double>> columns(1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')));
    while (std::getline(text, line)) {
      std::istringstream cells(line);
      for (auto& column : columns) {
        std::getline(cells, cell, ',');
        column.push_back(std::stod(cell));
      }
    }
    return columns;
  }

  Outcome outcome;
  nlohmann::json results;

 private:
  ScratchFolder folder_;
};

}  // namespace taut::testing
