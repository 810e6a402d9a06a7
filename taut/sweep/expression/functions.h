// The functions of expressions, by name.
#pragma once

#include <span>
#include <string_view>

#include "taut/sweep/expression/program.h"

namespace taut {

struct ExpressionFunction {
  enum class Kind {
    number,     // of numbers: `code`
    extreme,    // max, min: of two or more numbers `code`; of one signal `reduction`
    select,     // if
    aggregate,  // of members: `aggregate`
    reduction,  // of a signal: `reduction`
    at,         // of a signal and a time
    condition,  // of a condition: `reduction`
    holds,      // of a condition, or of events: `reduction` or `event_reduction`
    events,     // of events: `event_reduction`
  };
  std::string_view name;
  Kind kind;
  int least_arguments, most_arguments;
  OpCode code = OpCode::constant;
  Aggregate::Kind aggregate = Aggregate::Kind::smallest;
  Reduction::Kind reduction = Reduction::Kind::max, event_reduction = Reduction::Kind::count;
};

std::span<const ExpressionFunction> expression_functions();

// Nothing if there is none of this name.
const ExpressionFunction* find_expression_function(std::string_view name);

}  // namespace taut
