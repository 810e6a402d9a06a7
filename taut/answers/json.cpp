#include "taut/answers/json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace taut {
namespace {

// Under the name of what holds it.
std::string without_number(const Json& value, const std::string& name) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return name;
  std::string found;
  if (value.is_object())
    for (const auto& [key, entry] : value.items())
      if (found = without_number(entry, name.empty() ? key : fmt::format("{}.{}", name, key)); !found.empty())
        return found;
  if (value.is_array())
    for (const Json& entry : value)
      if (found = without_number(entry, name); !found.empty()) return found;
  return found;
}

}  // namespace

std::string text_of(const Json& object, int indent) {
  return object.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string field_without_number(const Json& object) { return without_number(object, ""); }

std::string without_number_text(const std::string& field) {
  return fmt::format("{} is not a finite number: the model or an option asks for more than numbers can hold", field);
}

}  // namespace taut
