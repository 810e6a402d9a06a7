// Complaints of actions that must be refused.
#include "tests/support/complaint.h"

#include <gtest/gtest.h>

#include "taut/base/error.h"

namespace taut::testing {

std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << text << "\" does not say \"" << part << "\"";
}

}  // namespace taut::testing
