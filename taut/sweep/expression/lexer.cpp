#include "taut/sweep/expression/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace taut {

namespace {

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Lexer {
 public:
  Lexer(std::string_view source, const Resolver& resolver) : source_(source), resolver_(resolver) {}

  std::vector<Token> tokens() {
    if (source_.size() > longest_expression)
      throw ExpressionError(1, fmt::format("an expression of {} bytes is too long: at most {} are possible",
                                           source_.size(), longest_expression));
    std::vector<Token> list;
    do list.push_back(next());
    while (list.back().kind != TokenKind::end);
    return list;
  }

 private:
  char at(std::size_t place) const { return place < source_.size() ? source_[place] : '\0'; }

  // Characters, not bytes: what continues a character of UTF-8 is not counted.
  int column(std::size_t place) {
    for (; counted_ < place; ++counted_) column_ += (static_cast<unsigned char>(source_[counted_]) & 0xC0) != 0x80;
    return column_;
  }

  [[noreturn]] void refuse(std::size_t place, const std::string& message) {
    throw ExpressionError(column(place), message);
  }

  Token next() {
    while (is_space(at(place_)) && place_ < source_.size()) ++place_;
    Token token;
    token.column = column(place_);
    const std::size_t begin = place_;
    if (place_ == source_.size()) return token;
    const char c = at(place_);
    if (is_digit(c) || (c == '.' && is_digit(at(place_ + 1))))
      read_number(token);
    else if (starts_name(c))
      read_name(token);
    else if (c == '"' || c == '\'')
      read_text(token);
    else
      read_symbol(token);
    token.text = source_.substr(begin, place_ - begin);
    return token;
  }

  void read_number(Token& token) {
    token.kind = TokenKind::number;
    const char* begin = source_.data() + place_;
    const auto [end, error] = std::from_chars(begin, source_.data() + source_.size(), token.number);
    const std::size_t length = static_cast<std::size_t>(end - begin);
    if (error == std::errc::result_out_of_range)
      refuse(place_, fmt::format("{} is not a number that can be represented", source_.substr(place_, length)));
    // "3x", "1e", "1.2.3"
    const std::size_t after = place_ + length;
    if (in_name(at(after)) || (at(after) == '.' && after < source_.size()))
      refuse(after, fmt::format("unexpected \"{}\" after the number {}", at(after), source_.substr(place_, length)));
    place_ = after;
  }

  // A name without dashes ends at the first one. `a.b-c.d` is that name if there is one, else a difference.
  void read_name(Token& token) {
    const std::size_t begin = place_;
    token.kind = TokenKind::name;
    read_path(token, 0);
    if (token.parts.size() < 2 || !dash_goes_on()) return;
    const Token plain = token;
    const std::size_t after_plain = place_;

    // With all dashes, then with one less at a time.
    Token longest;
    std::size_t after_longest = 0;
    for (int dashes = most_dashes; dashes > 0; --dashes) {
      place_ = begin;
      token = plain;
      const int found = read_path(token, dashes);
      if (known(token, begin)) return;
      if (after_longest == 0) {
        longest = token;
        after_longest = place_;
      }
      dashes = std::min(dashes, found);
    }
    // Where neither is known, the message is about what it looks like.
    const bool looks_like_one = longest.parts.size() > plain.parts.size();
    token = plain;
    place_ = after_plain;
    if (looks_like_one && !known(token, begin)) {
      token = longest;
      place_ = after_longest;
    }
  }

  // The parts of a path from here, with up to so many dashes in parts that are not quoted. Returns how many there are.
  int read_path(Token& token, int dashes) {
    int found = 0;
    token.parts.clear();
    token.parts.emplace_back(bare_part());
    while (at(place_) == '.') {
      ++place_;
      const char c = at(place_);
      if (c == '*') {
        ++place_;
        token.parts.emplace_back("*");
      } else if (c == '"' || c == '\'') {
        token.parts.push_back(quoted());
      } else if (in_name(c)) {
        const std::size_t begin = place_;
        bare_part();
        for (; found < dashes && dash_goes_on(); ++found) {
          ++place_;
          bare_part();
        }
        token.parts.emplace_back(source_.substr(begin, place_ - begin));
      } else if (found > 0) {
        // The number of `a.b-2.`: no path after all.
        --place_;
        break;
      } else {
        refuse(place_, "a name must go on after the dot: with letters and digits, \"a part in quotes\" or *");
      }
    }
    return found;
  }

  bool dash_goes_on() const { return at(place_) == '-' && in_name(at(place_ + 1)); }

  bool known(const Token& token, std::size_t begin) const {
    const ExpressionName name{std::string(source_.substr(begin, place_ - begin)), token.parts};
    return resolver_.resolve(name).kind != NameKind::none;
  }

  void read_text(Token& token) {
    token.kind = TokenKind::text;
    token.content = quoted();
  }

  std::string_view bare_part() {
    const std::size_t begin = place_;
    while (in_name(at(place_))) ++place_;
    return source_.substr(begin, place_ - begin);
  }

  // As of TOML: 'anything', or "anything" with \" and \\ for these two characters.
  std::string quoted() {
    const std::size_t begin = place_;
    const char quote = source_[place_++];
    std::string content;
    while (place_ < source_.size()) {
      const char c = source_[place_++];
      if (c == quote) return content;
      if (c == '\\' && quote == '"') {
        if (at(place_) != '"' && at(place_) != '\\')
          refuse(place_ - 1, "only \\\" and \\\\ are known after a backslash");
        content += source_[place_++];
      } else {
        content += c;
      }
    }
    refuse(begin, "a quotation mark that is not closed");
  }

  void read_symbol(Token& token) {
    token.kind = TokenKind::symbol;
    const std::string_view two = source_.substr(place_, 2);
    for (const std::string_view symbol : {"<=", ">=", "==", "!="}) {
      if (two == symbol) {
        place_ += 2;
        return;
      }
    }
    // What other languages write.
    for (const auto& [theirs, ours] :
         {std::pair<std::string_view, std::string_view>{"&&", "and"}, {"||", "or"}, {"**", "^"}, {"<>", "!="}})
      if (two == theirs) refuse(place_, fmt::format("\"{}\": write {}", theirs, ours));
    const char c = source_[place_];
    if (c == '=') refuse(place_, "\"=\": write == to compare");
    if (c == '!') refuse(place_, "\"!\": write not, or != to compare");
    if (c == '%') refuse(place_, "\"%\": write mod(a, b)");
    if (std::string_view("()+-*/^,<>").find(c) == std::string_view::npos || c == '\0') {
      const bool printable = c > ' ' && c < 0x7f;
      refuse(place_, printable ? fmt::format("unexpected \"{}\"", c)
                               : fmt::format("unexpected character (byte {:#04x})", static_cast<unsigned char>(c)));
    }
    ++place_;
  }

  static constexpr int most_dashes = 8;

  std::string_view source_;
  const Resolver& resolver_;
  std::size_t place_ = 0;
  std::size_t counted_ = 0;
  int column_ = 1;
};

}  // namespace

std::vector<Token> expression_tokens(std::string_view source, const Resolver& resolver) {
  return Lexer(source, resolver).tokens();
}

}  // namespace taut
