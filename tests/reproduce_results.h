// The results of a study, computed once by the program and read back.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli_program.h"
#include "tests/scratch_folder.h"

namespace taut::testing {

class StudyFolder {
 public:
  explicit StudyFolder(std::vector<std::string> words) {
    words.insert(words.begin(), "reproduce");
    words.insert(words.end(), {"-o", "out"});
    outcome = run_program(words, folder_.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    results = nlohmann::json::parse(contents(path() / "results.json"));
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
