// Reads results back with plain HDF5 calls.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

namespace taut::testing {

class ResultFile {
 public:
  explicit ResultFile(const std::filesystem::path& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0) << path;
  }
  ~ResultFile() { H5Fclose(file_); }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  std::vector<std::size_t> shape(const char* set) const {
    const hid_t id = H5Dopen2(file_, set, H5P_DEFAULT), space = H5Dget_space(id);
    std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, extent.data(), nullptr);
    H5Sclose(space);
    H5Dclose(id);
    return {extent.begin(), extent.end()};
  }

  std::vector<double> numbers(const char* set) const {
    std::size_t count = 1;
    for (const std::size_t n : shape(set)) count *= n;
    std::vector<double> values(count);
    const hid_t id = H5Dopen2(file_, set, H5P_DEFAULT);
    EXPECT_GE(H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << set;
    H5Dclose(id);
    return values;
  }

  // A text or a list of texts at a data set, or at the root ("/").
  std::vector<std::string> texts(const char* object, const char* attribute) const {
    const hid_t id = H5Aopen_by_name(file_, object, attribute, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(id, 0) << object << "." << attribute;
    const hid_t space = H5Aget_space(id), type = H5Aget_type(id);
    std::vector<char*> pointers(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    std::vector<std::string> list;
    if (!pointers.empty()) {
      EXPECT_GE(H5Aread(id, type, pointers.data()), 0);
      list.assign(pointers.begin(), pointers.end());
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(id);
    return list;
  }
  std::string text(const char* object, const char* attribute) const { return texts(object, attribute).at(0); }

 private:
  hid_t file_;
};

}  // namespace taut::testing
