// Expressions of a sweep: what is recorded of a run, when a run is stopped, parameters that follow from others.
//
//   max(cables."a1-a2".tension) / pretension - 1          if(count(slack_events) > 0, first_time(slack_events), nan)
//
// Numbers, + - * / ^, comparisons, and, or, not, if(condition, a, b), functions and names. A text is parsed once into
// flat postfix programs; what comes out is constant and may be used by many threads, each with an Accumulator of its
// own.
//
// What an expression is worth is known at one of three times, its level:
//   start   before the run: numbers and parameters;
//   signal  at every output row: columns of a run such as nodes.a1.z, and what is computed from them;
//   end     when the run is over: reductions of a signal over time such as max(s), and numbers of the summary.
// Several columns under one name (cables.*.tension) are one signal per member until smallest, largest, sum or average
// makes one of them.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taut/sweep/expression/program.h"

namespace taut {

class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(int column, const std::string& message) : std::runtime_error(message), column_(column) {}
  int column() const { return column_; }  // of the text, in characters from 1

 private:
  int column_;
};

enum class NameKind {
  none,       // unknown
  parameter,  // a number known before the run: index into `parameters`
  scalar,     // a number known when the run is over: index into `scalars`
  signal,     // a number at every row: index into `signals`
  signals,    // one for each of several members: columns are indices into `signals`
  events,     // a list of events: index into `events`
};

// A dotted path; parts may be quoted, or hold dashes. `text` is as written, `parts` are without quotation marks; a star
// is the part "*".
struct ExpressionName {
  std::string text;
  std::vector<std::string> parts;
};

struct ResolvedName {
  NameKind kind = NameKind::none;
  int index = 0;
  std::vector<int> columns;          // of signals
  std::vector<std::string> members;  // of events: the names that can occur; empty: any
  std::string message;               // of none: what is wrong, instead of a message made from `known`
};

// Asked for every name, also more than once for the same one, and for what may turn out to be a difference (a.b-c.d).
struct Resolver {
  std::function<ResolvedName(const ExpressionName&)> resolve;
  std::vector<std::string> known;  // names to suggest for an unknown one
};

// What an expression is for, and so when its value must be known.
enum class ExpressionUse {
  record,     // a number per run (a condition counts 1 or 0): levels start and end
  condition,  // a condition at every row: levels start and signal
  parameter,  // a number before the run: level start
};

class Expression {
 public:
  // Of ExpressionUse::parameter.
  double value(std::span<const double> parameters) const;
  // Of ExpressionUse::condition, at one row.
  bool holds(std::span<const double> signals, std::span<const double> parameters) const;

  ExpressionUse use() const { return use_; }
  const ExpressionPrograms& programs() const { return programs_; }

 private:
  friend Expression parse_expression(std::string_view, const Resolver&, ExpressionUse);
  Expression(ExpressionUse use, ExpressionPrograms programs) : use_(use), programs_(std::move(programs)) {}
  ExpressionUse use_;
  ExpressionPrograms programs_;
};

// Throws ExpressionError: what is wrong and what was expected.
Expression parse_expression(std::string_view text, const Resolver& resolver, ExpressionUse use = ExpressionUse::record);

}  // namespace taut
