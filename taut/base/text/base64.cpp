#include "taut/base/text/base64.h"

namespace taut {

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const unsigned group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    *out++ = digits[group >> 18U];
    *out++ = digits[group >> 12U & 63U];
    *out++ = digits[group >> 6U & 63U];
    *out++ = digits[group & 63U];
  }
  if (const std::size_t rest = bytes.size() - i; rest > 0) {
    const unsigned group = byte(i) << 16U | (rest == 2 ? byte(i + 1) << 8U : 0U);
    *out++ = digits[group >> 18U];
    *out++ = digits[group >> 12U & 63U];
    if (rest == 2) *out = digits[group >> 6U & 63U];
  }
  return text;
}

}  // namespace taut
