#include "python/src/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace taut::python {

namespace {

[[noreturn]] void refuse(const char* name, const std::string& expected, py::handle got) {
  throw py::type_error(fmt::format("{}: expected {}, got {}", name, expected, std::string(py::repr(got))));
}

double number_in(const char* name, py::handle object, const std::string& expected) {
  if (py::isinstance<py::str>(object) || py::isinstance<py::bool_>(object)) refuse(name, expected, object);
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(name, expected, object);
  }
  return value;
}

std::string text_in(const char* name, py::handle object, const std::string& expected) {
  if (!py::isinstance<py::str>(object)) refuse(name, expected, object);
  return py::reinterpret_borrow<py::str>(object);
}

bool is_sequence(py::handle object) {
  return !py::isinstance<py::str>(object) && !py::isinstance<py::dict>(object) && py::hasattr(object, "__iter__");
}

std::string joined(const char* name, py::handle names) {
  std::string text;
  for (const py::handle entry : names)
    text += (text.empty() ? "" : ",") + text_in(name, entry, "names of members in each list");
  return text;
}

}  // namespace

std::vector<std::string> Options::names() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : given_) {
    std::string name = "--" + std::string(py::str(key));
    std::replace(name.begin(), name.end(), '_', '-');
    names.push_back(std::move(name));
  }
  return names;
}

std::optional<double> Options::number(const char* name) const {
  if (!has(name)) return std::nullopt;
  return number_in(name, entry(name), "a number");
}

std::optional<long> Options::whole(const char* name) const {
  if (!has(name)) return std::nullopt;
  const py::handle given = entry(name);
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
  if (!index || py::isinstance<py::bool_>(given)) {
    PyErr_Clear();
    refuse(name, "a whole number", given);
  }
  const long value = PyLong_AsLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw InputError({Problem{{}, name, fmt::format("{} is more than can be counted", std::string(py::str(index)))}});
  }
  return value;
}

std::optional<std::string> Options::word(const char* name) const {
  if (!has(name)) return std::nullopt;
  return text_in(name, entry(name), "a text");
}

bool Options::flag(const char* name) const {
  if (!has(name)) return false;
  const py::handle given = entry(name);
  const std::string type = py::str(py::type::of(given).attr("__name__"));
  if (!py::isinstance<py::bool_>(given) && type != "bool_" && type != "bool") refuse(name, "True or False", given);
  return PyObject_IsTrue(given.ptr()) == 1;
}

std::vector<double> Options::numbers(const char* name) const {
  std::vector<double> list;
  if (!has(name)) return list;
  const char* const expected = "a number or a sequence of numbers";
  const py::handle given = entry(name);
  if (!is_sequence(given)) return {number_in(name, given, expected)};
  for (const py::handle number : given) list.push_back(number_in(name, number, expected));
  if (list.empty()) throw InputError({Problem{{}, name, "is empty: expected one number at least"}});
  return list;
}

std::vector<std::string> Options::words(const char* name) const {
  std::vector<std::string> list;
  if (!has(name)) return list;
  const char* const expected = "a name or a sequence of names";
  const py::handle given = entry(name);
  if (!is_sequence(given)) return {text_in(name, given, expected)};
  for (const py::handle text : given) list.push_back(text_in(name, text, expected));
  return list;
}

std::vector<std::string> Options::members(const char* name) const {
  std::vector<std::string> list;
  if (!has(name)) return list;
  const char* const expected = "names of members, as \"a*\" or [\"c1\", \"c2\"]";
  const py::handle given = entry(name);
  if (!is_sequence(given)) return {text_in(name, given, expected)};
  for (const py::handle text : given)
    list.push_back(is_sequence(text) ? joined(name, text) : text_in(name, text, expected));
  return list;
}

std::vector<MembersNumber> Options::by_members(const char* name) const {
  std::vector<MembersNumber> list;
  if (!has(name)) return list;
  const char* const expected = "a dict of numbers by names of members, as {\"cables\": 10.0}";
  const py::handle given = entry(name);
  if (!py::isinstance<py::dict>(given)) refuse(name, expected, given);
  for (const auto& [key, value] : given.cast<py::dict>()) {
    const std::string members = py::isinstance<py::tuple>(key) ? joined(name, key) : text_in(name, key, expected);
    const double number = number_in(name, value, expected);
    if (!std::isfinite(number))
      throw InputError({Problem{{}, name, fmt::format("\"{}\": expected a finite number, not {}", members, number)}});
    list.push_back({members, number, fmt::format("{}={}", members, number)});
  }
  return list;
}

std::string python_words(const std::string& text) {
  const auto letter = [&](std::size_t i) {
    return i < text.size() && std::islower(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string words;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = i == 0 || text[i - 1] == ' ' || text[i - 1] == '(';
    if (!(begins && text.compare(i, 2, "--") == 0 && letter(i + 2))) {
      words += text[i++];
      continue;
    }
    std::string word;
    for (i += 2; letter(i) || (i < text.size() && text[i] == '-' && letter(i + 1)); ++i)
      word += text[i] == '-' ? '_' : text[i];
    words += word == "from" ? "start" : word;
  }
  return words;
}

InputError in_python(const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    problem.key = python_words(problem.key);
    problem.message = python_words(problem.message);
  }
  return InputError(std::move(problems));
}

}  // namespace taut::python
