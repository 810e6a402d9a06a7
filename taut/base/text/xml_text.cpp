#include "taut/base/text/xml_text.h"

namespace taut {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// Length of the valid sequence that the text begins with; 0 when it is not valid.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    // No overlong forms, no surrogates.
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0)) return 0;
    return follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first < 0xF5) {
    if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90)) return 0;
    return follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    valid += length > 0 ? text.substr(i, length) : replacement;
    i += length > 0 ? length : 1;
  }
  return valid;
}

std::string xml_text(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string escaped;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    const bool forbidden = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    // U+FFFE and U+FFFF are no characters either.
    if (valid.compare(i, 3, "\xEF\xBF\xBE") == 0 || valid.compare(i, 3, "\xEF\xBF\xBF") == 0) {
      escaped += replacement;
      i += 2;
    } else if (forbidden)
      escaped += replacement;
    else if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else if (c == '\'')
      escaped += "&#39;";
    else
      escaped += c;
  }
  return escaped;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  return count;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string valid = valid_utf8(text);
  if (characters(valid) <= most) return valid;
  std::size_t end = 0;
  for (std::size_t count = 0; count + 1 < most; ++count) end += sequence_length(std::string_view(valid).substr(end));
  return valid.substr(0, end) + "…";
}

}  // namespace taut
