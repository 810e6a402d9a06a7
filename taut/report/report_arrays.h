// The arrays of a report as bytes. Every array is first entered, which settles its encoding and its place and gives the
// JSON object that points there; then all are written, one after another.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "taut/report/report.h"

namespace taut {

class ArrayPack {
 public:
  // `rounded`: floats of many rows as i2, differences from row to row, each column with its own scale. The array must
  // stay where it is until write(). Throws std::logic_error if its shape does not fit.
  nlohmann::ordered_json enter(const ReportArray& array, bool rounded = false);
  nlohmann::ordered_json enter(ReportArray&& array, bool rounded = false);  // kept here

  std::size_t bytes() const { return end_; }
  void write(const std::function<void(std::span<const std::byte>)>& sink) const;

 private:
  enum class Type { f8, f4, i2 };
  struct Entry {
    const ReportArray* array;
    Type type;
    std::size_t offset, bytes;
    std::vector<float> base, scale;  // of i2, per column
  };
  void fit(Entry& entry) const;
  static std::vector<std::byte> encode(const Entry& entry);

  std::deque<ReportArray> kept_;
  std::vector<Entry> entries_;
  std::size_t end_ = 0;
};

}  // namespace taut
