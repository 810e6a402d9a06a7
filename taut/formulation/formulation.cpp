#include "taut/formulation/formulation.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/formulation/nodal.h"

namespace taut {

std::unique_ptr<Formulation> make_formulation(std::string_view name, const Model& model) {
  if (name == "nodal") return std::make_unique<Nodal>(model);
  throw InputError(fmt::format("simulation.formulation: \"{}\" is not known; expected nodal", name));
}

}  // namespace taut
