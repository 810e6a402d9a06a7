#include "taut/export/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

// 1, 2 or 5 times a power of ten, at least `size`.
double round_step(double size) {
  const double power = std::pow(10.0, std::floor(std::log10(size)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= 0.999999 * size) return factor * power;
  return 10.0 * power;
}

}  // namespace

std::string power_of_ten(int exponent) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char c : std::to_string(exponent)) text += c == '-' ? "⁻" : digits[c - '0'];
  return text;
}

Axis make_axis(double low, double high, int count, bool padded) {
  if (!(low <= high)) low = 0.0, high = 1.0;
  // Numbers beyond these would make the arithmetic below overflow or vanish.
  constexpr double most = 1e300, least = 1e-290;
  low = std::clamp(low, -most, most);
  high = std::clamp(high, -most, most);
  double size = std::max(std::abs(low), std::abs(high));
  if (size < least) low = std::min(low, 0.0), high = size = 1.0;
  // A constant is drawn as a flat line, not as the rounding in it.
  if (padded && high - low < 1e-4 * size) low -= 0.05 * size, high += 0.05 * size;
  if (padded && low > 0.0 && low < 0.5 * high) low = 0.0;
  if (padded && high < 0.0 && high > 0.5 * low) high = 0.0;
  if (!(high > low)) high = low + size;

  // A little air, but not beyond a limit of 0.
  Axis axis;
  const double air = padded ? 0.04 * (high - low) : 0.0;
  axis.low = low == 0.0 ? low : low - air;
  axis.high = high == 0.0 ? high : high + air;
  const double step = round_step(axis.high / count - axis.low / count);
  size = std::max(std::abs(axis.low), std::abs(axis.high));
  const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  if (power >= 5 || power < -2) axis.exponent = static_cast<int>(std::floor(power / 3.0)) * 3;

  const double unit = std::pow(10.0, axis.exponent);
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step / unit) + 1e-9)), 0, 12);
  const double from = std::ceil(axis.low / step - 1e-9), to = std::floor(axis.high / step + 1e-9);
  for (double k = from; k <= to && axis.ticks.size() < 100; k += 1.0) {
    axis.ticks.push_back(k * step);
    std::string text = fmt::format("{:.{}f}", k * step / unit + 0.0, decimals);
    if (text.starts_with("-"))
      text = text.find_first_not_of("-0.") == std::string::npos ? text.substr(1) : "−" + text.substr(1);
    axis.labels.push_back(std::move(text));
  }
  return axis;
}

}  // namespace taut
