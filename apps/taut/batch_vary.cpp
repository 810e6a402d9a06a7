#include "apps/taut/batch_vary.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/taut/command_line.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/sweep/draw/draw.h"

namespace taut {
namespace {

[[noreturn]] void refuse_range(const std::string& text, const std::string& why) {
  throw InputError({Problem{{}, "--vary " + text, why}});
}

VariedRange range_of(const std::string& text) {
  const char* const expected = "expected KEY=LOW:HIGH, or KEY=log:LOW:HIGH, such as cables.*.stiffness=500:2000";
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) refuse_range(text, expected);
  VariedRange range{text.substr(0, equals), {}};
  std::string numbers = text.substr(equals + 1);
  if (numbers.starts_with("log:")) {
    range.distribution.kind = DistributionKind::log_uniform;
    numbers = numbers.substr(4);
  }
  const std::size_t colon = numbers.find(':');
  if (colon == std::string::npos || !read_number(numbers.substr(0, colon), range.distribution.low) ||
      !read_number(numbers.substr(colon + 1), range.distribution.high))
    refuse_range(text, expected);
  if (const std::string fault = fault_of(range.distribution); !fault.empty()) refuse_range(text, fault);
  return range;
}

}  // namespace

std::vector<VariedRange> varied_ranges(const std::vector<std::string>& texts) {
  std::vector<VariedRange> ranges;
  for (const std::string& text : texts) {
    VariedRange range = range_of(text);
    if (std::any_of(ranges.begin(), ranges.end(), [&](const VariedRange& r) { return r.key == range.key; }))
      refuse_range(text, in_quotes(range.key) + " varies already: expected every key once");
    ranges.push_back(std::move(range));
  }
  return ranges;
}

std::vector<batch::VariedValues> draws_of(const std::vector<VariedRange>& ranges, std::uint64_t seed, long robots) {
  const DrawPlan plan{.method = DrawMethod::random,
                      .seed = seed,
                      .runs = static_cast<std::uint64_t>(robots),
                      .dimensions = static_cast<int>(ranges.size())};
  if (const std::string fault = fault_of(plan); !ranges.empty() && !fault.empty()) throw InputError("--vary: " + fault);
  std::vector<batch::VariedValues> drawn;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    drawn.push_back({ranges[k].key, {}});
    for (long i = 0; i < robots; ++i)
      drawn.back().values.push_back(
          ranges[k].distribution.quantile(draw(plan, static_cast<std::uint64_t>(i), static_cast<int>(k))));
  }
  return drawn;
}

}  // namespace taut
