#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include "python/src/bindings.h"
#include "python/src/options.h"
#include "taut/base/error.h"
#include "taut/export/gltf.h"
#include "taut/export/plot.h"
#include "taut/export/vtk.h"
#include "taut/model/control_names.h"
#include "taut/model/joint_spec.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/report/record_scene.h"
#include "taut/report/report_model.h"
#include "taut/results/columns.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/output_dir.h"
#include "taut/results/output_target.h"
#include "taut/results/record_csv.h"
#include "taut/results/record_summary.h"
#include "taut/run/commandable.h"
#include "taut/run/recorded_state.h"
#include "taut/run/simulate.h"
#include "taut/run/still.h"

namespace taut::python {

namespace {

namespace fs = std::filesystem;
using RunPointer = std::shared_ptr<const Run>;

constexpr auto not_always = static_cast<std::size_t>(-1);

struct RunData {
  RunPointer run;

  std::string title() const { return run->scenario.model.name.empty() ? "run" : run->scenario.model.name; }
};

}  // namespace
}  // namespace taut::python

namespace pybind11::detail {
template <>
struct type_caster<taut::python::RunData> : MadeCaster<taut::python::RunData> {};
}  // namespace pybind11::detail

namespace taut::python {

namespace {

// A list of the run as an array of one row per time: (T, width) or, of vectors, (T, width / 3, 3). None for a list that
// only some runs have.
py::object column(const py::object& self, const std::vector<double>& all, bool vectors, std::size_t always) {
  const Run& run = *self.cast<const RunData&>().run;
  const auto rows = static_cast<py::ssize_t>(run.rows());
  if (all.empty() && always == not_always) return py::none();
  const auto width = static_cast<py::ssize_t>(rows > 0 ? all.size() / run.rows() : always);
  if (vectors) return view(all.data(), {rows, width / 3, 3}, self);
  return view(all.data(), {rows, width}, self);
}

py::object array(const py::object& self, const std::string& name) {
  const Run& run = *self.cast<const RunData&>().run;
  const RunColumns& c = run.columns;
  const Model& model = run.scenario.model;
  const std::size_t nodes = 3 * model.nodes.size(), cables = model.cables.size();
  struct Named {
    const char* word;
    const std::vector<double>& list;
    bool vectors;
    std::size_t always = not_always;  // its width in every run
  };
  const Named lists[] = {{"nodes", c.nodes, true, nodes},
                         {"velocities", c.velocities, true, nodes},
                         {"tensions", c.tensions, false, cables},
                         {"lengths", c.lengths, false, cables},
                         {"rest_lengths", c.rest_lengths, false, cables},
                         {"bar_forces", c.bar_forces, false, model.bars.size()},
                         {"energy", c.energy, false, energy_columns},
                         {"contact_forces", c.contact_forces, true},
                         {"support_forces", c.support_forces, true},
                         {"bar_lengths", c.bar_lengths, false},
                         {"bar_rest_lengths", c.bar_rest_lengths, false},
                         {"joints", c.joints, false},
                         {"controls", c.controls, false},
                         {"frames", c.frames, false},
                         {"bodies", c.bodies, false}};
  for (const Named& named : lists)
    if (name == named.word) return column(self, named.list, named.vectors, named.always);
  const auto rows = static_cast<py::ssize_t>(run.rows());
  if (name == "t") return view(run.t.data(), {rows}, self);
  if (name == "constraint_error") return view(c.constraint_error.data(), {rows}, self);
  throw py::key_error(name);
}

std::vector<std::string> names(const RunData& data, const std::string& kind) {
  const Model& model = data.run->scenario.model;
  std::vector<std::string> list;
  const auto add = [&](const auto& entities) {
    for (const auto& entity : entities) list.push_back(entity.name);
  };
  if (kind == "nodes") add(model.nodes);
  if (kind == "bars") add(model.bars);
  if (kind == "cables") add(model.cables);
  if (kind == "joints") return joint_columns(model);
  if (kind == "controls") return control_columns(model);
  if (kind == "energy") return {energy_names.begin(), energy_names.end()};
  if (kind == "supports")
    for (const int node : support_nodes(model)) list.push_back(model.nodes[static_cast<std::size_t>(node)].name);
  if (kind == "frames")
    for (const Frame& frame : model.frames)
      for (const char* part : frame_names) list.push_back(frame.name + "." + part);
  return list;
}

const char* kind_name(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::slack:
      return "slack";
    case Event::Kind::taut:
      return "taut";
    case Event::Kind::yielded:
      return "yielded";
    case Event::Kind::control:
      return "control";
  }
  return "";
}

std::string plot_svg(const RunData& data, const std::string& what, const std::string& select, double from, double to,
                     const std::string& title) {
  if (std::isnan(from) || std::isnan(to))
    throw InputError(fmt::format("start, end: are {} s and {} s, expected two times", from, to));
  try {
    Plot plot = make_plot(*data.run, plottable(what), select, from, to);
    plot.title = title;
    return svg(plot);
  } catch (const InputError& error) {
    throw in_python(error);
  }
}

// A file in its folder, which is made if need be.
std::pair<fs::path, std::string> split(const std::string& file) {
  const fs::path path = file;
  if (!path.has_filename()) throw InputError(file + ": expected the name of a file");
  return {path.has_parent_path() ? path.parent_path() : fs::path("."), path.filename().string()};
}

void save(const RunData& data, const std::string& file) {
  const Released released;
  const auto [folder, name] = split(file);
  OutputDir dir(folder);
  Hdf5Recorder recorder(dir, name);
  replay(*data.run, recorder);
}

void save_csv(const RunData& data, const std::string& folder) {
  const Released released;
  OutputDir dir(folder);
  CsvRecorder recorder(dir, data.run->scenario.model);
  replay(*data.run, recorder);
}

void report(const RunData& data, const std::string& file, const std::string& title) {
  if (!reports_possible()) throw InputError(std::string("no page can be made: ") + no_viewer);
  const Released released;
  const auto [folder, name] = split(file);
  OutputDir dir(folder);
  SceneRecorder recorder(dir, title, name);
  replay(*data.run, recorder);
}

// By the ending: glTF for Blender, VTK for ParaView.
void export_file(const RunData& data, const std::string& file, std::size_t every) {
  const fs::path path = file;
  if (path.extension() != ".glb" && path.extension() != ".pvd")
    throw InputError(fmt::format("cannot write {}: expected a name that ends in .glb (glTF) or .pvd (VTK)", file));
  keep_other_kinds(path, path.extension().string().substr(1));
  const Released released;
  if (path.extension() == ".pvd") return export_vtk(*data.run, path, std::max<std::size_t>(every, 1));
  constexpr double bytes = 100e6;  // of animation, unless `every` asks for more
  const std::string content = glb(*data.run, every > 0 ? every : gltf_stride(*data.run, bytes));
  const auto [folder, name] = split(file);
  OutputDir dir(folder);
  OutputFile output(dir, name);
  output.append(content, 0.0);
  output.finish(0.0);
}

// A folder of our own for as long as it is in scope.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "taut-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw InputError("there is no folder for temporary files to be made in");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string whole(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

py::object page(const RunData& data, const std::string& title) {
  if (!reports_possible()) return py::none();
  const Scratch scratch;
  report(data, scratch.file("page.html"), title);
  return py::str(whole(scratch.file("page.html")));
}

py::bytes to_bytes(const RunData& data) {
  const Scratch scratch;
  save(data, scratch.file("run.h5"));
  return {whole(scratch.file("run.h5"))};
}

py::object open_run(const std::string& file) {
  auto run = std::make_shared<Run>();
  {
    const Released released;
    std::error_code none;
    *run = read_run(fs::is_directory(file, none) ? fs::path(file) / "run.h5" : fs::path(file));
  }
  return wrap(std::move(run));
}

py::object still(const Draft& draft) { return wrap(std::make_shared<Run>(still_run(draft.scenario()))); }

// The page of a model at rest.
std::string model_page(const Draft& draft, const std::string& title) {
  const Scenario scenario = draft.scenario();
  if (!reports_possible()) return {};
  std::string page;
  const Released released;
  write_report(model_report(scenario, title), [&](std::string_view text) { page += text; });
  return page;
}

py::object from_bytes(const std::string& bytes) {
  const Scratch scratch;
  std::ofstream(scratch.file("run.h5"), std::ios::binary) << bytes;
  return open_run(scratch.file("run.h5"));
}

py::object run(const Draft& draft, const py::dict& given, const py::object& start, const py::object& control,
               double rate, double speed, long long memory) {
  Scenario scenario = draft.with(settings_of(given));
  const std::optional<RecordedState> from = start_of(start, scenario);
  if (from) scenario.model = from->scenario.model;
  RunHooks hooks;
  hooks.from = from ? &*from : nullptr;
  std::optional<PythonControl> python;
  if (!control.is_none()) {
    python.emplace(control, commandable_names(scenario), scenario.model);
    hooks.control = python->function();
    hooks.rate = rate;
    hooks.control_options = {speed, memory_size(memory)};
  }
  auto result = std::make_shared<Run>();
  {
    LongCall call;
    hooks.stop = call.flag();
    try {
      *result = simulate(scenario, hooks);
    } catch (const InputError& error) {
      throw in_python(error);
    }
    call.finish();
  }
  const py::object wrapped = wrap(result);
  const Summary& summary = result->summary;
  if (summary.status == RunStatus::failed)
    raise_run_error(fmt::format("failed at t = {:.9g} s: {}", summary.simulated_s, summary.reason), summary.simulated_s,
                    wrapped, python ? python->cause() : py::none(), false);
  if (summary.status == RunStatus::interrupted)
    raise_run_error(summary.reason, summary.simulated_s, wrapped, py::none(), true);
  return wrapped;
}

}  // namespace

std::optional<RecordedState> start_of(const py::object& source, const Scenario& scenario) {
  std::optional<RecordedState> state;
  if (source.is_none()) return state;
  if (py::isinstance<py::bytes>(source)) {
    state = read_recorded_state(source.cast<std::string>());
  } else if (py::isinstance<RunData>(source)) {
    state = recorded_state(*source.cast<const RunData&>().run);
  } else {
    const auto [run, time] = source.cast<std::pair<RunData, double>>();
    state = recorded_state(*run.run, time);
  }
  require_same_model(*state, scenario.model);
  return state;
}

std::vector<Draft::Setting> settings_of(const py::dict& given) {
  std::vector<Draft::Setting> settings;
  for (const auto& [key, value] : given) {
    const std::string word = py::str(key);
    const std::string name = word.substr(word.rfind('.') + 1);
    settings.push_back({word, to_value(value, name), fmt::format("{}={}", name, std::string(py::repr(value)))});
  }
  return settings;
}

py::list events_list(const std::vector<Event>& events) {
  py::list list;
  for (const Event& event : events)
    list.append(py::make_tuple(event.time, kind_name(event.kind), event.name, event.what));
  return list;
}

py::object wrap(RunPointer run) {
  return py::module_::import("taut._run").attr("Run")(py::cast(RunData{std::move(run)}));
}

const Run& rows_of(const py::object& run) { return *run.attr("_data").cast<const RunData&>().run; }

void bind_run(py::module_& m) {
  py::class_<RunData>(m, "RunData")
      .def("array", [](const py::object& self, const std::string& name) { return array(self, name); })
      .def("names", names)
      .def("title", &RunData::title)
      .def("page", page)
      .def("to_bytes", to_bytes)
      .def("rows", [](const RunData& d) { return d.run->rows(); })
      .def("events", [](const RunData& d) { return events_list(d.run->events); })
      .def("summary_text", [](const RunData& d) { return summary_json(d.run->summary, d.run->scenario.model); })
      .def("draft", [](const RunData& d) { return Draft::from_scenario(d.run->scenario); })
      .def("plot", plot_svg)
      .def("save", save)
      .def("export", export_file)
      .def("save_csv", save_csv)
      .def("report", report);
  m.def("run", run);
  m.def("still", still);
  m.def("model_page", model_page);
  m.def("open", open_run);
  m.def("from_bytes", from_bytes);
  py::list words;
  for (const Plottable& what : plottables()) words.append(what.word);
  m.attr("plottables") = py::tuple(words);
  m.attr("energy_names") = py::tuple(py::cast(energy_names));
}

}  // namespace taut::python
