#include "taut/results/sundials_version.h"

#include <sundials/sundials_version.h>

namespace taut {

std::string sundials_version() {
  char text[32] = "";
  SUNDIALSGetVersion(text, sizeof text);
  return text;
}

}  // namespace taut
