// What an HDF5 file holds, read by a child process. HDF5 1.10 crashes or loops on damaged files; then the child dies,
// and this process learns that the file is damaged. Bounds on what is read do not replace the child: HDF5 fails where it
// opens a file and follows its own tables, before there is a size to look at (tests/results/read_test.cpp).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace taut {

struct Hdf5Numbers {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

struct Hdf5Contents {
  std::optional<long> format;                  // attribute `format` of the root
  std::map<std::string, std::string> texts;    // data sets that hold one text of fixed length
  std::map<std::string, Hdf5Numbers> numbers;  // data sets of floating-point numbers
};

// Those of the named data sets that are there and of their kind. Throws InputError that names the file when it cannot
// be read: no such file, not HDF5, damaged, more than fits into memory.
Hdf5Contents read_hdf5_contents(const std::filesystem::path& file, const std::vector<std::string>& texts,
                                const std::vector<std::string>& numbers);

}  // namespace taut
