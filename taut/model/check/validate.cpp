#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/model/check/check.h"

namespace taut {

namespace {

std::string key_of(const Finding& finding) {
  std::string key = section_of(finding.kind);
  if (finding.index >= 0) key += fmt::format("[{}]", finding.index);
  if (!key.empty() && !finding.key.empty()) key += '.';
  return key + finding.key;
}

}  // namespace

void validate(const Model& model) {
  std::vector<Finding> findings = check_entities(model);
  if (findings.empty()) findings = check_structure(model);
  if (findings.empty()) return;
  std::vector<Problem> problems;
  for (const Finding& f : findings) problems.push_back({{}, key_of(f), f.message});
  throw InputError(std::move(problems));
}

}  // namespace taut
