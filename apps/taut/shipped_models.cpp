#include "apps/taut/shipped_models.h"

namespace taut {

const ShippedModel* find_shipped_model(std::string_view name) {
  for (const ShippedModel& model : shipped_models())
    if (model.file == name || model.file.substr(0, model.file.size() - 5) == name) return &model;
  return nullptr;
}

}  // namespace taut
