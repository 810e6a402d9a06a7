// Well-formed XML, by a reader of its own.
#include "tests/support/xml_check.h"

#include <algorithm>
#include <vector>

namespace taut::testing {

namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == ':' || c == '.';
}

// Character data or an attribute's value: no <, and & only before a reference.
bool bad_data(std::string_view data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto c = static_cast<unsigned char>(data[i]);
    if (c == '<' || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')) return true;
    if (c != '&') continue;
    const std::size_t end = data.find(';', i);
    const std::string_view name = end == std::string_view::npos ? "" : data.substr(i + 1, end - i - 1);
    if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "#39") return true;
  }
  return false;
}

// Attributes from i on, which goes beyond them; what is wrong with them, or nothing.
std::string attribute_problem(std::string_view text, std::size_t& i) {
  std::vector<std::string> seen;
  while (i < text.size() && (text[i] == ' ' || text[i] == '\n')) {
    while (i < text.size() && (text[i] == ' ' || text[i] == '\n')) ++i;
    const std::size_t begin = i;
    while (i < text.size() && is_name(text[i])) ++i;
    const std::string attribute(text.substr(begin, i - begin));
    if (attribute.empty()) break;
    if (std::find(seen.begin(), seen.end(), attribute) != seen.end()) return "attribute twice";
    seen.push_back(attribute);
    if (text.substr(i, 2) != "=\"") return "attribute without a value";
    const std::size_t end = text.find('"', i + 2);
    if (end == std::string_view::npos || bad_data(text.substr(i + 2, end - i - 2))) return "bad value";
    i = end + 1;
  }
  return "";
}

}  // namespace

std::string xml_problem(std::string_view text) {
  std::vector<std::string> open;
  std::size_t at = 0;
  const auto wrong = [&](const std::string& what) {
    return what + " at " + std::to_string(at) + ": " + std::string(text.substr(at, 60));
  };
  if (text.starts_with("<?xml")) at = text.find("?>") + 2;
  bool seen_root = false;
  while (at < text.size()) {
    const std::size_t next = std::min(text.find('<', at), text.size());
    if (bad_data(text.substr(at, next - at))) return wrong("bad character data");
    if (open.empty() && text.substr(at, next - at).find_first_not_of(" \n\t\r") != std::string_view::npos)
      return wrong("text outside");
    at = next;
    if (at == text.size()) break;
    std::size_t i = at + 1;
    const bool closing = i < text.size() && text[i] == '/';
    if (closing) ++i;
    const std::size_t name_begin = i;
    while (i < text.size() && is_name(text[i])) ++i;
    const std::string name(text.substr(name_begin, i - name_begin));
    if (name.empty()) return wrong("no name of an element");
    if (!closing)
      if (const std::string problem = attribute_problem(text, i); !problem.empty()) return wrong(problem);
    const bool empty = text.substr(i, 2) == "/>";
    if (!empty && (i >= text.size() || text[i] != '>')) return wrong("element not ended");
    if (closing) {
      if (open.empty() || open.back() != name) return wrong("</" + name + "> does not match");
      open.pop_back();
    } else {
      if (open.empty() && seen_root) return wrong("a second root");
      seen_root = true;
      if (!empty) open.push_back(name);
    }
    at = i + (empty ? 2 : 1);
  }
  return open.empty() && seen_root ? "" : "not closed: " + (open.empty() ? std::string("no element") : open.back());
}

}  // namespace taut::testing
