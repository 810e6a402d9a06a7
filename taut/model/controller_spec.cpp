#include "taut/model/controller_spec.h"

#include "taut/base/text/enum_name.h"

namespace taut {

const char* name(ControllerKind kind) {
  return enum_name<ControllerKind::process>(
      kind, {"roll", "table", "pid", "lqr", "computed_torque", "near_rigid", "process"});
}

const char* name(RollPolicy policy) { return enum_name<RollPolicy::all_cables>(policy, {"two_cable", "all_cables"}); }

const char* name(InverseMethod method) { return enum_name<InverseMethod::nlp>(method, {"qp", "null_space", "nlp"}); }

}  // namespace taut
