#include "taut/report/report_document.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "taut/report/zlib_base64.h"

namespace taut {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view mark = "<!--taut:data-->";
constexpr std::size_t pack_hard_below = 3'000'000;  // bytes that may be compressed at leisure

// JSON in ASCII, with the signs that could end the element escaped: they occur only inside texts. Bytes that are not
// UTF-8 become the replacement character, numbers that are not finite null.
std::string safe_text(const Json& json) {
  const std::string plain = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<')
      text += "\\u003c";
    else if (c == '>')
      text += "\\u003e";
    else if (c == '&')
      text += "\\u0026";
    else
      text += c;
  }
  return text;
}

}  // namespace

void write_document(const Json& document, const ArrayPack& pack, const ReportSink& sink, std::string_view page) {
  const std::size_t place = page.find(mark);
  if (place == std::string_view::npos) throw std::logic_error("the page of the viewer has no mark for the data");
  sink(page.substr(0, place));
  sink("<script type=\"application/json\" id=\"taut-document\">");
  sink(safe_text(document));
  sink("</script>\n<script type=\"text/plain\" id=\"taut-arrays\">");
  ZlibBase64 text(pack.bytes() < pack_hard_below ? 6 : 4, sink);
  pack.write([&](std::span<const std::byte> bytes) { text.append(bytes); });
  text.finish();
  sink("</script>");
  sink(page.substr(place + mark.size()));
}

}  // namespace taut
