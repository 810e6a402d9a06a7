// What `taut view`, `taut plot` and `taut export` are pointed at: a folder of results, its run.h5, a page, or a model
// file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "taut/results/run.h"

namespace taut {

enum class ResultKind { folder, run, page, model };

// By what the file begins with, then by its name. Throws InputError when there is nothing of that name.
ResultKind kind_of(const std::filesystem::path& path);

// The rows of a run: of a folder's run.h5, of a run.h5, or the start shape of a model file as one row. `wanted` as for
// read_run. Throws InputError.
Run load_result(const std::filesystem::path& path, const std::vector<std::string>& wanted = {});

// "flight" for flight/, flight/run.h5 and flight.toml: what files made from it are called.
std::string stem_of(const std::filesystem::path& path);

}  // namespace taut
