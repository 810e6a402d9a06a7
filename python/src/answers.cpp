// What the commands of the program that compute without motion answer, as dicts: the fields of --json, with arrays for
// what is large. python/taut/_answers.py makes the classes of users from them.
#include <cmath>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/options.h"
#include "taut/answers/check.h"
#include "taut/answers/design.h"
#include "taut/answers/form/form.h"
#include "taut/answers/linearise.h"
#include "taut/answers/modes.h"
#include "taut/answers/statics.h"
#include "taut/gradient/gradient_json.h"
#include "taut/gradient/sensitivity.h"

namespace taut::python {

namespace {

// In words of Python, with Ctrl-C heeded and without the interpreter lock. The answer, or what the work threw.
template <class Work>
auto computed(const Work& work) {
  std::optional<decltype(work())> answer;
  std::exception_ptr thrown;
  bool interrupted = false;
  {
    LongCall call;
    try {
      answer.emplace(work());
    } catch (const Stopped&) {
    } catch (const InputError& error) {
      thrown = std::make_exception_ptr(in_python(error));
    } catch (const RunError& error) {
      thrown = std::make_exception_ptr(RunError(error.time(), python_words(error.what())));
    } catch (...) {
      thrown = std::current_exception();
    }
    interrupted = call.finish();
  }
  if (interrupted) raise_run_error("interrupted", 0.0, py::none(), py::none(), true);
  if (thrown) std::rethrow_exception(thrown);
  return std::move(*answer);
}

// Settings are read with the interpreter lock.
template <class Read>
auto settings_from(const Read& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw in_python(error);
  }
}

// What is no number is no result.
void require_numbers(bool all_finite, const std::string& field) {
  if (!all_finite) throw RunError(0.0, without_number_text(field));
}

py::dict fields_of(const Json& json) {
  const std::string field = field_without_number(json);
  require_numbers(field.empty(), field);
  return to_python(json).cast<py::dict>();
}

py::array array_of(const Eigen::MatrixXd& m) {
  need_numpy();
  py::array_t<double> array({m.rows(), m.cols()});
  auto to = array.mutable_unchecked<2>();
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) to(i, j) = m(i, j);
  return array;
}

template <class Number>
py::array list_of(const std::vector<Number>& numbers) {
  need_numpy();
  return py::array_t<Number>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
}

const RecordedState* pointer(const std::optional<RecordedState>& from) { return from ? &*from : nullptr; }

// --- check

py::dict check(const Draft& draft, const py::object& start) {
  const Scenario scenario = draft.scenario();
  const std::optional<RecordedState> from = start_of(start, scenario);
  return fields_of(computed([&] {
    judge_settings(scenario);
    return json_of(answer_check(scenario, pointer(from)));
  }));
}

// --- statics

// (rows, columns, values, (number of rows, number of columns)) of each.
py::dict matrices_dict(const StaticsMatrices& matrices) {
  py::dict dict;
  dict["coordinates"] = matrices.coordinates;
  dict["members"] = matrices.members;
  for (const EntryMatrix& matrix : matrices.list) {
    std::vector<std::int64_t> rows, columns;
    std::vector<double> values;
    bool finite = true;
    for (const SparseEntry& e : matrix.entries) {
      rows.push_back(e.row);
      columns.push_back(e.column);
      values.push_back(e.value);
      finite = finite && std::isfinite(e.value);
    }
    require_numbers(finite, "matrices." + matrix.name);
    dict[py::str(matrix.name)] =
        py::make_tuple(list_of(rows), list_of(columns), list_of(values), py::make_tuple(matrix.rows, matrix.columns));
  }
  return dict;
}

py::dict statics(const Draft& draft, const py::dict& given, const py::object& start) {
  const Scenario scenario = draft.scenario();
  const Options options(given);
  const bool matrices = options.flag("matrices");
  const StaticsOptions how = settings_from([&] {
    StaticsOptions s;
    if (const auto word = options.word("forces"))
      s.choice = static_cast<ForceChoice>(index_of(force_words(), *word, "--forces"));
    s.min_tension = options.number("min_tension");
    s.max_tension = options.number("max_tension");
    s.max_compression = options.number("max_compression");
    s.tolerance = options.number("tolerance").value_or(s.tolerance);
    s.compliance_nodes = compliance_nodes(scenario.model, options.words("compliance"));
    require(s);
    return s;
  });
  const std::optional<RecordedState> from = start_of(start, scenario);
  struct Found {
    Json json;
    StaticsMatrices matrices;
  };
  const Found found = computed([&] {
    const StaticsAnswer answer = answer_statics(scenario, how, pointer(from));
    return Found{json_of(answer), matrices ? matrices_of(answer) : StaticsMatrices{}};
  });
  py::dict fields = fields_of(found.json);
  if (matrices) fields["matrices"] = matrices_dict(found.matrices);
  return fields;
}

// --- modes

py::dict modes(const Draft& draft, const py::dict& given, const py::object& start) {
  const Scenario scenario = draft.scenario();
  const Options options(given);
  const ModesSettings how = settings_from([&] {
    ModesSettings s;
    if (const auto count = options.whole("count")) {
      require(rules::whole(1, most_modes), static_cast<double>(*count), "--count");
      s.count = static_cast<int>(*count);
    }
    s.formulation = options.word("formulation").value_or("");
    s.settle = options.flag("settle");
    s.prestress = options.numbers("prestress");
    return s;
  });
  const std::optional<RecordedState> from = start_of(start, scenario);
  const ModesAnswer answer = computed([&] { return answer_modes(scenario, how, pointer(from)); });
  const ModalAnalysis& m = answer.modes;
  py::dict fields = fields_of(json_of(answer, false));
  const auto count = static_cast<py::ssize_t>(m.count()),
             nodes = static_cast<py::ssize_t>(answer.scenario.model.nodes.size());
  require_numbers(m.shapes.allFinite(), "shapes");
  fields["shapes"] = copy(m.shapes.data(), {count, nodes, 3});
  py::list names;
  for (const Node& node : answer.scenario.model.nodes) names.append(node.name);
  fields["nodes"] = names;
  if (m.coordinates.empty()) return fields;
  std::vector<Eigen::Index> named;
  py::list coordinates;
  for (std::size_t i = 0; i < m.coordinates.size(); ++i)
    if (!m.coordinates[i].empty()) {
      named.push_back(static_cast<Eigen::Index>(i));
      coordinates.append(m.coordinates[i]);
    }
  const Eigen::MatrixXd shapes = m.coordinate_shapes(named, Eigen::all).transpose();
  require_numbers(shapes.allFinite(), "coordinate_shapes");
  fields["coordinate_shapes"] = array_of(shapes);
  fields["coordinates"] = coordinates;
  return fields;
}

// --- linearise

py::dict linearise(const Draft& draft, const py::dict& given, const py::object& start) {
  const Scenario scenario = draft.scenario();
  const Options options(given);
  const LinearSettings how = settings_from([&] {
    LinearSettings s;
    s.formulation = options.word("formulation").value_or("");
    if (const auto word = options.word("inputs"))
      s.options.bar_lengths = index_of(input_words(), *word, "--inputs") == 1;
    if (const auto word = options.word("lengths"))
      s.options.lengths_as_states = index_of(length_words(), *word, "--lengths") == 1;
    if (const auto word = options.word("discretise"))
      s.discretise = static_cast<Discretisation>(index_of(discretisation_words(), *word, "--discretise"));
    s.step = options.number("step");
    s.matrices = options.flag("matrices");
    require(s);
    return s;
  });
  const std::optional<RecordedState> from = start_of(start, scenario);
  const LinearAnswer answer = computed([&] { return answer_linear(scenario, how, pointer(from)); });
  py::dict fields = fields_of(json_of(answer, false));
  for (const NamedMatrix& matrix : matrices_of(answer)) {
    require_numbers(matrix.values.allFinite(), matrix.name);
    fields[py::str(matrix.name)] = array_of(matrix.values);
  }
  return fields;
}

// --- form

FormSettings form_settings(const std::string& method, const Options& options) {
  FormSettings s;
  s.method = static_cast<FormMethod>(index_of(method_words(), method, "--method"));
  if (const auto word = options.word("path")) s.path = static_cast<PathKind>(index_of(path_words(), *word, "--path"));
  refuse_options_of_others(s.method, s.path.has_value(), options.names());
  // 0 stands for what is not given, and is no value.
  const auto take = [&](const char* name, const char* option, const NumberRule& rule, double& to) {
    const std::optional<double> value = options.number(name);
    if (!value) return;
    require(rule, *value, option);
    to = *value;
  };
  take("tolerance", "--tolerance", rules::positive(), s.tolerance);
  take("reach", "--reach", rules::positive(), s.reach);
  take("least_tension", "--least-tension", rules::not_negative(), s.least_tension);
  take("mean_length", "--mean-length", rules::positive(), s.mean_length);
  take("pretension", "--pretension", rules::positive(), s.pretension);
  take("to", "--to", rules::finite(), s.to);
  if (const auto steps = options.whole("steps")) {
    require(rules::positive(), static_cast<double>(*steps), "--steps");
    s.steps = *steps;
  }
  s.density = options.by_members("density");
  s.length = options.by_members("length");
  s.rest_length = options.by_members("rest_length");
  s.group = options.members("group");
  s.maximise = options.members("maximise");
  s.minimise = options.members("minimise");
  if (const auto word = options.word("groups"))
    s.groups = static_cast<Grouping>(index_of(grouping_words(), *word, "--groups"));
  s.arc_length = options.flag("arc_length");
  if (const auto word = options.word("branch")) s.branch = index_of(branch_words(), *word, "--branch") == 0 ? 1 : -1;
  if (options.has("nodes")) {
    s.nodes.clear();
    for (const std::string& name : options.words("nodes")) s.nodes += (s.nodes.empty() ? "" : ",") + name;
  }
  return s;
}

// The table of a path: a row for each of its points.
void add_table(const PathAnswer& answer, const py::dict& path) {
  const std::vector<PathPoint>& points = answer.path.points;
  const auto count = static_cast<py::ssize_t>(points.size()), nodes = static_cast<py::ssize_t>(answer.nodes.size());
  std::vector<double> factor, arc, stiffness;
  std::vector<std::int64_t> unstable;
  need_numpy();
  py::array_t<double> positions({count, nodes, py::ssize_t{3}});
  auto to = positions.mutable_unchecked<3>();
  for (py::ssize_t k = 0; k < count; ++k) {
    const PathPoint& at = points[static_cast<std::size_t>(k)];
    factor.push_back(at.p);
    arc.push_back(at.arc);
    stiffness.push_back(at.stiffness);
    unstable.push_back(at.unstable);
    for (py::ssize_t i = 0; i < nodes; ++i)
      for (py::ssize_t axis = 0; axis < 3; ++axis)
        to(k, i, axis) = at.x[3 * answer.nodes[static_cast<std::size_t>(i)] + axis];
  }
  py::list names;
  for (const int node : answer.nodes)
    if (count > 0) names.append(answer.model.nodes[static_cast<std::size_t>(node)].name);
  path["factor"] = list_of(factor);
  path["arc_length"] = list_of(arc);
  path["unstable"] = list_of(unstable);
  path["stiffness"] = list_of(stiffness);
  path["nodes"] = names;
  path["positions"] = positions;
}

// The fields; the model that stands, or None; and then why not.
py::tuple form(const Draft& draft, const std::string& method, const py::dict& given) {
  const Scenario scenario = draft.scenario();
  const FormSettings how = settings_from([&] { return form_settings(method, Options(given)); });
  const FormAnswer answer = computed([&] { return answer_form(scenario, how); });
  const FormResult& result = answer.result();
  py::dict fields = fields_of(json_of(answer));
  fields.attr("pop")("file");
  if (const auto* path = std::get_if<PathAnswer>(&answer.found)) {
    const py::dict table = fields["path"];
    table.attr("pop")("file");
    add_table(*path, table);
  }
  if (!result.converged) return py::make_tuple(fields, py::none(), python_words(result.reason));
  return py::make_tuple(fields, Draft::from_scenario(formed(scenario, answer)), "");
}

// --- design

Material material_in(const Options& options, const std::string& kind) {
  const auto name = [&](const char* what) { return kind + "_" + what; };
  MaterialSettings s;
  s.name = options.word(name("material").c_str()).value_or(s.name);
  s.density = options.number(name("density").c_str());
  s.modulus = options.number(name("modulus").c_str());
  s.strength = options.number(name("strength").c_str());
  return material_of(s, kind);
}

py::dict design(const Draft& draft, const py::dict& given) {
  const Scenario scenario = draft.scenario();
  const Options options(given);
  const DesignOptions how = settings_from([&] {
    DesignOptions s;
    s.bar = material_in(options, "bar");
    s.cable = material_in(options, "cable");
    s.safety = options.number("safety").value_or(s.safety);
    s.hollow = options.number("hollow").value_or(s.hollow);
    s.least_diameter = options.number("least_diameter").value_or(s.least_diameter);
    s.weight = options.flag("weight");
    if (const auto word = options.word("cut_at"))
      s.cut_at = static_cast<CutState>(index_of(cut_words(), *word, "--cut-at"));
    require(s);
    return s;
  });
  return fields_of(computed([&] { return json_of(answer_design(scenario, how)); }));
}

// --- gradient

// One (rows, nodes, 3) array for each parameter.
py::dict motion_dict(const Sensitivity& sensitivity, const std::vector<std::vector<double>>& by, std::size_t rows) {
  py::dict dict;
  for (std::size_t i = 0; i < by.size(); ++i) {
    const auto count = static_cast<py::ssize_t>(rows),
               nodes = rows > 0 ? static_cast<py::ssize_t>(by[i].size() / (3 * rows)) : 0;
    dict[py::str(sensitivity.parameters[i].key)] = copy(by[i].data(), {count, nodes, 3});
  }
  return dict;
}

py::dict gradient(const Draft& draft, const std::vector<std::string>& outcomes,
                  const std::vector<std::string>& parameters, bool motion) {
  draft.scenario();
  SensitivityOptions options;
  options.motion = motion;
  const Sensitivity found = computed([&] {
    SensitivityOptions heeding = options;
    heeding.stop = stop_flag();
    return sensitivity(draft, parameters, outcomes, heeding);
  });
  py::dict fields = fields_of(json_of(found));
  if (!motion) return fields;
  fields["t"] = list_of(found.motion.t);
  fields["nodes"] = motion_dict(found, found.motion.nodes, found.motion.t.size());
  fields["velocities"] = motion_dict(found, found.motion.velocities, found.motion.t.size());
  return fields;
}

}  // namespace

void bind_answers(py::module_& m) {
  m.def("check", check, py::arg("draft"), py::arg("start") = py::none());
  m.def("statics", statics, py::arg("draft"), py::arg("options"), py::arg("start") = py::none());
  m.def("modes", modes, py::arg("draft"), py::arg("options"), py::arg("start") = py::none());
  m.def("linearise", linearise, py::arg("draft"), py::arg("options"), py::arg("start") = py::none());
  m.def("form", form, py::arg("draft"), py::arg("method"), py::arg("options"));
  m.def("gradient", gradient, py::arg("draft"), py::arg("outcomes"), py::arg("parameters"), py::arg("motion"));
  m.def("design", design, py::arg("draft"), py::arg("options"));
}

}  // namespace taut::python
