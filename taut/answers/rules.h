// What options must be. The command line asks it of texts as they are typed, the answers ask it of values, whoever set
// them: one rule for both, in the same words.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct NumberRule {
  std::string expected;  // ends the sentence "expected ..."
  std::function<bool(double)> holds;
};

namespace rules {

NumberRule finite();
NumberRule positive();                          // and finite
NumberRule not_negative();                      // and finite
NumberRule between(double above, double most);  // above one number and at most another
NumberRule whole(long least, long most);

}  // namespace rules

// Throws InputError that names the option, "--tolerance".
void require(const NumberRule& rule, double value, const std::string& option);

using Words = std::vector<std::string>;
// The position of a word among those that an option knows. Throws InputError that names the option, all words and the
// nearest one.
std::size_t index_of(const Words& words, std::string_view word, const std::string& option);

}  // namespace taut
