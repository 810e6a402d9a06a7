#include "python/src/bindings.h"
#include "taut/file/write/write_toml.h"
#include "taut/generators/generators.h"
#include "taut/model/model.h"

namespace taut::python {

namespace {

using Items = std::vector<std::pair<std::string, Value>>;

Items items_of(const py::dict& dict) {
  Items items;
  for (const auto& [key, value] : dict) {
    const std::string word = py::str(key);
    items.emplace_back(word, to_value(value, word));
  }
  return items;
}

py::list names_of(const Draft& draft, const std::string& kind) {
  const Model& model = draft.scenario().model;
  py::list names;
  const auto add = [&](const auto& list) {
    for (const auto& entity : list) names.append(entity.name);
  };
  if (kind == "nodes") add(model.nodes);
  if (kind == "bars") add(model.bars);
  if (kind == "cables") add(model.cables);
  if (kind == "bodies") add(model.bodies);
  if (kind == "joints") add(model.joints);
  if (kind == "pulleys") add(model.pulleys);
  if (kind == "frames") add(model.frames);
  return names;
}

// The indices of the nodes of each member.
py::list ends_of(const Draft& draft, const std::string& kind) {
  const Model& model = draft.scenario().model;
  py::list ends;
  if (kind == "bars")
    for (const Bar& bar : model.bars) ends.append(py::make_tuple(bar.a, bar.b));
  else
    for (const Cable& cable : model.cables) ends.append(py::tuple(py::cast(cable.path)));
  return ends;
}

py::list generator_list() {
  py::list list;
  for (const Generator& generator : generators()) {
    py::dict parameters;
    for (const Parameter& parameter : generator.parameters)
      parameters[py::str(parameter.key)] =
          py::make_tuple(parameter.standard ? py::object(py::float_(*parameter.standard)) : py::none(), parameter.help);
    list.append(py::make_tuple(generator.kind, generator.help, parameters));
  }
  return list;
}

}  // namespace

void bind_draft(py::module_& m) {
  py::class_<Draft>(m, "Draft")
      .def(py::init<>())
      .def(py::init<const Draft&>())
      .def_static("from_file",
                  [](const std::string& file) {
                    const Released released;
                    return Draft::from_file(file);
                  })
      .def_static("from_text",
                  [](const std::string& text, const std::string& name) {
                    const Released released;
                    return Draft::from_text(text, name);
                  })
      .def_static("generated",
                  [](const std::string& kind, const py::dict& parameters) {
                    const Items items = items_of(parameters);
                    const Released released;
                    return Draft::generated(kind, items);
                  })
      .def("add", [](Draft& d, const std::string& section, const std::string& name,
                     const py::dict& keys) { d.add(section, name, to_table(keys, section)); })
      .def("set", [](Draft& d, const py::dict& values) { d.set(items_of(values)); })
      .def("get",
           [](const Draft& d, const std::string& key) -> py::object {
             const std::optional<Value> value = d.get(key);
             return value ? to_python(*value) : py::none();
           })
      .def("read", [](const Draft& d) { d.scenario(); })
      .def("title", [](const Draft& d) { return d.scenario().model.name; })
      .def("names", names_of)
      .def("ends", ends_of)
      .def("positions",
           [](const Draft& d) {
             const Model& model = d.scenario().model;
             need_numpy();
             py::array_t<double> positions({static_cast<py::ssize_t>(model.nodes.size()), py::ssize_t{3}});
             for (std::size_t i = 0; i < model.nodes.size(); ++i)
               std::copy_n(model.nodes[i].position.data(), 3, positions.mutable_data(static_cast<py::ssize_t>(i), 0));
             return positions;
           })
      .def("to_toml", [](const Draft& d) { return to_toml(d.scenario()); })
      .def("__eq__", [](const Draft& a, const Draft& b) { return a.scenario() == b.scenario(); })
      .def("__reduce_ex__", reduced)
      .def(py::pickle(
          [](const Draft& d) {
            py::list values;
            for (const auto& [key, value] : d.values()) values.append(py::make_tuple(key, to_python(value)));
            return py::make_tuple(d.text(), py::bytes(d.name()), to_python(Value{d.added()}), values);
          },
          [](const py::tuple& parts) {
            Items values;
            for (const py::handle item : parts[3]) {
              const auto pair = item.cast<py::tuple>();
              const auto key = pair[0].cast<std::string>();
              values.emplace_back(key, to_value(pair[1], key));
            }
            return Draft::from_parts(parts[0].cast<std::string>(), parts[1].cast<std::string>(),
                                     to_table(parts[2].cast<py::dict>(), ""), std::move(values));
          }));
  m.def("generators", generator_list);
}

}  // namespace taut::python
