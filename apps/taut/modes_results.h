// What `taut modes` found, as text and files.
#pragma once

#include <filesystem>
#include <string>

#include "taut/answers/modes.h"

namespace taut {

void print_text(const ModesAnswer& answer, const std::string& output);

// modes.json, modes.csv, shapes.csv, prestress.csv (where asked for) and report.html (where there is a viewer),
// together or not at all. Opened before anything is computed.
void write_modes(const ModesAnswer& answer, const std::filesystem::path& folder, const std::string& title);

}  // namespace taut
