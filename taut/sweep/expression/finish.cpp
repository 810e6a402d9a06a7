// The last steps of building an expression: what it is used for, and conditions over time.
#include <fmt/format.h>

#include <algorithm>

#include "taut/sweep/expression/builder.h"

namespace taut {

using Level = Piece::Level;

ExpressionPrograms ExpressionBuilder::finish(const Piece& whole, ExpressionUse use) {
  need_value(whole);
  const auto refuse = [&](const std::string& message) { throw ExpressionError(whole.column, message); };
  if (use == ExpressionUse::condition) {
    need_condition(whole);
    if (whole.level == Level::end)
      refuse(
          fmt::format("{} is known only when the run is over: a condition during the run cannot use it", whole.cause));
  } else if (use == ExpressionUse::parameter) {
    need_number(whole);
    if (whole.level != Level::start) refuse(fmt::format("{} is not known before the run", whole.cause));
  } else if (whole.level == Level::signal && whole.condition) {
    refuse(fmt::format("{} changes with time: say first_time(...), last_time(...) or duration(...)", whole.cause));
  } else if (whole.level == Level::signal) {
    refuse(fmt::format("{} changes with time: say max(...), mean(...), at(..., t) or last(...)", whole.cause));
  }
  if (whole.level == Level::members)
    refuse(fmt::format("{} is one value for each member: say smallest(...), largest(...), sum(...) or average(...)",
                       whole.cause));
  programs_.result = take(whole.begin, whole.column);
  return std::move(programs_);
}

void split_condition(std::span<const Op> condition, Reduction& reduction) {
  // Where the program of each operation begins.
  std::vector<int> begin(condition.size()), open;
  for (int i = 0; i < static_cast<int>(condition.size()); ++i) {
    const int taken = operands(condition[i].code);
    begin[i] = taken == 0 ? i : open[open.size() - static_cast<std::size_t>(taken)];
    open.resize(open.size() - static_cast<std::size_t>(taken));
    open.push_back(begin[i]);
  }

  // From the end, stepping over each comparison with all that is inside it.
  for (int i = static_cast<int>(condition.size()) - 1; i >= 0; --i) {
    if (!is_comparison(condition[i].code)) {
      reduction.condition.push_back(condition[i]);
      continue;
    }
    Program difference(condition.begin() + begin[i], condition.begin() + i);
    difference.push_back({OpCode::subtract, 0, 0.0});
    reduction.condition.push_back({OpCode::signal, static_cast<int>(reduction.comparisons.size()), 0.0});
    reduction.comparisons.push_back(condition[i].code);
    reduction.differences.push_back(std::move(difference));
    i = begin[i];
  }
  std::reverse(reduction.condition.begin(), reduction.condition.end());
}

double Expression::value(std::span<const double> parameters) const {
  ProgramInputs in;
  in.parameters = parameters;
  return run_program(programs_.result, in);
}

bool Expression::holds(std::span<const double> signals, std::span<const double> parameters) const {
  double aggregates[most_aggregates];
  const std::span<double> values(aggregates, programs_.aggregates.size());
  run_aggregates(programs_, signals, parameters, values);
  ProgramInputs in;
  in.parameters = parameters;
  in.signals = signals;
  in.aggregates = values;
  in.columns = programs_.columns;
  return run_program(programs_.result, in) != 0;
}

}  // namespace taut
