#include "apps/taut/from_run.h"

namespace taut {

Option from_option(std::string* to) {
  const auto empty = [](const std::string& text) {
    return text.empty() ? "is empty: expected a run.h5" : std::string();
  };
  return {"--from", "RUN[@T]", to,
          "Start from a recorded state of the same model: run.h5 (its last row) or run.h5@1.25", empty};
}

}  // namespace taut
