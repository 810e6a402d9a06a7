// A run for ParaView: NAME.pvd lists the times, NAME/NAME-000000.vtp and so on hold a row each (XML PolyData, numbers
// in base64), NAME/members.csv the names.
//
// Points are the nodes, with `velocity` (m/s), `contact_force` (N, where there is any) and `fixed` (bits 1, 2, 4 for
// x, y, z). Lines are the bars, then the cables along their paths, with `kind` (0 bar, 1 cable), `member` (row in
// members.csv), `force` (N, tension positive), `strain` (of cables) and `radius` (m, of bars). Cables of pulleys come
// last, with what is wound on their drums. Triangles are bodies and drums (kind 2) and joints (kind 3), member -1;
// their corners, and the points of wound cables, follow after the nodes.
#pragma once

#include <cstddef>
#include <filesystem>

#include "taut/results/run.h"

namespace taut {

// Every `every`-th row and the last. The folder is written aside and takes its place when it is whole; the .pvd comes
// last. Throws RunError when something cannot be written, InputError when `pvd` cannot be.
void export_vtk(const Run& result, const std::filesystem::path& pvd, std::size_t every = 1);

// The rows that are kept: every `every`-th, and the last.
std::vector<std::size_t> kept_rows(std::size_t rows, std::size_t every);

}  // namespace taut
