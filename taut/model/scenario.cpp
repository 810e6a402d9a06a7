#include "taut/model/scenario.h"

namespace taut {

const char* name(ConstraintMethod method) {
  switch (method) {
    case ConstraintMethod::projection:
      return "projection";
    case ConstraintMethod::baumgarte:
      return "baumgarte";
    case ConstraintMethod::none:
      return "none";
  }
  return "?";
}

}  // namespace taut
