// Turns what the parser reads into programs, and checks that it makes sense: numbers where numbers are needed,
// conditions where conditions are, nothing used before it is known. Every operation appends to the program that is
// being built, so its operands must have been built just before it, in their order. All throw ExpressionError.
#pragma once

#include <string>
#include <vector>

#include "taut/sweep/expression/expression.h"
#include "taut/sweep/expression/lexer.h"

namespace taut {

// A part of an expression that has been read.
struct Piece {
  enum class Level { start, signal, members, end, events, text } level = Level::start;
  bool condition = false;
  int column = 1;
  std::size_t begin = 0;           // where its program begins
  std::string cause;               // the name or function that gave it its level
  std::string group;               // of members: the name up to the star
  int members = 0;                 // of members: how many
  int index = 0;                   // of events: which list
  std::vector<std::string> known;  // of events: names that can occur
  std::string text;                // of text
};

class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(const Resolver& resolver) : resolver_(resolver) {}

  Piece constant(double value, int column);
  Piece text(const Token& token);
  Piece name(const Token& token);

  // Numbers to a number.
  Piece unary(OpCode code, const Piece& a, int column);
  Piece binary(OpCode code, const Piece& a, const Piece& b);
  // Numbers to a condition, conditions to a condition.
  Piece compare(OpCode code, const Piece& a, const Piece& b);
  Piece negation(const Piece& a, int column);
  Piece logical(OpCode code, const Piece& a, const Piece& b);
  // Two numbers or two conditions.
  Piece select(const Piece& condition, const Piece& a, const Piece& b, int column);

  // `function` is the name that was written, for messages; `column` is its place.
  Piece aggregate(Aggregate::Kind kind, const Piece& a, const std::string& function, int column);
  Piece reduce(Reduction::Kind kind, const Piece& a, const std::string& function, int column);
  Piece reduce_at(const Piece& a, const Piece& time, const std::string& function, int column);
  Piece reduce_condition(Reduction::Kind kind, const Piece& a, const std::string& function, int column);
  Piece reduce_events(Reduction::Kind kind, const Piece& a, const Piece* name, const std::string& function, int column);

  // The whole.
  ExpressionPrograms finish(const Piece& whole, ExpressionUse use);

 private:
  void need_value(const Piece& a) const;
  void need_number(const Piece& a) const;
  void need_condition(const Piece& a) const;
  void need_signal(const Piece& a, const std::string& function) const;
  Piece joined(const Piece& a, const Piece& b) const;
  void emit(OpCode code, int index = 0, double value = 0.0) { code_.push_back({code, index, value}); }
  Program take(std::size_t begin, int column);
  Piece reduced(Reduction reduction, std::size_t begin, const std::string& function, int column);

  const Resolver& resolver_;
  Program code_;
  ExpressionPrograms programs_;
};

// Splits a condition into the comparisons that are not inside others (their differences a - b) and a program on whether
// they hold.
void split_condition(std::span<const Op> condition, Reduction& reduction);

}  // namespace taut
