#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

#include "taut/results/hdf5/hdf5_handle.h"
#include "taut/results/hdf5/record_hdf5_driver.h"
#include "taut/sweep/table/table.h"

namespace taut {

namespace {

constexpr long most_chunk_rows = 8192;

// One column that grows by whole chunks.
class Column {
 public:
  Column(Hdf5Handle set, Hdf5Handle type) : set_(std::move(set)), type_(std::move(type)) {}
  // Negative when HDF5 refuses.
  herr_t append(const void* values, hsize_t count) {
    const hsize_t size = written_ + count;
    if (H5Dset_extent(set_, &size) < 0) return -1;
    const Hdf5Handle file(H5Dget_space(set_), H5Sclose), memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(file, H5S_SELECT_SET, &written_, nullptr, &count, nullptr) < 0) return -1;
    written_ = size;
    return H5Dwrite(set_, type_, memory, file, H5P_DEFAULT, values);
  }

 private:
  Hdf5Handle set_, type_;
  hsize_t written_ = 0;
};

class TableFile {
 public:
  TableFile(OutputFile& output, hsize_t chunk) : output_(output), chunk_(chunk) {
    const Hdf5Handle access = must(descriptor_access(output, &write_error_), H5Pclose);
    const Hdf5Handle creation = must(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    must(H5Pset_obj_track_times(creation, false));  // the same rows give the same bytes
    file_ = must(H5Fcreate(output.path().c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  }

  template <class Result>
  Result must(Result result) {
    if (write_error_ != 0) output_.fail(std::generic_category().message(write_error_), 0.0);
    if (result < 0) output_.fail("HDF5: " + hdf5_error(), 0.0);
    return result;
  }
  Hdf5Handle must(hid_t id, herr_t (*close_id)(hid_t)) { return Hdf5Handle(must(id), close_id); }

  Column column(const std::string& name, Hdf5Handle type) {
    const hsize_t none = 0, most = H5S_UNLIMITED;
    const Hdf5Handle space = must(H5Screate_simple(1, &none, &most), H5Sclose);
    const Hdf5Handle creation = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    must(H5Pset_chunk(creation, 1, &chunk_));
    must(H5Pset_obj_track_times(creation, false));
    Hdf5Handle set = must(H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
    return Column(std::move(set), std::move(type));
  }
  Hdf5Handle type(hid_t of) { return must(H5Tcopy(of), H5Tclose); }
  Hdf5Handle text_type(std::size_t size) {
    Hdf5Handle text = type(H5T_C_S1);
    must(H5Tset_size(text, size));
    must(H5Tset_cset(text, H5T_CSET_UTF8));
    return text;
  }
  void close() {
    must(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    file_ = Hdf5Handle();
    must(0);
  }

 private:
  OutputFile& output_;
  const hsize_t chunk_;  // rows
  int write_error_ = 0;
  Hdf5Handle file_;
};

}  // namespace

void write_table_hdf5(OutputFile& output, const std::vector<TableColumn>& columns, long count, const TableRows& rows) {
  const Hdf5Quiet quiet;
  const auto chunk = static_cast<hsize_t>(std::clamp(count, 1L, most_chunk_rows));
  TableFile file(output, chunk);
  {
    Column run = file.column("run", file.type(H5T_NATIVE_LONG));
    std::vector<Column> values;
    for (const TableColumn& column : columns)
      values.push_back(
          file.column(column.name, column.texts.empty() ? file.type(H5T_NATIVE_DOUBLE) : file.text_type(H5T_VARIABLE)));
    constexpr std::size_t status_size = 8;
    Column status = file.column("status", file.text_type(status_size));
    Column reason = file.column("reason", file.text_type(H5T_VARIABLE));

    std::vector<long> runs;
    std::vector<std::vector<double>> waiting(columns.size());
    std::vector<std::array<char, status_size>> states;
    std::vector<std::string> reasons;
    std::vector<const char*> texts;
    const auto flush = [&] {
      const hsize_t waits = runs.size();
      if (waits == 0) return;
      file.must(run.append(runs.data(), waits));
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].texts.empty()) {
          file.must(values[i].append(waiting[i].data(), waits));
        } else {
          texts.clear();
          for (const double value : waiting[i])
            texts.push_back(columns[i].texts[static_cast<std::size_t>(value)].c_str());
          file.must(values[i].append(static_cast<const void*>(texts.data()), waits));
        }
        waiting[i].clear();
      }
      file.must(status.append(states.data(), waits));
      texts.clear();
      for (const std::string& text : reasons) texts.push_back(text.c_str());
      file.must(reason.append(static_cast<const void*>(texts.data()), waits));
      runs.clear(), states.clear(), reasons.clear();
    };
    rows([&](const TableRow& row) {
      runs.push_back(row.run);
      for (std::size_t i = 0; i < columns.size(); ++i)
        waiting[i].push_back(std::isnan(row.values[i]) ? std::abs(row.values[i]) : row.values[i]);
      auto& state = states.emplace_back();
      state.fill('\0');
      const std::string_view word = name(row.status);
      std::copy(word.begin(), word.end(), state.begin());
      reasons.push_back(row.reason);
      if (runs.size() == chunk) flush();
    });
    flush();
  }
  file.close();
  output.finish(0.0);
}

}  // namespace taut
