#include "taut/answers/form/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/equilibrium/members.h"

namespace taut {

namespace {

[[noreturn]] void refuse(const char* option, const std::string& message) {
  throw InputError({Problem{{}, option, message}});
}

// Whether a name fits a pattern in which * stands for any text.
bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, back = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*')
      star = p++, back = n;
    else if (p < pattern.size() && pattern[p] == name[n])
      ++p, ++n;
    else if (star != std::string_view::npos)
      p = star + 1, n = ++back;
    else
      return false;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Words that stand for the `first` so many names, and for the rest.
std::vector<int> select(const std::vector<std::string_view>& names, const std::string& text, const char* what,
                        const char* option, std::size_t first = 0, std::string_view of_first = {},
                        std::string_view of_rest = {}) {
  std::vector<int> chosen;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view word = std::string_view(text).substr(begin, end - begin);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    begin = end + 1;
    const std::size_t before = chosen.size();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (fits(word, names[i]) || (!word.empty() && word == (i < first ? of_first : of_rest)))
        chosen.push_back(static_cast<int>(i));
    if (chosen.size() > before) continue;
    refuse(option, fmt::format("there is no {} \"{}\"{}", what, word, suggestion(word, names)));
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

std::vector<int> select_members(const Model& model, const std::string& text, const char* option) {
  std::vector<int> all;
  const int cables = static_cast<int>(model.cables.size());
  if (text == "cables" || text == "bars") {
    const bool bars = text == "bars";
    for (int m = bars ? cables : 0; m < (bars ? member_count(model) : cables); ++m) all.push_back(m);
    if (all.empty()) refuse(option, fmt::format("there are no {}", text));
    return all;
  }
  std::vector<std::string_view> names;
  for (int m = 0; m < member_count(model); ++m) names.push_back(member_name(model, m));
  return select(names, text, "cable or bar", option, model.cables.size(), "cables", "bars");
}

std::pair<std::vector<int>, double> select_with_number(const Model& model, const MembersNumber& given,
                                                       const char* option) {
  if (!std::isfinite(given.number))
    refuse(option, fmt::format("expected MEMBERS=NUMBER, such as cables=10, not \"{}\"", given.typed));
  return {select_members(model, given.members, option), given.number};
}

MembersNumber read_members_number(const std::string& text) {
  const std::size_t sign = text.rfind('=');
  const std::string number = sign == std::string::npos ? "" : text.substr(sign + 1);
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  return {text.substr(0, sign), number.empty() || *end != '\0' ? NAN : value, text};
}

std::vector<int> select_nodes(const Model& model, const std::string& text, const char* option) {
  std::vector<std::string_view> names;
  for (const Node& node : model.nodes) names.push_back(node.name);
  return select(names, text, "node", option);
}

}  // namespace taut
