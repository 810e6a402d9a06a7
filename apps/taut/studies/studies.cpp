#include "apps/taut/studies/study.h"

namespace taut::reproduce {

const std::vector<Study>& studies() {
  static const std::vector<Study> list = {savin(), sixbar(), stacked(), involute(), arsenault(), control()};
  return list;
}

Figure& Findings::draw(const Series& from, const std::string& file, const std::string& title,
                       const std::string& y_label) {
  Figure figure{file, {}, from.x_name == "t"};
  figure.plot.title = title;
  figure.plot.y_label = y_label;
  figure.plot.x = from.x;
  figure.plot.curves = from.columns;
  figures.push_back(std::move(figure));
  return figures.back();
}

void Findings::add(const std::string& name, double value, std::optional<double> published, const std::string& unit,
                   const std::string& note) {
  add(name, std::optional<double>(value), published, unit, note);
}

void Findings::add(const std::string& name, std::optional<double> value, std::optional<double> published,
                   const std::string& unit, const std::string& note) {
  Number number{name, {}, {}, unit, note};
  if (value) number.value.push_back(*value);
  if (published) number.published.push_back(*published);
  numbers.push_back(std::move(number));
}

void Findings::add_list(const std::string& name, std::vector<double> values, const std::string& unit,
                        const std::string& note) {
  numbers.push_back({name, std::move(values), {}, unit, note, true});
}

void Findings::compare(const std::string& name, const std::string& quantity, const std::string& gap,
                       const std::string& words) {
  for (Number& number : numbers) {
    if (number.name != name) continue;
    number.quantity = quantity;
    number.gap = gap.empty() ? "nothing" : gap;
    number.words = words;
  }
}

}  // namespace taut::reproduce
