// Takes a report page apart by other means than those that made it: base64, zlib, byte planes, differences.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace taut::testing {

inline constexpr const char* stand_in_page =
    "<!doctype html><title>x</title>\n<!--taut:data-->\n<script>run()</script>\n";

std::string from_base64(const std::string& text);

std::string inflated(const std::string& packed);

class DecodedReport {
 public:
  explicit DecodedReport(const std::string& page);

  // The numbers that an array object points to.
  std::vector<double> numbers(const nlohmann::json& array) const;

  nlohmann::json document;

 private:
  std::vector<double> per_column(const nlohmann::json& scale, std::size_t columns) const;
  // The text of the element that begins with `tag`; there must be one, and nothing in it may look like its end.
  static std::string element(const std::string& page, const std::string& tag);
  std::string bytes_;
};

}  // namespace taut::testing
