// Named matrices and lists of names as an HDF5 file, whole in memory.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace taut {

struct NamedMatrix {
  std::string name;
  Eigen::MatrixXd values;
};
struct NamedTexts {
  std::string name;
  std::vector<std::string> values;
};

// The bytes of the file: a data set [rows, columns] of doubles for each matrix, one of texts for each list.
std::string matrices_hdf5(const std::vector<NamedMatrix>& matrices, const std::vector<NamedTexts>& texts);

}  // namespace taut
