// Report pages taken apart.
#include "tests/report/decode_report.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>

namespace taut::testing {
namespace {

template <class Number>
Number read(const char* word) {
  Number number;
  std::memcpy(&number, word, sizeof number);
  return number;
}

}  // namespace

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  EXPECT_EQ(text.size() % 4, 0u);
  std::string bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t value = digits.find(c);
    EXPECT_NE(value, std::string::npos) << "not base64: " << c;
    bits = bits << 6U | static_cast<unsigned>(value);
    if ((held += 6) >= 8) bytes += static_cast<char>(bits >> (held -= 8) & 255U);
  }
  return bytes;
}

std::string inflated(const std::string& packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit(&stream), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string bytes, block(1 << 16, '\0');
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.append(block, 0, block.size() - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);
  inflateEnd(&stream);
  return bytes;
}

DecodedReport::DecodedReport(const std::string& page) {
  document = nlohmann::json::parse(element(page, "<script type=\"application/json\" id=\"taut-document\">"));
  bytes_ = inflated(from_base64(element(page, "<script type=\"text/plain\" id=\"taut-arrays\">")));
}

std::vector<double> DecodedReport::numbers(const nlohmann::json& array) const {
  const std::string type = array.at("type");
  const std::size_t size = type == "f8" ? 8 : type == "f4" ? 4 : 2, offset = array.at("offset");
  std::size_t count = 1;
  for (const std::size_t n : array.at("shape")) count *= n;
  EXPECT_EQ(array.at("bytes"), size * count);
  EXPECT_EQ(offset % 8, 0u);
  EXPECT_LE(offset + size * count, bytes_.size());
  std::vector<double> values(count);
  const std::size_t rows = array.at("shape").at(0), columns = rows > 0 ? count / rows : 0;
  std::vector<std::int16_t> sum(columns, 0);
  const bool planes = array.value("planes", false), delta = array.value("delta", false);
  const std::vector<double> scale = type == "i2" ? per_column(array.at("scale"), columns) : std::vector<double>{};
  const std::vector<double> base =
      array.contains("base") ? per_column(array["base"], columns) : std::vector<double>(columns);
  for (std::size_t i = 0; i < count; ++i) {
    char word[8];
    for (std::size_t b = 0; b < size; ++b) word[b] = bytes_[offset + (planes ? b * count + i : i * size + b)];
    if (type == "f8") std::memcpy(&values[i], word, 8);
    if (type == "f4") values[i] = read<float>(word);
    if (type != "i2") continue;
    std::int16_t integer = read<std::int16_t>(word);
    if (delta) integer = sum[i % columns] = static_cast<std::int16_t>(sum[i % columns] + integer);
    values[i] = integer == -32768 ? NAN : base[i % columns] + scale[i % columns] * integer;
  }
  return values;
}

std::vector<double> DecodedReport::per_column(const nlohmann::json& scale, std::size_t columns) const {
  return scale.is_number() ? std::vector<double>(columns, scale.get<double>()) : numbers(scale);
}

std::string DecodedReport::element(const std::string& page, const std::string& tag) {
  const std::size_t begin = page.find(tag);
  EXPECT_NE(begin, std::string::npos) << tag;
  EXPECT_EQ(page.find(tag, begin + 1), std::string::npos) << tag;
  const std::size_t end = page.find("</script", begin);
  return page.substr(begin + tag.size(), end - begin - tag.size());
}

}  // namespace taut::testing
