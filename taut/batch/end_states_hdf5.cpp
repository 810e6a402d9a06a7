#include <system_error>

#include "taut/base/version.h"
#include "taut/batch/end_states.h"
#include "taut/results/hdf5/hdf5_handle.h"
#include "taut/results/hdf5/record_hdf5_driver.h"

namespace taut::batch {

namespace {

constexpr long end_format = 1;  // grows when a reader of today would misread the file

class EndFile {
 public:
  explicit EndFile(OutputFile& output) : output_(output) {
    const Hdf5Handle access = must(descriptor_access(output, &write_error_), H5Pclose);
    const Hdf5Handle creation = must(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    must(H5Pset_obj_track_times(creation, false));  // the same states give the same bytes
    file_ = must(H5Fcreate(output.path().c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  }

  Hdf5Handle put(const char* name, const std::vector<hsize_t>& shape, hid_t kind, const void* values) {
    const Hdf5Handle space = must(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
    const Hdf5Handle creation = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    must(H5Pset_obj_track_times(creation, false));
    Hdf5Handle set = must(H5Dcreate2(file_, name, kind, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
    must(H5Dwrite(set, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    return set;
  }
  void put_numbers(const char* name, const std::vector<hsize_t>& shape, const std::vector<double>& values,
                   const char* units, const std::vector<std::string>& names) {
    const Hdf5Handle set = put(name, shape, H5T_NATIVE_DOUBLE, values.data());
    if (units != nullptr) put_text(set, "units", units);
    std::vector<const char*> texts;
    for (const std::string& text : names) texts.push_back(text.c_str());
    if (!texts.empty()) put_texts(set, "names", texts, false);
  }
  void put_text(hid_t object, const char* name, const std::string& text) {
    put_texts(object, name, {text.c_str()}, true);
  }
  void put_whole(const char* name, long value) {
    const Hdf5Handle space = must(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle attribute =
        must(H5Acreate2(file_, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    must(H5Awrite(attribute, H5T_NATIVE_LONG, &value));
  }
  hid_t root() const { return file_; }
  void close() {
    must(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    file_ = Hdf5Handle();
    must(0);
  }

 private:
  template <class Result>
  Result must(Result result) {
    if (write_error_ != 0) output_.fail(std::generic_category().message(write_error_), 0.0);
    if (result < 0) output_.fail("HDF5: " + hdf5_error(), 0.0);
    return result;
  }
  Hdf5Handle must(hid_t id, herr_t (*close_id)(hid_t)) { return Hdf5Handle(must(id), close_id); }
  void put_texts(hid_t object, const char* name, const std::vector<const char*>& texts, bool scalar) {
    const Hdf5Handle type = must(H5Tcopy(H5T_C_S1), H5Tclose);
    must(H5Tset_size(type, H5T_VARIABLE));
    must(H5Tset_cset(type, H5T_CSET_UTF8));
    const hsize_t count = texts.size();
    const Hdf5Handle space = must(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Hdf5Handle attribute = must(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    must(H5Awrite(attribute, type, texts.data()));
  }

  OutputFile& output_;
  int write_error_ = 0;
  Hdf5Handle file_;
};

}  // namespace

void write_end_hdf5(OutputFile& output, const EndStates& states) {
  const Hdf5Quiet quiet;
  const auto robots = static_cast<hsize_t>(states.robots);
  EndFile file(output);
  file.put_whole("format", end_format);
  file.put_text(file.root(), "version", version());
  file.put_text(file.root(), "model", states.model);
  file.put_numbers("nodes", {robots, states.nodes.size(), 3}, states.x, "m", states.nodes);
  file.put_numbers("velocities", {robots, states.nodes.size(), 3}, states.v, "m/s", states.nodes);
  file.put_numbers("t", {robots}, states.t, "s", {});
  file.put("done", {robots}, H5T_NATIVE_UCHAR, states.done.data());
  if (!states.varied.empty()) {
    std::vector<double> values;
    std::vector<std::string> keys;
    for (const VariedValues& varied : states.varied) keys.push_back(varied.key);
    for (std::size_t i = 0; i < static_cast<std::size_t>(states.robots); ++i)
      for (const VariedValues& varied : states.varied) values.push_back(varied.values[i]);
    file.put_numbers("varied", {robots, keys.size()}, values, nullptr, keys);
  }
  file.close();
  output.finish(0.0);
}

}  // namespace taut::batch
