// Multiples of a number as its decimal digits have them: 3 times 0.1 is 0.3, where 3 * 0.1 is 0.30000000000000004. So the
// last row of a run that ends at 0.3 s is also a row of every longer one, to the last bit.
#pragma once

#include <charconv>
#include <cmath>

namespace taut {

class Multiples {
 public:
  explicit Multiples(double number) : number_(number) {
    // number = digits_ times ten to some power, in the fewest digits that are this number: "3.125e-02".
    char text[40];
    const char* const end = std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr;
    const char* at = text;
    int power = 0, behind = 0;
    bool point = false;
    for (; at != end && *at != 'e'; ++at) {
      if (*at == '.') {
        point = true;
        continue;
      }
      digits_ = 10.0 * digits_ + (*at - '0');
      behind += point;
    }
    if (at != end) std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, power);
    power -= behind;
    exact_ = std::abs(power) <= 22;  // powers of ten that are exact
    for (int i = 0; exact_ && i < std::abs(power); ++i) (power < 0 ? below_ : above_) *= 10.0;
  }

  // Both terms of the quotient are whole numbers below 2^53, so that it is the number nearest to the true one.
  double operator()(long i) const {
    const double whole = static_cast<double>(i) * digits_ * above_;
    return exact_ && whole < 0x1p53 ? whole / below_ : static_cast<double>(i) * number_;
  }

 private:
  double number_, digits_ = 0.0, above_ = 1.0, below_ = 1.0;
  bool exact_ = false;
};

}  // namespace taut
