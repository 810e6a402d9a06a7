#include "taut/model/controller_spec.h"

namespace taut {

const char* name(ControllerKind kind) {
  switch (kind) {
    case ControllerKind::roll:
      return "roll";
    case ControllerKind::table:
      return "table";
    case ControllerKind::pid:
      return "pid";
    case ControllerKind::lqr:
      return "lqr";
    case ControllerKind::computed_torque:
      return "computed_torque";
    case ControllerKind::near_rigid:
      return "near_rigid";
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

const char* name(InverseMethod method) {
  switch (method) {
    case InverseMethod::qp:
      return "qp";
    case InverseMethod::null_space:
      return "null_space";
    case InverseMethod::nlp:
      return "nlp";
  }
  return "?";
}

}  // namespace taut
