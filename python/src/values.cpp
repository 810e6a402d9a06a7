#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "python/src/bindings.h"
#include "taut/base/error.h"
#include "taut/file/read/parse_toml.h"

namespace taut::python {

py::object to_python(const Value& value) {
  if (const Table* table = value.table()) {
    py::dict dict;
    for (const Item& item : table->items) dict[py::str(item.key)] = to_python(item.value);
    return dict;
  }
  if (const List* list = value.list()) {
    py::list result;
    for (const Value& entry : *list) result.append(to_python(entry));
    return result;
  }
  if (const std::string* text = value.text()) return py::str(*text);
  if (const bool* truth = value.truth()) return py::bool_(*truth);
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value.data)) return py::int_(*whole);
  if (const double* real = std::get_if<double>(&value.data)) return py::float_(*real);
  return py::none();
}

namespace {

[[noreturn]] void refuse(const std::string& key, py::handle object) {
  throw InputError({Problem{{},
                            key,
                            fmt::format("expected a number, a text, True or False, a list or a dict, got {}",
                                        std::string(py::str(py::type::of(object).attr("__name__"))))}});
}

// What a numpy array or number, or a sequence, is in plain Python.
py::object plain(py::handle object) {
  if (py::hasattr(object, "tolist")) return object.attr("tolist")();
  return py::reinterpret_borrow<py::object>(object);
}

}  // namespace

namespace {

// Lists and dicts that hold themselves have no end.
class Level {
 public:
  Level(int& depth, const std::string& key) : depth_(depth) {
    if (depth_ >= deepest_nesting)
      throw InputError({Problem{{}, key, fmt::format("is nested more than {} levels deep", deepest_nesting)}});
    ++depth_;
  }
  ~Level() { --depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  int& depth_;
};

thread_local int depth = 0;

double beyond_whole(const py::object& number, const std::string& key) {
  const double real = PyLong_AsDouble(number.ptr());
  if (real == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw InputError({Problem{{}, key, "is a number that is too large"}});
  }
  return real;
}

}  // namespace

Value to_value(py::handle object, const std::string& key) {
  const Level level(depth, key);
  const py::object given = plain(object);
  if (py::isinstance<py::bool_>(given)) return {given.cast<bool>()};
  if (py::isinstance<py::int_>(given)) {
    try {
      return {given.cast<std::int64_t>()};
    } catch (const py::cast_error&) {
      return {beyond_whole(given, key)};
    }
  }
  if (py::isinstance<py::float_>(given)) return {given.cast<double>()};
  if (py::isinstance<py::str>(given)) return {std::string(py::reinterpret_borrow<py::str>(given))};
  if (py::isinstance<py::dict>(given)) return {to_table(given.cast<py::dict>(), key)};
  if (py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given)) {
    List list;
    for (const py::handle entry : given) list.push_back(to_value(entry, key));
    return {std::move(list)};
  }
  refuse(key, given);
}

Table to_table(const py::dict& items, const std::string& key) {
  Table table;
  for (const auto& [name, value] : items) {
    const std::string word = py::str(name);
    table.add(word, to_value(value, key.empty() ? word : key + "." + word));
  }
  return table;
}

py::object to_python(const nlohmann::ordered_json& json) {
  if (json.is_object()) {
    py::dict dict;
    for (const auto& [key, value] : json.items()) dict[py::str(key)] = to_python(value);
    return dict;
  }
  if (json.is_array()) {
    py::list list(json.size());
    std::size_t i = 0;
    for (const auto& value : json) list[i++] = to_python(value);
    return list;
  }
  if (json.is_string()) return py::str(json.get_ref<const std::string&>());
  if (json.is_boolean()) return py::bool_(json.get<bool>());
  if (json.is_number_integer()) return py::int_(json.get<std::int64_t>());
  if (json.is_number()) return py::float_(json.get<double>());
  return py::none();
}

nlohmann::ordered_json to_json(py::handle object, const std::string& key) {
  const Level level(depth, key);
  const py::object given = plain(object);
  if (given.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(given)) return given.cast<bool>();
  if (py::isinstance<py::int_>(given)) return given.cast<std::int64_t>();
  if (py::isinstance<py::float_>(given)) return given.cast<double>();
  if (py::isinstance<py::str>(given)) return std::string(py::reinterpret_borrow<py::str>(given));
  if (py::isinstance<py::dict>(given)) {
    auto json = nlohmann::ordered_json::object();
    for (const auto& [name, value] : given.cast<py::dict>()) json[std::string(py::str(name))] = to_json(value, key);
    return json;
  }
  if (py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given)) {
    auto json = nlohmann::ordered_json::array();
    for (const py::handle entry : given) json.push_back(to_json(entry, key));
    return json;
  }
  refuse(key, given);
}

double real_number(py::handle given, const std::string& what) {
  const double real = PyFloat_AsDouble(given.ptr());
  if (real == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::type_error(
        fmt::format("{}: expected a number, got {}", what, std::string(py::str(py::type::of(given).attr("__name__")))));
  }
  return real;
}

std::optional<py::dict> by_name(const py::object& given) {
  if (py::isinstance<py::dict>(given)) return py::reinterpret_borrow<py::dict>(given);
  // Numbers first: arrays have buffers, and to find out that they have no keys would take long.
  if (PyObject_CheckBuffer(given.ptr()) != 0 || py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given) ||
      !py::hasattr(given, "keys"))
    return std::nullopt;
  return py::dict(given);
}

py::array_t<double, py::array::c_style> real_numbers(py::handle given, const std::string& what) {
  need_numpy();
  using Numbers = py::array_t<double, py::array::c_style>;
  const auto& numpy = py::detail::npy_api::get();
  if (Py_TYPE(given.ptr()) == numpy.PyArray_Type_ && py::isinstance<Numbers>(given))
    return py::reinterpret_borrow<Numbers>(given);
  // What is under the mask of a masked array is no number of the user's.
  const bool masked = py::hasattr(given, "mask") && py::hasattr(given, "filled");
  const auto array =
      py::array::ensure(masked ? py::object(given.attr("filled")(NAN)) : py::reinterpret_borrow<py::object>(given));
  if (!array || std::string_view("fiub").find(array.dtype().kind()) == std::string_view::npos) {
    PyErr_Clear();
    throw py::type_error(what + ": expected a real number for each input, or values by name");
  }
  return py::array_t<double, py::array::c_style | py::array::forcecast>(array);
}

void need_numpy() {
  static bool ready = false;  // the interpreter lock guards it
  if (ready) return;
  // Others may load it at the same time: that waits without the interpreter lock. What pybind11 does then needs no more.
  py::module_::import("numpy.core.multiarray");
  py::detail::npy_api::get();
  ready = true;
}

py::array view(const double* data, std::vector<py::ssize_t> shape, py::handle owner) {
  need_numpy();
  py::array_t<double> array(std::move(shape), data, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

py::array copy(const double* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides) {
  need_numpy();
  if (strides.empty()) return py::array_t<double>(std::move(shape), data);
  return py::array_t<double>(std::move(shape), std::move(strides), data);
}

}  // namespace taut::python
