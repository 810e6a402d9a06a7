// Tables as text, RFC 4180: cells with commas between them, a row to a line.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace taut {

class Csv {
 public:
  void cell(std::string_view text);    // in quotes where it holds a comma, a quote or a line break
  void quoted(std::string_view text);  // in quotes
  void cell(double number);            // as exact_number()
  template <std::integral Whole>
  void cell(Whole number) {
    whole(static_cast<std::int64_t>(number));
  }
  template <class... Cells>
  void row(const Cells&... cells) {
    (cell(cells), ...);
    end_row();
  }
  void end_row();

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }
  void clear() { text_.clear(); }  // what follows goes on from there

 private:
  void separate();
  void whole(std::int64_t number);

  std::string text_;
  bool begun_ = false;  // the row has a cell
};

}  // namespace taut
