// "did you mean ...": the known word nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Edits (insert, delete, replace, swap of neighbours) from a to b; upper and lower case count as equal.
// Stops early with limit + 1 when there are more than `limit`.
int edit_distance(std::string_view a, std::string_view b, int limit);

// The candidate nearest to `word`, at most a third of its letters (but at least one) away; empty if there is none.
std::string_view nearest_word(std::string_view word, const std::vector<std::string_view>& candidates);

// ` (did you mean "x"?)` with the nearest candidate; empty if there is none.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates);

// `"x" is not known: expected one of a, b, c (did you mean "c"?)`: what every message about one word of several says.
std::string unknown_word(std::string_view word, const std::vector<std::string_view>& known);
// The same with a suggestion that is there already.
std::string unknown_word(std::string_view word, const std::vector<std::string_view>& known, const std::string& hint);

}  // namespace taut
