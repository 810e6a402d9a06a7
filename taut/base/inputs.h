// The files that this process has read, so that no result takes the place of one. A program asks for that with
// protect_inputs(); a library that reads a file and writes it again does not want it, so without it nothing is kept.
#pragma once

#include <filesystem>

namespace taut {

void protect_inputs();  // from here on

// Whoever reads a file says so. Safe from several threads.
void note_input(const std::filesystem::path& file);

// Whether `file`, by whatever name or link, is one of them.
bool is_input(const std::filesystem::path& file);

}  // namespace taut
