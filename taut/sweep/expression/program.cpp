#include "taut/sweep/expression/program.h"

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// The remainder that has the sign of b: a - b floor(a / b).
double mathematical_mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// Unlike std::min and std::max: no number where one of the two is none.
double least(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }
double greatest(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }

double push(const Op& op, const ProgramInputs& in) {
  switch (op.code) {
    case OpCode::parameter:
      return in.parameters[op.index];
    case OpCode::scalar:
      return in.scalars[op.index];
    case OpCode::signal:
      return in.signals[op.index];
    case OpCode::member:
      return in.signals[in.columns[op.index][in.member]];
    case OpCode::aggregate:
      return in.aggregates[op.index];
    case OpCode::reduction:
      return in.reductions[op.index];
    default:
      return op.value;
  }
}

double apply(OpCode code, double x) {
  switch (code) {
    case OpCode::identity:
      return x;
    case OpCode::negate:
      return -x;
    case OpCode::abs:
      return std::abs(x);
    case OpCode::sqrt:
      return std::sqrt(x);
    case OpCode::exp:
      return std::exp(x);
    case OpCode::log:
      return std::log(x);
    case OpCode::log10:
      return std::log10(x);
    case OpCode::sin:
      return std::sin(x);
    case OpCode::cos:
      return std::cos(x);
    case OpCode::tan:
      return std::tan(x);
    case OpCode::asin:
      return std::asin(x);
    case OpCode::acos:
      return std::acos(x);
    case OpCode::atan:
      return std::atan(x);
    case OpCode::floor:
      return std::floor(x);
    case OpCode::ceil:
      return std::ceil(x);
    case OpCode::round:
      return std::round(x);
    case OpCode::sign:
      return sign_of(x);
    case OpCode::logical_not:
      return x == 0;
    default:
      return NAN;
  }
}

double apply(OpCode code, double a, double b) {
  switch (code) {
    case OpCode::add:
      return a + b;
    case OpCode::subtract:
      return a - b;
    case OpCode::multiply:
      return a * b;
    case OpCode::divide:
      return a / b;
    case OpCode::power:
      return std::pow(a, b);
    case OpCode::atan2:
      return std::atan2(a, b);
    case OpCode::hypot:
      return std::hypot(a, b);
    case OpCode::mod:
      return mathematical_mod(a, b);
    case OpCode::minimum:
      return least(a, b);
    case OpCode::maximum:
      return greatest(a, b);
    case OpCode::less:
      return a < b;
    case OpCode::less_equal:
      return a <= b;
    case OpCode::greater:
      return a > b;
    case OpCode::greater_equal:
      return a >= b;
    case OpCode::equal:
      return a == b;
    case OpCode::not_equal:
      return a != b;
    case OpCode::logical_and:
      return a != 0 && b != 0;
    case OpCode::logical_or:
      return a != 0 || b != 0;
    default:
      return NAN;
  }
}

}  // namespace

int operands(OpCode code) {
  if (code < OpCode::identity) return 0;
  if (code < OpCode::add || code == OpCode::logical_not) return 1;
  return code == OpCode::select ? 3 : 2;
}

bool is_comparison(OpCode code) { return code >= OpCode::less && code <= OpCode::not_equal; }

bool holds_for_sign(OpCode comparison, double sign) { return apply(comparison, sign, 0.0) != 0; }

double run_program(std::span<const Op> program, const ProgramInputs& inputs) {
  double stack[program_stack];
  int top = 0;  // values on the stack
  for (const Op& op : program) {
    switch (operands(op.code)) {
      case 0:
        stack[top++] = push(op, inputs);
        break;
      case 1:
        stack[top - 1] = apply(op.code, stack[top - 1]);
        break;
      case 2:
        --top;
        stack[top - 1] = apply(op.code, stack[top - 1], stack[top]);
        break;
      default:
        top -= 2;
        stack[top - 1] = stack[top - 1] != 0 ? stack[top] : stack[top + 1];
    }
  }
  return stack[0];
}

void run_aggregates(const ExpressionPrograms& programs, std::span<const double> signals,
                    std::span<const double> parameters, std::span<double> values) {
  ProgramInputs in;
  in.parameters = parameters;
  in.signals = signals;
  in.aggregates = values;
  in.columns = programs.columns;
  for (std::size_t j = 0; j < programs.aggregates.size(); ++j) {
    const Aggregate& aggregate = programs.aggregates[j];
    double value = 0;
    for (int k = 0; k < aggregate.members; ++k) {
      in.member = static_cast<std::size_t>(k);
      const double x = run_program(aggregate.program, in);
      if (aggregate.kind == Aggregate::Kind::smallest)
        value = k == 0 ? x : least(value, x);
      else if (aggregate.kind == Aggregate::Kind::largest)
        value = k == 0 ? x : greatest(value, x);
      else
        value += x;
    }
    values[j] = aggregate.kind == Aggregate::Kind::average ? value / aggregate.members : value;
  }
}

}  // namespace taut
