#include "taut/base/text/csv.h"

#include "taut/base/text/text.h"

namespace taut {

void Csv::separate() {
  if (begun_) text_ += ',';
  begun_ = true;
}

void Csv::cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") != std::string_view::npos) return quoted(text);
  separate();
  text_ += text;
}

void Csv::quoted(std::string_view text) {
  separate();
  text_ += '"';
  for (const char c : text) text_.append(c == '"' ? 2 : 1, c);
  text_ += '"';
}

void Csv::cell(double number) {
  separate();
  append_exact(text_, number);
}

void Csv::whole(std::int64_t number) {
  separate();
  text_ += std::to_string(number);
}

void Csv::end_row() {
  text_ += '\n';
  begun_ = false;
}

}  // namespace taut
