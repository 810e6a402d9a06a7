// What an expression is parsed into: postfix programs in flat arrays.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace taut {

// 1, -1, or x where it is neither above nor below zero.
inline double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

enum class OpCode : unsigned char {
  // Push: `value`, or entry `index` of a list.
  constant,
  parameter,
  scalar,
  signal,
  member,     // of column list `index` the column of the member that is being looked at
  aggregate,  // result of aggregate `index` at this row
  reduction,  // result of reduction `index`
  // One number.
  identity,
  negate,
  abs,
  sqrt,
  exp,
  log,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  floor,
  ceil,
  round,
  sign,
  // Two numbers.
  add,
  subtract,
  multiply,
  divide,
  power,
  atan2,
  hypot,
  mod,
  minimum,
  maximum,
  // Conditions are 1 or 0. Two numbers make one:
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  // Of conditions.
  logical_not,
  logical_and,
  logical_or,
  // condition, a, b -> a or b
  select,
};

struct Op {
  OpCode code = OpCode::constant;
  int index = 0;
  double value = 0.0;
};

using Program = std::vector<Op>;

// How many values an operation takes (0 to 3); all leave one.
int operands(OpCode code);
// less to not_equal
bool is_comparison(OpCode code);
// Whether a comparison holds for numbers whose difference has this sign (-1, 0, 1, or nan for no order).
bool holds_for_sign(OpCode comparison, double sign);

// Everything that a program may push from.
struct ProgramInputs {
  std::span<const double> parameters, scalars, signals, aggregates, reductions;
  std::span<const std::vector<int>> columns;
  std::size_t member = 0;
};

inline constexpr int program_stack = 256;  // values at most at once

// The value that is left. Allocates nothing.
double run_program(std::span<const Op> program, const ProgramInputs& inputs);

// One number out of one per member, by running `program` for each.
struct Aggregate {
  enum class Kind { smallest, largest, sum, average } kind = Kind::smallest;
  Program program;
  int members = 0;
};

inline constexpr int most_aggregates = 64;

// One number out of a signal, a condition or a list of events.
struct Reduction {
  enum class Kind {
    max,
    min,
    mean,
    rms,
    integral,
    first,
    last,
    at,
    time_of_max,
    time_of_min,  // of a signal
    first_holds,
    last_holds,
    duration,  // of a condition
    count,
    first_event,
    last_event,  // of events
  } kind = Kind::max;

  Program signal;  // of a signal; of level signal
  Program time;    // of `at`; of level start

  // Of a condition: comparisons by the difference of their sides (level signal), and a program on them in which signal
  // k stands for "comparison k holds".
  std::vector<Program> differences;
  std::vector<OpCode> comparisons;
  Program condition;

  // Of events: which list, and the name that is asked for, if any.
  int events = 0;
  bool named = false;
  std::string name;
};

struct ExpressionPrograms {
  std::vector<std::vector<int>> columns;  // lists of columns under one name
  std::vector<Aggregate> aggregates;      // those inside others come first
  std::vector<Reduction> reductions;
  Program result;  // of reductions, scalars and parameters; of the signals themselves where the use is a condition
};

// All aggregates at one row, into `values`, which has their number.
void run_aggregates(const ExpressionPrograms& programs, std::span<const double> signals,
                    std::span<const double> parameters, std::span<double> values);

}  // namespace taut
