// The grammar of expressions, by recursive descent of limited depth.
//
//   or          and { "or" and }
//   and         not { "and" not }
//   not         "not" not | comparison
//   comparison  sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//   sum         product { ("+" | "-") product }
//   product     signed { ("*" | "/") signed }
//   signed      ("+" | "-") signed | power
//   power       primary [ "^" signed ]
//   primary     number | name | text | name "(" or { "," or } ")" | "(" or ")"
#include <fmt/format.h>

#include <limits>
#include <numbers>
#include <utility>

#include "taut/base/text/suggest.h"
#include "taut/base/text/text.h"
#include "taut/sweep/expression/builder.h"
#include "taut/sweep/expression/functions.h"

namespace taut {

namespace {

constexpr int deepest_level = 100;

std::string shown(const Token& token) {
  if (token.kind == TokenKind::end) return "the end";
  return token.kind == TokenKind::text ? std::string(token.text) : fmt::format("\"{}\"", token.text);
}

class Parser {
 public:
  Parser(std::string_view text, const Resolver& resolver)
      : tokens_(expression_tokens(text, resolver)), build_(resolver) {}

  ExpressionPrograms parse(ExpressionUse use) {
    if (now().kind == TokenKind::end) throw ExpressionError(1, "an expression was expected, this is empty");
    const Piece whole = read_or();
    if (now().is(")")) refuse("\")\": no parenthesis is open here");
    if (now().is(",")) refuse("\",\" outside of a function");
    if (now().kind != TokenKind::end) refuse(fmt::format("{}: an operator was expected before it", shown(now())));
    return build_.finish(whole, use);
  }

 private:
  const Token& now() const { return tokens_[place_]; }
  const Token& take() { return tokens_[place_++]; }  // never of the end
  [[noreturn]] void refuse(const std::string& message) const { throw ExpressionError(now().column, message); }

  // Counts how deep the descent is, also where reading ends with an error.
  struct Depth {
    explicit Depth(Parser& parser) : depth(parser.depth_) {
      if (++depth > deepest_level)
        parser.refuse(fmt::format("more than {} parentheses, signs and powers inside each other", deepest_level));
    }
    ~Depth() { --depth; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    int& depth;
  };

  Piece read_or() {
    Piece left = read_and();
    while (now().is_word("or")) {
      ++place_;
      left = build_.logical(OpCode::logical_or, left, read_and());
    }
    return left;
  }

  Piece read_and() {
    Piece left = read_not();
    while (now().is_word("and")) {
      ++place_;
      left = build_.logical(OpCode::logical_and, left, read_not());
    }
    return left;
  }

  Piece read_not() {
    if (!now().is_word("not")) return read_comparison();
    const Depth deeper(*this);
    const int column = take().column;
    return build_.negation(read_not(), column);
  }

  // Whether the next token is one of these; then it is taken.
  template <std::size_t N>
  bool take_operator(const std::pair<std::string_view, OpCode> (&operators)[N], OpCode& code) {
    for (const auto& [symbol, of_symbol] : operators) {
      if (!now().is(symbol)) continue;
      code = of_symbol;
      ++place_;
      return true;
    }
    return false;
  }

  bool take_comparison(OpCode& code) {
    return take_operator({{"<", OpCode::less},
                          {"<=", OpCode::less_equal},
                          {">", OpCode::greater},
                          {">=", OpCode::greater_equal},
                          {"==", OpCode::equal},
                          {"!=", OpCode::not_equal}},
                         code);
  }

  Piece read_comparison() {
    const Piece left = read_sum();
    OpCode code;
    if (!take_comparison(code)) return left;
    const Piece result = build_.compare(code, left, read_sum());
    const int column = now().column;
    if (take_comparison(code))
      throw ExpressionError(column, "comparisons cannot be chained: write a < b and b < c instead of a < b < c");
    return result;
  }

  Piece read_sum() {
    Piece left = read_product();
    OpCode code;
    while (take_operator({{"+", OpCode::add}, {"-", OpCode::subtract}}, code))
      left = build_.binary(code, left, read_product());
    return left;
  }

  Piece read_product() {
    Piece left = read_signed();
    OpCode code;
    while (take_operator({{"*", OpCode::multiply}, {"/", OpCode::divide}}, code))
      left = build_.binary(code, left, read_signed());
    return left;
  }

  Piece read_signed() {
    if (!now().is("-") && !now().is("+")) return read_power();
    const Depth deeper(*this);
    const Token& sign = take();
    const Piece piece = read_signed();
    // A plus leaves a number as it is.
    return build_.unary(sign.is("-") ? OpCode::negate : OpCode::identity, piece, sign.column);
  }

  Piece read_power() {
    const Piece base = read_primary();
    if (!now().is("^")) return base;
    const Depth deeper(*this);
    ++place_;
    return build_.binary(OpCode::power, base, read_signed());
  }

  Piece read_primary() {
    const Token& token = now();
    switch (token.kind) {
      case TokenKind::number:
        return build_.constant(take().number, token.column);
      case TokenKind::text:
        return build_.text(take());
      case TokenKind::name:
        return read_name();
      case TokenKind::symbol:
        if (token.is("(")) return read_parentheses();
        break;
      case TokenKind::end:
        break;
    }
    refuse(fmt::format("a number, a name or \"(\" was expected instead of {}", shown(token)));
  }

  Piece read_parentheses() {
    const Depth deeper(*this);
    const int column = take().column;
    Piece inside = read_or();
    close(column);
    inside.column = column;
    return inside;
  }

  void close(int opened) {
    if (now().kind == TokenKind::end) throw ExpressionError(opened, "this parenthesis is not closed");
    if (!now().is(")")) refuse(fmt::format("{}: an operator or \")\" was expected before it", shown(now())));
    ++place_;
  }

  Piece read_name() {
    const Token& token = take();
    if (now().is("(")) return read_call(token);
    if (token.parts.size() == 1) {
      const std::string_view word = token.text;
      if (word == "pi") return build_.constant(std::numbers::pi, token.column);
      if (word == "inf") return build_.constant(std::numeric_limits<double>::infinity(), token.column);
      if (word == "nan") return build_.constant(std::numeric_limits<double>::quiet_NaN(), token.column);
      if (word == "and" || word == "or" || word == "not")
        throw ExpressionError(token.column,
                              fmt::format("a number, a name or \"(\" was expected instead of \"{}\"", word));
      if (find_expression_function(word) != nullptr)
        throw ExpressionError(token.column, fmt::format("{} is a function: write {}(...)", word, word));
    }
    return build_.name(token);
  }

  Piece read_call(const Token& name) {
    const ExpressionFunction* function = find_expression_function(name.text);
    if (function == nullptr) {
      std::vector<std::string_view> known;
      for (const ExpressionFunction& f : expression_functions()) known.push_back(f.name);
      throw ExpressionError(name.column,
                            fmt::format("there is no function {}{}", name.text, suggestion(name.text, known)));
    }
    const Depth deeper(*this);
    const int opened = take().column;
    std::vector<Piece> arguments;
    int count = 0;
    if (!now().is(")")) {
      for (;;) {
        arguments.push_back(read_or());
        ++count;
        // However many: those that have been read become one.
        if (function->kind == ExpressionFunction::Kind::extreme && count > 1) {
          arguments[0] = build_.binary(function->code, arguments[0], arguments[1]);
          arguments.pop_back();
        }
        if (!now().is(",")) break;
        ++place_;
      }
    }
    if (now().kind != TokenKind::end && !now().is(")"))
      refuse(fmt::format("{}: an operator, \",\" or \")\" was expected before it", shown(now())));
    close(opened);
    check_count(*function, count, name.column);
    return call(*function, arguments, count, name.column);
  }

  static void check_count(const ExpressionFunction& f, int count, int column) {
    if (count >= f.least_arguments && count <= f.most_arguments) return;
    const std::string needed = f.least_arguments == f.most_arguments
                                   ? plural(f.least_arguments, "argument", "arguments")
                                   : fmt::format("{} or more arguments", f.least_arguments);
    const std::string range = f.most_arguments == 2 && f.least_arguments == 1 ? "1 or 2 arguments" : needed;
    throw ExpressionError(column,
                          fmt::format("{} needs {}, here {} {}", f.name, range, count, count == 1 ? "is" : "are"));
  }

  Piece call(const ExpressionFunction& f, const std::vector<Piece>& a, int count, int column) {
    using Kind = ExpressionFunction::Kind;
    const std::string name(f.name);
    Piece result;
    switch (f.kind) {
      case Kind::number:
        result = count == 1 ? build_.unary(f.code, a[0], column) : build_.binary(f.code, a[0], a[1]);
        break;
      case Kind::extreme:
        result = count == 1 ? build_.reduce(f.reduction, a[0], name, column) : a[0];
        break;
      case Kind::select:
        return build_.select(a[0], a[1], a[2], column);
      case Kind::aggregate:
        return build_.aggregate(f.aggregate, a[0], name, column);
      case Kind::reduction:
        return build_.reduce(f.reduction, a[0], name, column);
      case Kind::at:
        return build_.reduce_at(a[0], a[1], name, column);
      case Kind::condition:
        return build_.reduce_condition(f.reduction, a[0], name, column);
      case Kind::holds:
        if (count == 1 && a[0].level != Piece::Level::events)
          return build_.reduce_condition(f.reduction, a[0], name, column);
        [[fallthrough]];
      case Kind::events:
        return build_.reduce_events(f.event_reduction, a[0], count == 2 ? &a[1] : nullptr, name, column);
    }
    result.column = column;
    return result;
  }

  std::vector<Token> tokens_;
  std::size_t place_ = 0;
  int depth_ = 0;
  ExpressionBuilder build_;
};

}  // namespace

Expression parse_expression(std::string_view text, const Resolver& resolver, ExpressionUse use) {
  return Expression(use, Parser(text, resolver).parse(use));
}

}  // namespace taut
