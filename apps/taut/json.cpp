#include "apps/taut/json.h"

namespace taut {
namespace {

std::string& found() {
  static std::string field;
  return field;
}

}  // namespace

const std::string& field_without_number() { return found(); }

std::string result_text(const Json& object, int indent) {
  if (found().empty()) found() = field_without_number(object);
  return text_of(object, indent);
}

}  // namespace taut
