#include "taut/results/hdf5/matrices_hdf5.h"

#include <stdexcept>

#include "taut/results/hdf5/hdf5_handle.h"

namespace taut {

namespace {

Hdf5Handle must(hid_t id, herr_t (*close)(hid_t)) {
  if (id < 0) throw std::runtime_error("HDF5 could not build the file in memory");
  return {id, close};
}

}  // namespace

std::string matrices_hdf5(const std::vector<NamedMatrix>& matrices, const std::vector<NamedTexts>& texts) {
  const Hdf5Quiet quiet;
  const Hdf5Handle access = must(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, 1 << 16, 0);  // in memory, never on disk
  const Hdf5Handle file = must(H5Fcreate("matrices", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  for (const NamedMatrix& matrix : matrices) {
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = matrix.values;
    const hsize_t size[2] = {static_cast<hsize_t>(rows.rows()), static_cast<hsize_t>(rows.cols())};
    const Hdf5Handle space = must(H5Screate_simple(2, size, nullptr), H5Sclose);
    const Hdf5Handle set = must(
        H5Dcreate2(file, matrix.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    if (rows.size() > 0) H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data());
  }
  for (const NamedTexts& list : texts) {
    const Hdf5Handle type = must(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hsize_t size[1] = {list.values.size()};
    const Hdf5Handle space = must(H5Screate_simple(1, size, nullptr), H5Sclose);
    const Hdf5Handle set =
        must(H5Dcreate2(file, list.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    std::vector<const char*> pointers;
    for (const std::string& text : list.values) pointers.push_back(text.c_str());
    if (!pointers.empty())
      H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<const void*>(pointers.data()));
  }
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  std::string bytes(static_cast<std::size_t>(H5Fget_file_image(file, nullptr, 0)), '\0');
  H5Fget_file_image(file, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace taut
