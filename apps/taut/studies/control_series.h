// Columns of steered runs: how far from the path, how small the strains, how long.
#pragma once

#include "apps/taut/studies/study.h"
#include "taut/results/run.h"

namespace taut::reproduce {

double largest(const std::vector<double>& values);  // of their sizes

// Columns [0, count) minus those that come `count` later.
Series deviations(const Series& series, std::size_t count);
// Columns [first, first + count).
Series columns_of(const Series& series, std::size_t first, std::size_t count);
// The least of these.
double least(const Series& series, std::size_t first, std::size_t count);

// A run that did not get to its end is said; what it did until then counts.
void note_end(const Run& motion, const std::string& name, Findings& out);

}  // namespace taut::reproduce
