#include <algorithm>

#include "apps/taut/studies/study.h"

namespace taut::reproduce {

namespace {

// The name of a column in words: "x_rate" is the rate of x, "phi_d" the φ that is wanted.
std::string legend(std::string name) {
  const auto ends = [&](std::string_view end) { return name.size() > end.size() && name.ends_with(end); };
  if (ends("_rate")) return "rate of " + name.substr(0, name.size() - 5);
  if (ends("_d")) return name.substr(0, name.size() - 2) + " wanted";
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace

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
  for (Curve& curve : figure.plot.curves) curve.name = legend(curve.name);
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
                       const std::string& words, const Digits& digits) {
  for (Number& number : numbers) {
    if (number.name != name) continue;
    number.quantity = quantity;
    number.gap = gap.empty() ? "nothing" : gap;
    number.words = words;
    number.digits = digits;
  }
}

}  // namespace taut::reproduce
