#include "taut/model/controller_spec.h"

namespace taut {

const char* name(ControllerKind kind) {
  switch (kind) {
    case ControllerKind::roll:
      return "roll";
  }
  return "?";
}

const char* name(RollPolicy policy) {
  switch (policy) {
    case RollPolicy::two_cable:
      return "two_cable";
    case RollPolicy::all_cables:
      return "all_cables";
  }
  return "?";
}

}  // namespace taut
