#include "taut/model/member_defaults.h"

namespace taut {

std::string DefaultNames::take(const std::string& joined) {
  if (used_.insert(joined).second) return joined;
  for (int& number = next_.try_emplace(joined, 2).first->second;; ++number) {
    const std::string name = joined + "-" + std::to_string(number);
    if (used_.insert(name).second) return name;
  }
}

}  // namespace taut
