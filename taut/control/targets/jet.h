// A number with its first and second derivatives in time, and what sums, products, roots and angles do to them: exact
// rates and accelerations of whatever is computed from moving points.
#pragma once

#include <array>
#include <cmath>

#include "taut/base/types.h"

namespace taut {

struct Jet {
  double value = 0.0, rate = 0.0, second = 0.0;
};

inline Jet operator+(const Jet& a, const Jet& b) { return {a.value + b.value, a.rate + b.rate, a.second + b.second}; }
inline Jet operator-(const Jet& a, const Jet& b) { return {a.value - b.value, a.rate - b.rate, a.second - b.second}; }
inline Jet operator-(const Jet& a) { return {-a.value, -a.rate, -a.second}; }
inline Jet operator*(double k, const Jet& a) { return {k * a.value, k * a.rate, k * a.second}; }
inline Jet operator*(const Jet& a, const Jet& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.second * b.value + 2.0 * a.rate * b.rate + a.value * b.second};
}
inline Jet operator/(const Jet& a, const Jet& b) {
  const double value = a.value / b.value, rate = (a.rate - value * b.rate) / b.value;
  return {value, rate, (a.second - 2.0 * rate * b.rate - value * b.second) / b.value};
}
inline Jet sqrt(const Jet& a) {
  const double root = std::sqrt(a.value), rate = 0.5 * a.rate / root;
  return {root, rate, (0.5 * a.second - rate * rate) / root};
}
inline Jet atan2(const Jet& y, const Jet& x) {
  const double square = x.value * x.value + y.value * y.value;
  const double rate = (x.value * y.rate - y.value * x.rate) / square;
  const double stretch = 2.0 * (x.value * x.rate + y.value * y.rate);
  return {std::atan2(y.value, x.value), rate, (x.value * y.second - y.value * x.second - rate * stretch) / square};
}

struct Jet3 {
  std::array<Jet, 3> at;

  Jet3() = default;
  Jet3(const Jet& x, const Jet& y, const Jet& z) : at{x, y, z} {}
  Jet3(const Vec3& value, const Vec3& rate, const Vec3& second)
      : at{Jet{value[0], rate[0], second[0]}, Jet{value[1], rate[1], second[1]}, Jet{value[2], rate[2], second[2]}} {}
  const Jet& operator[](int i) const { return at[static_cast<std::size_t>(i)]; }
};

inline Jet3 operator+(const Jet3& a, const Jet3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Jet3 operator-(const Jet3& a, const Jet3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Jet3 operator*(double k, const Jet3& a) { return {k * a[0], k * a[1], k * a[2]}; }
inline Jet3 operator/(const Jet3& a, const Jet& k) { return {a[0] / k, a[1] / k, a[2] / k}; }
inline Jet dot(const Jet3& a, const Jet3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Jet3 cross(const Jet3& a, const Jet3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Jet norm(const Jet3& a) { return sqrt(dot(a, a)); }

}  // namespace taut
