#include "apps/taut/studies/savin_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/base/text/xml_text.h"

namespace taut::reproduce {
namespace {

constexpr double width = 226.0, height = 240.0;  // points: 80 mm wide

// Parallel lines of sight, from 20° above.
struct View {
  double scale;
  double x(const Vec3& p) const { return 0.5 * width + scale * (std::cos(turn) * p.x() + std::sin(turn) * p.y()); }
  double y(const Vec3& p) const {
    const double back = std::cos(turn) * p.y() - std::sin(turn) * p.x();
    return 0.5 * height + 8.0 - scale * (std::cos(rise) * p.z() + std::sin(rise) * back);
  }
  static constexpr double turn = 0.35, rise = 0.35;  // rad
};

std::string line(const View& view, const Vec3& a, const Vec3& b, const char* colour, double thickness) {
  return fmt::format(
      "<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"{}\" stroke-width=\"{:g}\" "
      "stroke-linecap=\"round\"/>\n",
      view.x(a), view.y(a), view.x(b), view.y(b), colour, thickness);
}

// With a white rim, so that it can be read on lines.
std::string label(const View& view, const Vec3& at, const std::string& text, const char* colour) {
  return fmt::format(
      "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\" fill=\"{}\" stroke=\"#ffffff\" "
      "stroke-width=\"2.5\" paint-order=\"stroke\">{}</text>\n",
      view.x(at), view.y(at) + 3.0, colour, text);
}

}  // namespace

void mark_turns(Plot& plot) {
  // What cannot be seen in the figure is no turn.
  double low = INFINITY, high = -INFINITY;
  for (const Curve& curve : plot.curves)
    for (const double y : curve.y) low = std::min(low, y), high = std::max(high, y);
  const double visible = 1e-3 * (high - low);
  for (const Curve& curve : plot.curves) {
    const auto mark = [&](std::vector<double>::const_iterator at, const char* name) {
      if (std::abs(*at - curve.y.front()) > visible && std::abs(*at - curve.y.back()) > visible)
        plot.marks.push_back({name, plot.x[static_cast<std::size_t>(at - curve.y.begin())], *at});
    };
    mark(std::max_element(curve.y.begin(), curve.y.end()), "max");
    mark(std::min_element(curve.y.begin(), curve.y.end()), "min");
  }
}

std::string pictogram(const std::string& title, const Prism& prism, const Scenario& scenario, const RunRow& row) {
  constexpr std::array<const char*, 3> colours = {"#0072b2", "#d55e00", "#009e73"};
  const View view{0.8 * width / prism.length};
  // A triple that is strained as one before it has its colour.
  std::array<const char*, 3> colour = colours;
  for (const Triple triple : {lower, side})
    for (const Triple earlier : {upper, lower})
      if (earlier < triple && std::abs(strain(prism, row, triple) - strain(prism, row, earlier)) < 0.1)
        colour[triple] = colour[earlier];
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"80mm\" "
      "height=\"{:.1f}mm\" viewBox=\"0 0 {:g} {:g}\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" "
      "font-size=\"9\" fill=\"none\">\n<title>{}</title>\n<rect width=\"{:g}\" height=\"{:g}\" fill=\"#ffffff\"/>\n"
      "<text x=\"{:g}\" y=\"13\" text-anchor=\"middle\" font-weight=\"bold\" fill=\"#222222\">{}</text>\n",
      80.0 * height / width, width, height, xml_text(title), width, height, 0.5 * width, xml_text(title));
  for (const Bar& bar : scenario.model.bars)
    out += line(view, position(row, bar.a), position(row, bar.b), "#777777", 5.0);
  for (std::size_t i = 0; i < scenario.model.cables.size(); ++i) {
    const Cable& cable = scenario.model.cables[i];
    out += line(view, position(row, cable.path[0]), position(row, cable.path[1]), colour[i % 3], 1.4);
  }
  constexpr std::array<const char*, 3> numerals = {"I", "II", "III"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Bar& bar = scenario.model.bars[i];
    out += label(view, 0.14 * position(row, bar.a) + 0.86 * position(row, bar.b), numerals[i], "#222222");
  }
  for (std::size_t i = 0; i < scenario.model.cables.size(); ++i) {
    const Cable& cable = scenario.model.cables[i];
    out += label(view, 0.5 * (position(row, cable.path[0]) + position(row, cable.path[1])), fmt::format("{}", i),
                 colour[i % 3]);
  }
  for (const Triple triple : {upper, lower, side})
    out += fmt::format("<text x=\"6\" y=\"{:g}\" fill=\"{}\">{}: {:.3g} %</text>\n",
                       height - 26.0 + 10.0 * static_cast<int>(triple), colour[triple], triple_names[triple],
                       strain(prism, row, triple));
  return out + "</svg>\n";
}

}  // namespace taut::reproduce
