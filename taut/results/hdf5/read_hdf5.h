// Reads run.h5 back (record_hdf5.h says what it holds).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "taut/results/run.h"

namespace taut {

// `wanted` names the data sets to read besides `t`; empty: all. Throws InputError that names the file and says what was
// expected: no such file, not HDF5, damaged, not of taut, of a newer taut, a data set missing or of another shape.
Run read_run(const std::filesystem::path& file, const std::vector<std::string>& wanted = {});

// Whether the file begins as HDF5 files do.
bool looks_like_hdf5(const std::filesystem::path& file);
// Whether it is a run, whole enough to say so.
bool is_run_file(const std::filesystem::path& file);

}  // namespace taut
