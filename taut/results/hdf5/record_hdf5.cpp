#include "taut/results/hdf5/record_hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "taut/base/version.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/control_names.h"
#include "taut/model/shape/body_pose.h"
#include "taut/results/columns.h"
#include "taut/results/hdf5/hdf5_handle.h"
#include "taut/results/hdf5/record_hdf5_driver.h"
#include "taut/results/record_summary.h"

namespace taut {
namespace {

// A data set whose first dimension grows; `rows` waits in memory until it fills a chunk.
struct Series {
  Hdf5Handle set;
  std::vector<hsize_t> shape;  // of one row
  hsize_t width = 1;           // numbers in a row
  hsize_t chunk_rows = 1;
  hsize_t written_rows = 0, waiting_rows = 0;
  std::vector<double> waiting;
};

constexpr hsize_t chunk_bytes = 256 * 1024;
constexpr hsize_t most_chunk_rows = 4096;

}  // namespace

struct Hdf5Recorder::File {
  File(OutputDir& dir, const std::string& name) : output(dir, name) {}
  ~File() {
    const Hdf5Quiet quiet;
    close();
  }

  OutputFile output;
  int write_error = 0;  // errno of the first failed write
  double time = 0.0;    // of the run
  Hdf5Handle file;
  const Model none;
  const Model* model = &none;
  hsize_t expected_rows = 1;
  Series t, nodes, velocities, tensions, lengths, rest_lengths, bar_forces, energy, constraint_error;
  Series contact_forces, support_forces;  // made with the first row, where that has any
  Series frames, joints, controls, bodies, bar_lengths, bar_rest_lengths;  // where the model has any
  Series coordinates, memory;                                              // made with the first row

  std::vector<Series*> all() {
    return {&t,
            &nodes,
            &velocities,
            &tensions,
            &lengths,
            &rest_lengths,
            &bar_forces,
            &energy,
            &constraint_error,
            &contact_forces,
            &support_forces,
            &frames,
            &joints,
            &controls,
            &bodies,
            &coordinates,
            &memory,
            &bar_lengths,
            &bar_rest_lengths};
  }

  // Every HDF5 call goes through here: a negative result, or a write that failed behind HDF5's back, throws.
  template <class Result>
  Result must(Result result) {
    if (write_error != 0) output.fail(std::generic_category().message(write_error), time);
    if (result < 0) output.fail("HDF5: " + hdf5_error(), time);
    return result;
  }
  Hdf5Handle must(hid_t id, herr_t (*close_function)(hid_t)) { return Hdf5Handle(must(id), close_function); }

  void put_texts(hid_t object, const char* name, const std::vector<const char*>& texts, bool scalar);
  void put_text(hid_t object, const char* name, const std::string& text) {
    put_texts(object, name, {text.c_str()}, true);
  }
  void put_count(const char* name, long count);
  void put_document(const char* name, const std::string& text);
  void create(Series& series, const char* name, const char* units, std::vector<hsize_t> shape, bool packed = false);
  void append(Series& series, std::span<const double> row);
  void flush(Series& series);
  void close();
};

void Hdf5Recorder::File::put_texts(hid_t object, const char* name, const std::vector<const char*>& texts, bool scalar) {
  const Hdf5Handle type = must(H5Tcopy(H5T_C_S1), H5Tclose);
  must(H5Tset_size(type, H5T_VARIABLE));
  must(H5Tset_cset(type, H5T_CSET_UTF8));
  const hsize_t count = texts.size();
  const Hdf5Handle space = must(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle attribute = must(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (count > 0) must(H5Awrite(attribute, type, texts.data()));
}

// A number at the root.
void Hdf5Recorder::File::put_count(const char* name, long count) {
  const Hdf5Handle space = must(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute = must(H5Acreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  must(H5Awrite(attribute, H5T_NATIVE_LONG, &count));
}

// A long text as a data set: an attribute holds no more than 64 kB.
void Hdf5Recorder::File::put_document(const char* name, const std::string& text) {
  const Hdf5Handle type = must(H5Tcopy(H5T_C_S1), H5Tclose);
  must(H5Tset_size(type, text.size() + 1));
  must(H5Tset_cset(type, H5T_CSET_UTF8));
  const Hdf5Handle space = must(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle create = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  must(H5Pset_obj_track_times(create, false));
  const Hdf5Handle set = must(H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT), H5Dclose);
  must(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()));
}

void Hdf5Recorder::File::create(Series& series, const char* name, const char* units, std::vector<hsize_t> shape,
                                bool packed) {
  for (const hsize_t n : shape) series.width *= n;
  const hsize_t row_bytes = std::max<hsize_t>(series.width, 1) * sizeof(double);
  const hsize_t limit = std::clamp<hsize_t>(chunk_bytes / row_bytes, 1, most_chunk_rows);
  const hsize_t pieces = (expected_rows + limit - 1) / limit;
  series.chunk_rows = (expected_rows + pieces - 1) / pieces;  // at most the limit, and no chunk nearly empty
  series.waiting.reserve(series.chunk_rows * series.width);

  // A dimension of 0 (no cables, no bars) must still be at least 1 in the chunk and in the largest extent.
  std::vector<hsize_t> now{0}, most{H5S_UNLIMITED}, chunk{series.chunk_rows};
  for (const hsize_t n : shape) {
    now.push_back(n);
    most.push_back(std::max<hsize_t>(n, 1));
    chunk.push_back(std::max<hsize_t>(n, 1));
  }
  const int rank = static_cast<int>(now.size());
  const Hdf5Handle space = must(H5Screate_simple(rank, now.data(), most.data()), H5Sclose);
  const Hdf5Handle create = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  must(H5Pset_chunk(create, rank, chunk.data()));
  must(H5Pset_obj_track_times(create, false));  // the same run gives the same bytes
  must(H5Pset_fill_time(create, H5D_FILL_TIME_NEVER));
  if (packed) {
    must(H5Pset_shuffle(create));
    must(H5Pset_deflate(create, 1));
  }
  // Whole chunks are written once: no cache.
  const Hdf5Handle access = must(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  must(H5Pset_chunk_cache(access, 0, 0, 1.0));
  series.set = must(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, create, access), H5Dclose);
  series.shape = std::move(shape);
  put_text(series.set, "units", units);
}

void Hdf5Recorder::File::append(Series& series, std::span<const double> row) {
  if (row.size() != series.width)
    output.fail(fmt::format("a row of {} numbers came where {} were expected", row.size(), series.width), time);
  series.waiting.insert(series.waiting.end(), row.begin(), row.end());
  if (++series.waiting_rows == series.chunk_rows) flush(series);
}

void Hdf5Recorder::File::flush(Series& series) {
  if (series.waiting_rows == 0) return;
  std::vector<hsize_t> total{series.written_rows + series.waiting_rows}, start{series.written_rows};
  std::vector<hsize_t> count{series.waiting_rows};
  for (const hsize_t n : series.shape) {
    total.push_back(n);
    start.push_back(0);
    count.push_back(n);
  }
  must(H5Dset_extent(series.set, total.data()));
  if (series.width > 0) {
    const Hdf5Handle in_file = must(H5Dget_space(series.set), H5Sclose);
    must(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
    const Hdf5Handle in_memory =
        must(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    must(H5Dwrite(series.set, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, series.waiting.data()));
  }
  series.written_rows += series.waiting_rows;
  series.waiting_rows = 0;
  series.waiting.clear();
}

void Hdf5Recorder::File::close() {
  for (Series* series : all()) series->set = Hdf5Handle();
  file = Hdf5Handle();
}

Hdf5Recorder::Hdf5Recorder(OutputDir& dir, const std::string& name) : file_(std::make_unique<File>(dir, name)) {}
Hdf5Recorder::~Hdf5Recorder() = default;

void Hdf5Recorder::begin(const Scenario& scenario) {
  const Hdf5Quiet quiet;
  File& f = *file_;
  const Hdf5Handle access = f.must(descriptor_access(f.output, &f.write_error), H5Pclose);
  const std::string name = f.output.path().string();
  const Hdf5Handle create = f.must(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  f.must(H5Pset_obj_track_times(create, false));  // no dates on the root either
  f.file = f.must(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, create, access), H5Fclose);
  f.put_text(f.file, "model", scenario.model.name);
  f.put_text(f.file, "version", version());
  f.put_count("format", hdf5_format);
  f.put_document("model", to_toml(scenario));

  // Data sets with their shapes and units.
  const Model& model = scenario.model;
  f.model = &model;
  const double rows = std::ceil(scenario.simulation.duration / scenario.simulation.output_step) + 1.0;
  f.expected_rows = rows >= 1.0 && rows < 1e9 ? static_cast<hsize_t>(rows) : most_chunk_rows;
  f.create(f.t, "t", "s", {});
  f.create(f.nodes, "nodes", "m", {model.nodes.size(), 3});
  f.create(f.velocities, "velocities", "m/s", {model.nodes.size(), 3});
  f.create(f.tensions, "tensions", "N", {model.cables.size()});
  f.create(f.lengths, "lengths", "m", {model.cables.size()});
  f.create(f.rest_lengths, "rest_lengths", "m", {model.cables.size()}, true);
  f.create(f.bar_forces, "bar_forces", "N", {model.bars.size()});
  f.create(f.energy, "energy", "J", {energy_columns});
  f.create(f.constraint_error, "constraint_error", "m", {});

  // Names, in the order of the columns.
  const auto names = [](const auto& parts) {
    std::vector<const char*> texts;
    for (const auto& part : parts) texts.push_back(part.name.c_str());
    return texts;
  };
  f.put_texts(f.nodes.set, "names", names(model.nodes), false);
  f.put_texts(f.tensions.set, "names", names(model.cables), false);
  f.put_texts(f.bar_forces.set, "names", names(model.bars), false);
  f.put_texts(f.energy.set, "columns", {energy_names.begin(), energy_names.end()}, false);
  const auto create_columns = [&](Series& series, const char* title, const char* units,
                                  const std::vector<std::string>& columns) {
    std::vector<const char*> texts;
    for (const std::string& column : columns) texts.push_back(column.c_str());
    f.create(series, title, units, {columns.size()});
    f.put_texts(series.set, "columns", texts, false);
  };
  if (has_joints(model))
    create_columns(f.joints, "joints", "rad, m, N and N m, by s where rates", joint_columns(model));
  if (const std::vector<std::string> columns = control_columns(model); !columns.empty())
    create_columns(f.controls, "controls", "m, rad, N and N m", columns);
  if (const std::vector<Carrier> carriers = posed_carriers(model); !carriers.empty()) {
    std::vector<const char*> texts;
    for (const Carrier& carrier : carriers) texts.push_back(carrier_name(model, carrier).c_str());
    f.create(f.bodies, "bodies", "m, m, m, 1, 1, 1, 1", {carriers.size(), pose_columns});
    f.put_texts(f.bodies.set, "names", texts, false);
    f.put_texts(f.bodies.set, "columns", {pose_names.begin(), pose_names.end()}, false);
  }
  if (!model.bar_drives.empty()) {
    std::vector<const char*> driven;
    for (const BarDrive& drive : model.bar_drives) driven.push_back(model.bars[drive.bar].name.c_str());
    for (const auto& [series, title] :
         {std::pair{&f.bar_lengths, "bar_lengths"}, std::pair{&f.bar_rest_lengths, "bar_rest_lengths"}}) {
      f.create(*series, title, "m", {driven.size()});
      f.put_texts(series->set, "names", driven, false);
    }
  }
  if (model.frames.empty()) return;
  f.create(f.frames, "frames", "m, m, m, rad, rad, rad", {model.frames.size(), frame_columns});
  f.put_texts(f.frames.set, "names", names(model.frames), false);
  f.put_texts(f.frames.set, "columns", {frame_names.begin(), frame_names.end()}, false);
  std::vector<const char*> bases;
  for (const Frame& frame : model.frames)
    bases.push_back(frame.relative_to < 0 ? world_frame : model.frames[frame.relative_to].name.c_str());
  f.put_texts(f.frames.set, "relative_to", bases, false);
}

void Hdf5Recorder::sample(const Sample& sample) {
  const Hdf5Quiet quiet;
  File& f = *file_;
  f.time = sample.t;
  f.append(f.t, {&sample.t, 1});
  f.append(f.nodes, sample.nodes);
  f.append(f.velocities, sample.velocities);
  f.append(f.tensions, sample.tensions);
  f.append(f.lengths, sample.lengths);
  f.append(f.rest_lengths, sample.rest_lengths);
  f.append(f.bar_forces, sample.bar_forces);
  f.append(f.energy, sample.energy);
  f.append(f.constraint_error, {&sample.constraint_error, 1});
  if (f.bar_lengths.set >= 0) {
    f.append(f.bar_lengths, sample.bar_lengths);
    f.append(f.bar_rest_lengths, sample.bar_rest_lengths);
  }
  if (f.frames.set >= 0) f.append(f.frames, sample.frames);
  if (f.bodies.set >= 0) f.append(f.bodies, sample.bodies);
  if (f.joints.set >= 0) f.append(f.joints, sample.joints);
  if (f.controls.set >= 0) f.append(f.controls, sample.controls);
  // Forces of the ground and of supports exist in some runs only; the first row tells.
  const auto append_where_present = [&](Series& series, const char* name, const std::vector<double>& forces) {
    if (forces.empty()) return;
    if (series.set < 0) f.create(series, name, "N", {forces.size() / 3, 3});
    f.append(series, forces);
  };
  append_where_present(f.contact_forces, "contact_forces", sample.contact_forces);
  append_where_present(f.support_forces, "support_forces", sample.support_forces);
  // What a run goes on from; of the memory little changes.
  const auto append_numbers = [&](Series& series, const char* name, const std::vector<double>& numbers, bool packed) {
    if (numbers.empty()) return;
    if (series.set < 0) f.create(series, name, "SI", {numbers.size()}, packed);
    f.append(series, numbers);
  };
  append_numbers(f.coordinates, "coordinates", sample.coordinates, false);
  append_numbers(f.memory, "memory", sample.memory, true);
}

void Hdf5Recorder::finish(const Summary& summary) {
  const Hdf5Quiet quiet;
  File& f = *file_;
  f.time = summary.simulated_s;
  for (Series* series : f.all()) f.flush(*series);
  f.put_text(f.file, "status", name(summary.status));
  f.put_text(f.file, "formulation", summary.formulation);
  f.put_text(f.file, "integrator", summary.integrator);
  f.put_document("summary", summary_json(summary, *f.model, SummaryParts::repeatable));
  f.must(H5Fflush(f.file, H5F_SCOPE_GLOBAL));
  f.close();
  f.must(0);
  f.output.finish(f.time);
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace taut
