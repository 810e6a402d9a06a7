#include "taut/sweep/expression/functions.h"

#include <limits>
#include <vector>

namespace taut {

namespace {

using Function = ExpressionFunction;
using FunctionKind = ExpressionFunction::Kind;
using ReductionKind = Reduction::Kind;

constexpr int any_member = std::numeric_limits<int>::max();

std::vector<Function> make_functions() {
  std::vector<Function> list;
  const auto number = [&](std::string_view name, OpCode code) {
    list.push_back({.name = name,
                    .kind = FunctionKind::number,
                    .least_arguments = operands(code),
                    .most_arguments = operands(code),
                    .code = code});
  };
  number("abs", OpCode::abs);
  number("sqrt", OpCode::sqrt);
  number("exp", OpCode::exp);
  number("log", OpCode::log);
  number("log10", OpCode::log10);
  number("sin", OpCode::sin);
  number("cos", OpCode::cos);
  number("tan", OpCode::tan);
  number("asin", OpCode::asin);
  number("acos", OpCode::acos);
  number("atan", OpCode::atan);
  number("floor", OpCode::floor);
  number("ceil", OpCode::ceil);
  number("round", OpCode::round);
  number("sign", OpCode::sign);
  number("atan2", OpCode::atan2);
  number("hypot", OpCode::hypot);
  number("mod", OpCode::mod);

  const auto extreme = [&](std::string_view name, OpCode code, ReductionKind reduction) {
    list.push_back({.name = name,
                    .kind = FunctionKind::extreme,
                    .least_arguments = 1,
                    .most_arguments = any_member,
                    .code = code,
                    .reduction = reduction});
  };
  extreme("max", OpCode::maximum, ReductionKind::max);
  extreme("min", OpCode::minimum, ReductionKind::min);
  list.push_back({.name = "if", .kind = FunctionKind::select, .least_arguments = 3, .most_arguments = 3});

  const auto aggregate = [&](std::string_view name, Aggregate::Kind kind) {
    list.push_back(
        {.name = name, .kind = FunctionKind::aggregate, .least_arguments = 1, .most_arguments = 1, .aggregate = kind});
  };
  aggregate("smallest", Aggregate::Kind::smallest);
  aggregate("largest", Aggregate::Kind::largest);
  aggregate("sum", Aggregate::Kind::sum);
  aggregate("average", Aggregate::Kind::average);

  const auto reduction = [&](std::string_view name, FunctionKind kind, int arguments, ReductionKind what) {
    list.push_back(
        {.name = name, .kind = kind, .least_arguments = arguments, .most_arguments = arguments, .reduction = what});
  };
  reduction("mean", FunctionKind::reduction, 1, ReductionKind::mean);
  reduction("rms", FunctionKind::reduction, 1, ReductionKind::rms);
  reduction("integral", FunctionKind::reduction, 1, ReductionKind::integral);
  reduction("first", FunctionKind::reduction, 1, ReductionKind::first);
  reduction("last", FunctionKind::reduction, 1, ReductionKind::last);
  reduction("final", FunctionKind::reduction, 1, ReductionKind::last);
  reduction("time_of_max", FunctionKind::reduction, 1, ReductionKind::time_of_max);
  reduction("time_of_min", FunctionKind::reduction, 1, ReductionKind::time_of_min);
  reduction("at", FunctionKind::at, 2, ReductionKind::at);
  reduction("duration", FunctionKind::condition, 1, ReductionKind::duration);

  const auto events = [&](std::string_view name, FunctionKind kind, ReductionKind of_condition,
                          ReductionKind of_events) {
    list.push_back({.name = name,
                    .kind = kind,
                    .least_arguments = 1,
                    .most_arguments = 2,
                    .reduction = of_condition,
                    .event_reduction = of_events});
  };
  events("count", FunctionKind::events, ReductionKind::count, ReductionKind::count);
  events("first_time", FunctionKind::holds, ReductionKind::first_holds, ReductionKind::first_event);
  events("last_time", FunctionKind::holds, ReductionKind::last_holds, ReductionKind::last_event);
  return list;
}

}  // namespace

std::span<const ExpressionFunction> expression_functions() {
  static const std::vector<Function> functions = make_functions();
  return functions;
}

const ExpressionFunction* find_expression_function(std::string_view name) {
  for (const Function& function : expression_functions())
    if (function.name == name) return &function;
  return nullptr;
}

}  // namespace taut
