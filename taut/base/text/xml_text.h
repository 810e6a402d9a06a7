// Any text as XML character data or attribute value.
#pragma once

#include <string>
#include <string_view>

namespace taut {

// & < > " ' escaped; bytes that are not UTF-8 and characters that XML forbids become U+FFFD.
std::string xml_text(std::string_view text);

// Valid UTF-8: what is not becomes U+FFFD.
std::string valid_utf8(std::string_view text);

// At most `most` characters, the end replaced by an ellipsis; counts code points of valid UTF-8.
std::string shortened(std::string_view text, std::size_t most);
std::size_t characters(std::string_view text);

}  // namespace taut
