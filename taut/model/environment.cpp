#include "taut/model/environment.h"

#include "taut/base/text/enum_name.h"

namespace taut {

const char* name(PressKind kind) {
  return enum_name<PressKind::rigid>(kind, {"linear", "smooth", "hunt_crossley", "exponential", "rigid"});
}

}  // namespace taut
