#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "taut/base/text/xml_text.h"
#include "taut/export/plot.h"
#include "taut/export/plot_axis.h"

namespace taut {
namespace {

constexpr double points_per_mm = 72.0 / 25.4;
constexpr double font = 9.0;            // points, as in the text of a paper
constexpr double letter = 0.62 * font;  // mean width of a character
constexpr double digit = 0.6 * font;
constexpr std::size_t named_curves = 7, legend_letters = 26;

// Colours that colour-blind readers tell apart (Okabe and Ito), and dashes for those who print in grey.
constexpr std::array<const char*, 7> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#000000"};
constexpr std::array<const char*, 4> dashes = {"", "6 2", "2 1.5", "8 2 2 2"};
constexpr const char* grey = "#c4c4c4";

using Out = std::back_insert_iterator<std::string>;

struct Canvas {
  double left, top, right, bottom;  // points
  Axis x, y;
  double at_x(double value) const { return left + (value - x.low) / (x.high - x.low) * (right - left); }
  double at_y(double value) const { return bottom - (value - y.low) / (y.high - y.low) * (bottom - top); }
};

// Which curves carry a name: the largest.
std::vector<char> find_named(const Plot& plot) {
  std::vector<char> named(plot.curves.size(), plot.curves.size() <= named_curves + 1 ? 1 : 0);
  if (plot.curves.size() <= named_curves + 1) return named;
  std::vector<double> reach;
  for (const Curve& curve : plot.curves) {
    double low = INFINITY, high = -INFINITY;
    for (const double y : curve.y)
      if (std::isfinite(y)) low = std::min(low, y), high = std::max(high, y);
    const double size = std::max(std::abs(low), std::abs(high));
    reach.push_back(low > high ? 0.0 : plot.by_range ? high - low : size);
  }
  std::vector<std::size_t> order(plot.curves.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return reach[a] > reach[b]; });
  for (std::size_t i = 0; i < named_curves; ++i) named[order[i]] = 1;
  return named;
}

// A path of straight pieces; gaps where numbers are not finite. Of many rows within half a point, the first, the
// lowest, the highest and the last are kept.
std::string path_of(const Plot& plot, const Curve& curve, const Canvas& canvas) {
  std::string path;
  bool pen_down = false;
  const auto draw = [&](std::size_t row) {
    if (!std::isfinite(curve.y[row])) {
      pen_down = false;
      return;
    }
    const double y = std::clamp(curve.y[row], canvas.y.low, canvas.y.high);
    fmt::format_to(Out(path), "{}{:.2f} {:.2f}", pen_down ? "L" : "M", canvas.at_x(plot.x[row]), canvas.at_y(y));
    pen_down = true;
  };
  const auto bin_of = [&](std::size_t row) { return std::floor(2.0 * canvas.at_x(plot.x[row])); };
  for (std::size_t row = 0; row < plot.x.size();) {
    std::size_t end = row + 1, low = row, high = row;
    for (; end < plot.x.size() && bin_of(end) == bin_of(row); ++end) {
      if (!std::isfinite(curve.y[end]) || !std::isfinite(curve.y[low])) break;
      if (curve.y[end] < curve.y[low]) low = end;
      if (curve.y[end] > curve.y[high]) high = end;
    }
    std::array<std::size_t, 4> kept = {row, std::min(low, high), std::max(low, high), end - 1};
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (i == 0 || kept[i] != kept[i - 1]) draw(kept[i]);
    row = end;
  }
  return path;
}

void draw_grid(std::string& out, const Canvas& f) {
  for (const double tick : f.y.ticks)
    fmt::format_to(Out(out), "<path d=\"M{:.2f} {:.2f}H{:.2f}\" stroke=\"{}\" stroke-width=\"0.5\"/>\n", f.left,
                   f.at_y(tick), f.right, tick == 0.0 ? "#999999" : "#e4e4e4");
}

void draw_axes(std::string& out, const Plot& plot, const Canvas& f, double height) {
  for (std::size_t i = 0; i < f.y.ticks.size(); ++i) {
    const double y = f.at_y(f.y.ticks[i]);
    fmt::format_to(Out(out), "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", f.left - 4.0,
                   y + 0.35 * font, f.y.labels[i]);
  }
  for (std::size_t i = 0; i < f.x.ticks.size(); ++i) {
    const double x = f.at_x(f.x.ticks[i]);
    fmt::format_to(Out(out), "<path d=\"M{:.2f} {:.2f}v3\" stroke=\"#333333\" stroke-width=\"0.6\"/>\n", x, f.bottom);
    fmt::format_to(Out(out), "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", x,
                   f.bottom + 4.0 + font, f.x.labels[i]);
  }
  fmt::format_to(Out(out),
                 "<path d=\"M{:.2f} {:.2f}V{:.2f}H{:.2f}\" stroke=\"#333333\" stroke-width=\"0.8\" fill=\"none\"/>\n",
                 f.left, f.top, f.bottom, f.right);
  // "energy, 10³ J": the numbers at the ticks count in this unit.
  const auto label = [](const std::string& text, const Axis& axis) {
    if (axis.exponent == 0) return xml_text(text);
    const std::size_t comma = text.rfind(", ");
    const std::string power = power_of_ten(axis.exponent);
    return xml_text(comma == std::string::npos ? text + ", " + power
                                               : text.substr(0, comma + 2) + power + text.substr(comma + 1));
  };
  fmt::format_to(Out(out), "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n",
                 0.5 * (f.left + f.right), height - 5.0, label(plot.x_label, f.x));
  fmt::format_to(Out(out),
                 "<text transform=\"translate({:.2f} {:.2f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                 font + 2.0, 0.5 * (f.top + f.bottom), label(plot.y_label, f.y));
  if (!plot.title.empty())
    fmt::format_to(Out(out), "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>\n",
                   0.5 * (f.left + f.right), font + 4.0, xml_text(plot.title));
}

void draw_marks(std::string& out, const Plot& plot, const Canvas& f) {
  for (const PlotMark& mark : plot.marks)
    fmt::format_to(Out(out),
                   "<circle cx=\"{0:.2f}\" cy=\"{1:.2f}\" r=\"2.2\" fill=\"#ffffff\" stroke=\"#222222\"/>\n"
                   "<text x=\"{0:.2f}\" y=\"{2:.2f}\" text-anchor=\"middle\" font-size=\"{3:g}\">{4}</text>\n",
                   f.at_x(mark.x), f.at_y(mark.y), f.at_y(mark.y) - 4.0, 0.8 * font, xml_text(mark.name));
}

struct Style {
  std::string colour, dash;
};

std::string stroke(const Style& style, double width) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}", style.colour, width,
                     style.dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dash));
}

void limits(const std::vector<double>& values, double& low, double& high) {
  for (const double value : values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
}

}  // namespace

std::string svg(const Plot& plot) {
  const double width = plot.width_mm * points_per_mm, height = plot.height_mm * points_per_mm;
  const std::vector<char> named = find_named(plot);
  const auto names = static_cast<std::size_t>(std::count(named.begin(), named.end(), 1));
  const bool legend = plot.curves.size() > 1, others = names < plot.curves.size();

  // The legend beside the curves is as wide as its longest name, but never takes more than a third.
  const auto room = static_cast<std::size_t>(std::max(3.0, (width / 3.0 - 34.0) / letter));
  const std::string rest = fmt::format("{} others", plot.curves.size() - names);
  std::size_t longest = others ? characters(rest) : 1;
  for (std::size_t i = 0; i < plot.curves.size(); ++i)
    if (named[i] != 0)
      longest = std::max(longest, characters(shortened(plot.curves[i].name, std::min(room, legend_letters))));
  const double legend_width = legend ? 34.0 + letter * static_cast<double>(longest) : 10.0;

  double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
  limits(plot.x, x_low, x_high);
  for (const Curve& curve : plot.curves) limits(curve.y, y_low, y_high);
  Canvas f{0.0, plot.title.empty() ? 8.0 : 2.0 * font + 4.0, width - legend_width, height - 2.0 * font - 16.0, {}, {}};
  f.y = make_axis(y_low, y_high, std::max(2, static_cast<int>((f.bottom - f.top) / 40.0)), true);
  std::size_t widest = 1;
  for (const std::string& text : f.y.labels) widest = std::max(widest, characters(text));
  f.left = 1.8 * font + 8.0 + digit * static_cast<double>(widest);
  f.right = std::max(f.right, f.left + 20.0);
  f.x = make_axis(x_low, x_high, std::max(2, static_cast<int>((f.right - f.left) / 50.0)), false);

  std::string out;
  fmt::format_to(
      Out(out),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:g}mm\" "
      "height=\"{:g}mm\" viewBox=\"0 0 {:.2f} {:.2f}\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
      "sans-serif\" font-size=\"{:g}\" fill=\"#222222\">\n",
      plot.width_mm, plot.height_mm, width, height, font);
  fmt::format_to(Out(out), "<title>{}</title>\n<rect width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#ffffff\"/>\n",
                 xml_text(plot.title.empty() ? plot.y_label : plot.title), width, height);
  draw_grid(out, f);

  // Grey ones first, so that they lie behind.
  for (std::size_t i = 0; i < plot.curves.size(); ++i)
    if (named[i] == 0)
      fmt::format_to(Out(out), "<path d=\"{}\" {}><title>{}</title></path>\n", path_of(plot, plot.curves[i], f),
                     stroke({grey, ""}, 0.5), xml_text(plot.curves[i].name));
  draw_axes(out, plot, f, height);
  std::size_t index = 0;
  const double legend_x = f.right + 8.0, line = 1.5 * font;
  const auto entry = [&](const Style& style, const std::string& name, std::size_t place) {
    const double y = f.top + 4.0 + line * static_cast<double>(place);
    fmt::format_to(Out(out), "<path d=\"M{:.2f} {:.2f}h18\" {}/>\n<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n",
                   legend_x, y, stroke(style, 1.1), legend_x + 22.0, y + 0.35 * font,
                   xml_text(shortened(name, std::min(room, legend_letters))));
  };
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    if (named[i] == 0) continue;
    const Style style{colours[index % colours.size()], dashes[index % dashes.size()]};
    fmt::format_to(Out(out), "<path d=\"{}\" {}><title>{}</title></path>\n", path_of(plot, plot.curves[i], f),
                   stroke(style, 1.1), xml_text(plot.curves[i].name));
    if (legend) entry(style, plot.curves[i].name, index);
    ++index;
  }
  if (others) entry({grey, ""}, rest, index);
  draw_marks(out, plot, f);
  return out + "</svg>\n";
}

}  // namespace taut
