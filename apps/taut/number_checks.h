// Checks of numbers on the command line, with messages that a reader can use.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace taut {

inline CLI::Validator finite_number() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0.0;
        const bool number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        return number ? std::string() : fmt::format("expected a finite number, not \"{}\"", text);
      },
      "");
}

// Above 0, and finite.
inline CLI::Validator positive_number() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0.0;
        const bool number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        return number && value > 0.0 ? std::string() : fmt::format("expected a positive number, not \"{}\"", text);
      },
      "");
}

// Above one number and at most another.
inline CLI::Validator number_between(double above, double most) {
  return CLI::Validator(
      [above, most](std::string& text) {
        double value = 0.0;
        const bool number = CLI::detail::lexical_cast(text, value) && value > above && value <= most;
        return number ? std::string()
                      : fmt::format("expected a number above {:g}, {:g} at most, not \"{}\"", above, most, text);
      },
      "");
}

inline CLI::Validator whole_number(long least, long most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        long value = 0;
        const bool number = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
        return number ? std::string()
                      : fmt::format("expected a whole number from {} to {}, not \"{}\"", least, most, text);
      },
      "");
}

// 0 or above, and finite.
inline CLI::Validator number_not_negative() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0.0;
        const bool number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        return number && value >= 0.0 ? std::string()
                                      : fmt::format("expected a number of 0 or above, not \"{}\"", text);
      },
      "");
}

}  // namespace taut
