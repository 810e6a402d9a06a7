// What differs from robot to robot of `taut batch`: --vary key=low:high, --vary key=log:low:high.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taut/batch/end_states.h"
#include "taut/sweep/draw/distribution.h"

namespace taut {

struct VariedRange {
  std::string key;
  Distribution distribution;
};

// Throws InputError, which names the option: no range, or a key that varies twice.
std::vector<VariedRange> varied_ranges(const std::vector<std::string>& texts);

// Draws of every key for each robot. Number k of robot i is a function of seed, i and k alone: more robots leave the
// first ones as they are, and so do further keys behind.
std::vector<batch::VariedValues> draws_of(const std::vector<VariedRange>& ranges, std::uint64_t seed, long robots);

}  // namespace taut
