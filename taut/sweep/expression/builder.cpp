#include "taut/sweep/expression/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "taut/base/text/suggest.h"

namespace taut {

using Level = Piece::Level;

namespace {

const char* const wrap_members = "say smallest(...), largest(...), sum(...) or average(...)";

// How many values are on the stack at most.
int stack_depth(std::span<const Op> program) {
  int depth = 0, deepest = 0;
  for (const Op& op : program) {
    depth += 1 - operands(op.code);
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

}  // namespace

void ExpressionBuilder::need_value(const Piece& a) const {
  if (a.level == Level::events)
    throw ExpressionError(a.column,
                          fmt::format("{} is a list of events: say count({}), first_time({}) or last_time({})", a.cause,
                                      a.cause, a.cause, a.cause));
  if (a.level == Level::text)
    throw ExpressionError(a.column,
                          fmt::format("a text in quotes stands only after a list of events, as in "
                                      "count(slack_events, \"{}\"); a name begins with a letter, as in cables.\"{}\"",
                                      a.text, a.text));
}

void ExpressionBuilder::need_number(const Piece& a) const {
  need_value(a);
  if (a.condition)
    throw ExpressionError(a.column, "a condition where a number is needed: if(condition, 1, 0) makes one of it");
}

void ExpressionBuilder::need_condition(const Piece& a) const {
  need_value(a);
  if (!a.condition) throw ExpressionError(a.column, "a number where a condition is needed: compare it, as in x > 0");
}

void ExpressionBuilder::need_signal(const Piece& a, const std::string& function) const {
  if (a.level == Level::members)
    throw ExpressionError(
        a.column, fmt::format("{} is one value for each member: {} inside {}(...)", a.cause, wrap_members, function));
  if (a.level != Level::signal)
    throw ExpressionError(a.column, fmt::format("{}(...) is over time, but {} does not change with time", function,
                                                a.cause.empty() ? "this" : a.cause));
}

// The level of what is computed from both.
Piece ExpressionBuilder::joined(const Piece& a, const Piece& b) const {
  const auto varies = [](const Piece& p) { return p.level == Level::signal || p.level == Level::members; };
  if ((varies(a) && b.level == Level::end) || (varies(b) && a.level == Level::end)) {
    const Piece& late = varies(a) ? b : a;
    throw ExpressionError(late.column,
                          fmt::format("{} is known only when the run is over: it cannot be combined with {}, "
                                      "which changes with time",
                                      late.cause, (varies(a) ? a : b).cause));
  }
  if (a.level == Level::members && b.level == Level::members && (a.group != b.group || a.members != b.members))
    throw ExpressionError(b.column, fmt::format("{} and {} belong to different members", a.cause, b.cause));

  Piece result = a;
  if (a.level == Level::start || (a.level == Level::signal && b.level == Level::members)) {
    result = b;
    result.begin = a.begin;
    result.column = a.column;
    if (b.cause.empty()) result.cause = a.cause;
  }
  return result;
}

Program ExpressionBuilder::take(std::size_t begin, int column) {
  Program program(code_.begin() + static_cast<std::ptrdiff_t>(begin), code_.end());
  code_.resize(begin);
  if (stack_depth(program) > program_stack)
    throw ExpressionError(column, "too many open operations at once: simplify it");
  return program;
}

Piece ExpressionBuilder::constant(double value, int column) {
  Piece piece;
  piece.column = column;
  piece.begin = code_.size();
  emit(OpCode::constant, 0, value);
  return piece;
}

Piece ExpressionBuilder::text(const Token& token) {
  Piece piece;
  piece.level = Level::text;
  piece.column = token.column;
  piece.begin = code_.size();
  piece.text = token.content;
  return piece;
}

Piece ExpressionBuilder::name(const Token& token) {
  const ExpressionName name{std::string(token.text), token.parts};
  ResolvedName found = resolver_.resolve(name);
  Piece piece;
  piece.column = token.column;
  piece.begin = code_.size();
  piece.cause = name.text;
  piece.index = found.index;
  switch (found.kind) {
    case NameKind::none:
      throw ExpressionError(token.column,
                            !found.message.empty()
                                ? found.message
                                : fmt::format("unknown name {}{}", name.text,
                                              suggestion(name.text, {resolver_.known.begin(), resolver_.known.end()})));
    case NameKind::parameter:
      emit(OpCode::parameter, found.index);
      break;
    case NameKind::scalar:
      piece.level = Level::end;
      emit(OpCode::scalar, found.index);
      break;
    case NameKind::signal:
      piece.level = Level::signal;
      emit(OpCode::signal, found.index);
      break;
    case NameKind::signals: {
      if (found.columns.empty())
        throw ExpressionError(token.column, fmt::format("{}: there are no members", name.text));
      piece.level = Level::members;
      piece.members = static_cast<int>(found.columns.size());
      for (std::size_t i = 0; i < name.parts.size() && name.parts[i] != "*"; ++i) piece.group += name.parts[i] + '\n';
      emit(OpCode::member, static_cast<int>(programs_.columns.size()));
      programs_.columns.push_back(std::move(found.columns));
      break;
    }
    case NameKind::events:
      piece.level = Level::events;
      piece.known = std::move(found.members);
      break;
  }
  return piece;
}

Piece ExpressionBuilder::unary(OpCode code, const Piece& a, int column) {
  need_number(a);
  Piece result = a;
  result.column = column;
  emit(code);
  return result;
}

Piece ExpressionBuilder::binary(OpCode code, const Piece& a, const Piece& b) {
  need_number(a);
  need_number(b);
  Piece result = joined(a, b);
  emit(code);
  return result;
}

Piece ExpressionBuilder::compare(OpCode code, const Piece& a, const Piece& b) {
  Piece result = binary(code, a, b);
  result.condition = true;
  return result;
}

Piece ExpressionBuilder::negation(const Piece& a, int column) {
  need_condition(a);
  Piece result = a;
  result.column = column;
  emit(OpCode::logical_not);
  return result;
}

Piece ExpressionBuilder::logical(OpCode code, const Piece& a, const Piece& b) {
  need_condition(a);
  need_condition(b);
  Piece result = joined(a, b);
  emit(code);
  return result;
}

Piece ExpressionBuilder::select(const Piece& condition, const Piece& a, const Piece& b, int column) {
  need_condition(condition);
  need_value(a);
  if (a.condition)
    need_condition(b);
  else
    need_number(b);
  Piece result = joined(joined(condition, a), b);
  result.condition = a.condition;
  result.column = column;
  emit(OpCode::select);
  return result;
}

Piece ExpressionBuilder::aggregate(Aggregate::Kind kind, const Piece& a, const std::string& function, int column) {
  need_number(a);
  if (a.level != Level::members)
    throw ExpressionError(a.column, fmt::format("{}(...) is over members: it needs a name with a star, such as "
                                                "cables.*.tension",
                                                function));
  if (programs_.aggregates.size() == most_aggregates)
    throw ExpressionError(column, fmt::format("more than {} reductions over members: simplify it", most_aggregates));
  Piece result = a;
  result.level = Level::signal;
  result.column = column;
  programs_.aggregates.push_back({kind, take(a.begin, column), a.members});
  emit(OpCode::aggregate, static_cast<int>(programs_.aggregates.size()) - 1);
  return result;
}

// The whole of `begin` becomes the result of a reduction.
Piece ExpressionBuilder::reduced(Reduction reduction, std::size_t begin, const std::string& function, int column) {
  Piece result;
  result.level = Level::end;
  result.column = column;
  result.begin = begin;
  result.cause = function + "(...)";
  programs_.reductions.push_back(std::move(reduction));
  emit(OpCode::reduction, static_cast<int>(programs_.reductions.size()) - 1);
  return result;
}

Piece ExpressionBuilder::reduce(Reduction::Kind kind, const Piece& a, const std::string& function, int column) {
  using Kind = Reduction::Kind;
  need_number(a);
  Piece signal = a;
  // Extremes over members and time are extremes over time of those over members.
  if (a.level == Level::members && (kind == Kind::max || kind == Kind::time_of_max))
    signal = aggregate(Aggregate::Kind::largest, a, function, column);
  else if (a.level == Level::members && (kind == Kind::min || kind == Kind::time_of_min))
    signal = aggregate(Aggregate::Kind::smallest, a, function, column);
  if (a.level != Level::signal && a.level != Level::members && (kind == Kind::max || kind == Kind::min))
    throw ExpressionError(
        column, fmt::format("{}(...) needs something that changes with time, or two or more numbers", function));
  need_signal(signal, function);
  Reduction reduction;
  reduction.kind = kind;
  reduction.signal = take(a.begin, column);
  return reduced(std::move(reduction), a.begin, function, column);
}

Piece ExpressionBuilder::reduce_at(const Piece& a, const Piece& time, const std::string& function, int column) {
  need_number(a);
  need_number(time);
  need_signal(a, function);
  if (time.level != Level::start)
    throw ExpressionError(
        time.column, fmt::format("the time of {}(...) must be known before the run; {} is not", function, time.cause));
  Reduction reduction;
  reduction.kind = Reduction::Kind::at;
  reduction.time = take(time.begin, column);
  reduction.signal = take(a.begin, column);
  return reduced(std::move(reduction), a.begin, function, column);
}

Piece ExpressionBuilder::reduce_condition(Reduction::Kind kind, const Piece& a, const std::string& function,
                                          int column) {
  need_condition(a);
  need_signal(a, function);
  Reduction reduction;
  reduction.kind = kind;
  split_condition(take(a.begin, column), reduction);
  return reduced(std::move(reduction), a.begin, function, column);
}

Piece ExpressionBuilder::reduce_events(Reduction::Kind kind, const Piece& a, const Piece* name,
                                       const std::string& function, int column) {
  if (a.level != Level::events)
    throw ExpressionError(a.column, fmt::format("{}(...) needs a list of events, such as slack_events", function));
  Reduction reduction;
  reduction.kind = kind;
  reduction.events = a.index;
  if (name != nullptr) {
    if (name->level != Level::text)
      throw ExpressionError(name->column, fmt::format("after {} a name in quotes is expected, as in {}({}, \"a1-a2\")",
                                                      a.cause, function, a.cause));
    if (!a.known.empty() && std::find(a.known.begin(), a.known.end(), name->text) == a.known.end())
      throw ExpressionError(name->column, fmt::format("{} has no \"{}\"{}", a.cause, name->text,
                                                      suggestion(name->text, {a.known.begin(), a.known.end()})));
    reduction.named = true;
    reduction.name = name->text;
  }
  return reduced(std::move(reduction), a.begin, function, column);
}

}  // namespace taut
