// What `taut modes` found, as text, JSON and files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "taut/model/scenario.h"
#include "taut/report/report_modes.h"

namespace taut {

struct ModesResult {
  Scenario scenario;        // as analysed: settled, where that was asked for
  std::string formulation;  // in which the modes were computed
  ModalAnalysis modes;
  double imbalance = 0.0;  // of the start shape: largest net node force over mean member force
  std::string worst;       // where it is largest
  std::vector<std::string> slack;
  int rigid_motions = -1;  // that supports leave free; -1: not counted in a machine
  std::string settled;     // what settling did; empty: it was not asked for
  std::vector<PrestressRow> prestress;

  bool in_balance() const { return imbalance <= 1e-6; }  // what rounding of the numbers in a file leaves
};

void print_text(const ModesResult& result, const std::string& output);
std::string json_text(const ModesResult& result);

// modes.json, modes.csv, shapes.csv, prestress.csv (where asked for) and report.html (where there is a viewer),
// together or not at all. Opened before anything is computed.
void write_modes(const ModesResult& result, const std::filesystem::path& folder, const std::string& title);

}  // namespace taut
