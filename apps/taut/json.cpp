#include "apps/taut/json.h"

#include <cmath>

namespace taut {
namespace {

std::string& found() {
  static std::string field;
  return field;
}

void look(const Json& value, const std::string& name) {
  if (!found().empty()) return;
  if (value.is_number_float() && !std::isfinite(value.get<double>())) found() = name;
  if (value.is_object())
    for (const auto& [key, entry] : value.items()) look(entry, name.empty() ? key : name + "." + key);
  if (value.is_array())
    for (const Json& entry : value) look(entry, name);
}

}  // namespace

const std::string& field_without_number() { return found(); }

std::string text_of(const Json& object, int indent) {
  look(object, "");
  return object.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace taut
