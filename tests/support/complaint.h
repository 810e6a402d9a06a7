// What an action complains about.
#pragma once

#include <functional>
#include <string>

namespace taut::testing {

// The text of the InputError that it throws; empty: it throws none.
std::string complaint(const std::function<void()>& act);

void expect_says(const std::string& text, const std::string& part);

}  // namespace taut::testing
