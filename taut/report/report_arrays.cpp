#include "taut/report/report_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace taut {
namespace {

using Json = nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "a report holds little-endian numbers");

constexpr std::size_t few_rows = 16;       // below this nothing is won by rounding
constexpr std::int16_t no_value = -32768;  // stands for a number that is not finite
constexpr float largest_integer = 32767.0F;

std::size_t count_of(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  return count;
}

// The first bytes of all values, then the second ones, and so on.
template <class Value>
void put_planes(std::span<const Value> values, std::byte* to) {
  const auto* from = reinterpret_cast<const std::byte*>(values.data());
  for (std::size_t plane = 0; plane < sizeof(Value); ++plane)
    for (std::size_t i = 0; i < values.size(); ++i) *to++ = from[i * sizeof(Value) + plane];
}

}  // namespace

ReportArray report_array(std::vector<double> values, std::vector<std::size_t> shape) {
  if (shape.empty()) shape = {values.size()};
  return {std::move(shape), {}, std::move(values)};
}

ReportArray report_array(std::vector<float> values, std::vector<std::size_t> shape) {
  if (shape.empty()) shape = {values.size()};
  return {std::move(shape), std::move(values), {}};
}

nlohmann::ordered_json ArrayPack::enter(ReportArray&& array, bool rounded) {
  return enter(kept_.emplace_back(std::move(array)), rounded);
}

nlohmann::ordered_json ArrayPack::enter(const ReportArray& array, bool rounded) {
  const std::size_t count = count_of(array.shape);
  if (array.f4.size() + array.f8.size() != count || (!array.f4.empty() && !array.f8.empty()))
    throw std::logic_error(fmt::format("an array of {} numbers came with the shape [{}]",
                                       array.f4.size() + array.f8.size(), fmt::join(array.shape, ", ")));
  Entry entry{&array, array.f8.empty() ? Type::f4 : Type::f8, 0, 0, {}, {}};
  if (rounded && entry.type == Type::f4 && count > 0 && array.shape.size() > 1 && array.shape[0] >= few_rows)
    entry.type = Type::i2;

  Json json;
  constexpr const char* names[] = {"f8", "f4", "i2"};
  constexpr std::size_t sizes[] = {8, 4, 2};
  json["type"] = names[static_cast<int>(entry.type)];
  json["shape"] = array.shape;
  if (entry.type == Type::i2) {
    // The scales are arrays themselves: in front of what they belong to.
    fit(entry);
    const std::vector<std::size_t> row(array.shape.begin() + 1, array.shape.end());
    json["scale"] = enter(report_array(entry.scale, row));
    if (std::any_of(entry.base.begin(), entry.base.end(), [](float x) { return x != 0.0F; }))
      json["base"] = enter(report_array(entry.base, row));
    json["delta"] = true;
  }
  json["planes"] = true;
  entry.offset = end_;
  entry.bytes = count * sizes[static_cast<int>(entry.type)];
  json["offset"] = entry.offset;
  json["bytes"] = entry.bytes;
  end_ = (end_ + entry.bytes + 7) / 8 * 8;
  entries_.push_back(std::move(entry));
  return json;
}

// A column's base is the middle of its range, or 0 where that lies in the range: a slack cable pulls nothing, exactly.
void ArrayPack::fit(Entry& entry) const {
  const std::vector<float>& x = entry.array->f4;
  const std::size_t rows = entry.array->shape[0], columns = x.size() / rows;
  std::vector<float> low(columns, INFINITY), high(columns, -INFINITY);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c)
      if (const float value = x[row * columns + c]; std::isfinite(value))
        low[c] = std::min(low[c], value), high[c] = std::max(high[c], value);
  entry.base.assign(columns, 0.0F);
  entry.scale.assign(columns, 0.0F);
  for (std::size_t c = 0; c < columns; ++c) {
    if (low[c] > high[c]) continue;  // nothing finite
    if (low[c] > 0.0F || high[c] < 0.0F) entry.base[c] = 0.5F * low[c] + 0.5F * high[c];
    const float reach = std::max(high[c] - entry.base[c], entry.base[c] - low[c]);
    // Differences at the end of what a float holds have no scale; what remains of them is their base.
    if (std::isfinite(reach)) entry.scale[c] = reach / largest_integer;
  }
}

std::vector<std::byte> ArrayPack::encode(const Entry& entry) {
  std::vector<std::byte> bytes(entry.bytes);
  const ReportArray& array = *entry.array;
  if (entry.type == Type::f8) put_planes<double>(array.f8, bytes.data());
  if (entry.type == Type::f4) put_planes<float>(array.f4, bytes.data());
  if (entry.type != Type::i2) return bytes;

  const std::size_t count = array.f4.size(), columns = count / array.shape[0];
  std::vector<std::uint16_t> before(columns, 0);
  std::vector<float> inverse(columns, 0.0F);
  for (std::size_t c = 0; c < columns; ++c)
    if (entry.scale[c] > 0.0F && std::isfinite(1.0F / entry.scale[c])) inverse[c] = 1.0F / entry.scale[c];
  for (std::size_t i = 0; i < count; i += columns)
    for (std::size_t c = 0; c < columns; ++c) {
      const float value = array.f4[i + c], steps = (value - entry.base[c]) * inverse[c];
      const float clamped = std::min(std::max(steps, -largest_integer), largest_integer);
      const auto integer = static_cast<std::int16_t>(std::isfinite(value) ? std::lrintf(clamped) : no_value);
      const auto difference = static_cast<std::uint16_t>(static_cast<std::uint16_t>(integer) - before[c]);
      before[c] = static_cast<std::uint16_t>(integer);
      bytes[i + c] = static_cast<std::byte>(difference & 255U);
      bytes[count + i + c] = static_cast<std::byte>(difference >> 8U);
    }
  return bytes;
}

void ArrayPack::write(const std::function<void(std::span<const std::byte>)>& sink) const {
  const std::vector<std::byte> padding(8);
  std::size_t at = 0;
  for (const Entry& entry : entries_) {
    sink({padding.data(), entry.offset - at});
    sink(encode(entry));
    at = entry.offset + entry.bytes;
  }
  sink({padding.data(), end_ - at});
}

}  // namespace taut
