// The words of an expression.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/sweep/expression/expression.h"

namespace taut {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

enum class TokenKind { end, number, name, text, symbol };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;           // as written
  int column = 1;                  // in characters from 1
  double number = 0.0;             // of a number
  std::vector<std::string> parts;  // of a name: without quotation marks
  std::string content;             // of a text: without quotation marks

  bool is(std::string_view symbol) const { return kind == TokenKind::symbol && text == symbol; }
  bool is_word(std::string_view word) const { return kind == TokenKind::name && text == word; }
};

inline constexpr std::size_t longest_expression = 4000;  // bytes

// All tokens, the last one of kind end. They point into `source`. Symbols are ( ) , + - * / ^ < <= > >= == !=. The
// resolver tells whether a.b-c.d is a name or a difference. Throws ExpressionError.
std::vector<Token> expression_tokens(std::string_view source, const Resolver& resolver);

}  // namespace taut
