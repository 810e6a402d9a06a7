// The rows of a sweep that its page holds, and why runs did not come to their end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct KeptRow {
  std::uint64_t draw = 0;  // a number from the number of the run; those with the least are kept
  long run = 0;
  int status = 0;
  std::vector<double> values;
  std::string reason;
};

// At most `most` rows: all, where there are no more; else drawn at random by the numbers of their runs, so that the
// same table gives the same rows. Of those that failed or were refused as many as fit in a tenth, so that a few are not
// lost.
class RowSample {
 public:
  explicit RowSample(std::size_t most) : most_(most) {}

  void take(long run, const std::vector<double>& values, int status, const std::string& reason);
  std::vector<KeptRow> rows() const;  // by the number of the run

 private:
  std::size_t most_;
  std::vector<KeptRow> good_, bad_;  // heaps, the greatest draw on top
};

// Reasons that differ only in their numbers are one.
struct ReasonGroup {
  std::string text;  // of the first
  int status = 0;
  long count = 0, run = 0;  // how many; the first run
  bool alike = false;       // others say other numbers
};

class ReasonList {
 public:
  static constexpr std::size_t most = 100;

  void take(long run, int status, const std::string& reason);
  std::vector<ReasonGroup> groups() const;  // most frequent first
  long others() const { return others_; }   // of reasons beyond `most`

 private:
  std::map<std::string, ReasonGroup> groups_;
  long others_ = 0;
};

// At most `most` bytes, with an ellipsis where something was cut; never within a character of UTF-8.
std::string clipped(std::string_view text, std::size_t most);

}  // namespace taut
