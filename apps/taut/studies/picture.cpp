#include "apps/taut/studies/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "taut/base/text/xml_text.h"

namespace taut::reproduce {
namespace {

constexpr double points_per_mm = 72.0 / 25.4, font = 9.0, margin = 6.0;  // points
constexpr double piece = 0.05;                                           // m: so finely strokes are sorted by depth

using Out = std::back_insert_iterator<std::string>;

// Right, up and towards the eye.
struct View {
  Vec3 right, up, towards;
  double scale = 1.0, left = 0.0, top = 0.0;  // points per m; of the box in this view, m
  double x(const Vec3& p) const { return margin + scale * (right.dot(p) - left); }
  double y(const Vec3& p) const { return margin + 1.5 * font + scale * (top - up.dot(p)); }
};

// How far the box reaches along a direction.
std::pair<double, double> extent(const Picture& picture, const Vec3& direction) {
  double low = INFINITY, high = -INFINITY;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 p((corner & 1) != 0 ? picture.high.x() : picture.low.x(),
                 (corner & 2) != 0 ? picture.high.y() : picture.low.y(),
                 (corner & 4) != 0 ? picture.high.z() : picture.low.z());
    low = std::min(low, direction.dot(p));
    high = std::max(high, direction.dot(p));
  }
  return {low, high};
}

// A piece of the drawing and how near it is.
struct Layer {
  double depth;
  std::string text;
};

void add_face(const Face& face, const View& view, std::vector<Layer>& layers) {
  Layer layer{0.0, "<path d=\""};
  for (std::size_t i = 0; i < face.corners.size(); ++i) {
    fmt::format_to(Out(layer.text), "{}{:.2f} {:.2f}", i == 0 ? "M" : "L", view.x(face.corners[i]),
                   view.y(face.corners[i]));
    layer.depth += view.towards.dot(face.corners[i]) / static_cast<double>(face.corners.size());
  }
  fmt::format_to(Out(layer.text),
                 "Z\" fill=\"{}\" fill-opacity=\"{:g}\" stroke=\"#333333\" stroke-width=\"0.4\" "
                 "stroke-linejoin=\"round\"/>\n",
                 face.colour, face.opacity);
  layers.push_back(std::move(layer));
}

void add_stroke(const Stroke& stroke, const View& view, std::vector<Layer>& layers) {
  const Vec3 way = stroke.to - stroke.from;
  const int count = stroke.dashed ? 1 : std::max(1, static_cast<int>(std::ceil(way.norm() / piece)));
  for (int i = 0; i < count; ++i) {
    const Vec3 a = stroke.from + way * (static_cast<double>(i) / count), b = a + way / count;
    layers.push_back(
        {view.towards.dot(a + b) / 2.0,
         fmt::format("<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" fill=\"none\" stroke=\"{}\" "
                     "stroke-width=\"{:.2f}\" stroke-linecap=\"round\"{}/>\n",
                     view.x(a), view.y(a), view.x(b), view.y(b), stroke.colour,
                     std::max(0.6, view.scale * stroke.width), stroke.dashed ? " stroke-dasharray=\"3 3\"" : "")});
  }
}

}  // namespace

void Picture::disc(const Vec3& centre, const Vec3& axis, double radius, const std::string& colour, double opacity) {
  constexpr int corners = 36;
  const Vec3 a = axis.unitOrthogonal(), b = axis.normalized().cross(a);
  Face face{{}, colour, opacity};
  for (int i = 0; i < corners; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / corners;
    face.corners.push_back(centre + radius * (std::cos(angle) * a + std::sin(angle) * b));
  }
  faces.push_back(std::move(face));
}

void Picture::box(const Vec3& centre, const Mat3& frame, const Vec3& size, const std::string& colour, double opacity) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-0.5, 0.5}) {
      const Vec3 middle = centre + side * size[axis] * frame.col(axis),
                 a = 0.5 * size[(axis + 1) % 3] * frame.col((axis + 1) % 3),
                 b = 0.5 * size[(axis + 2) % 3] * frame.col((axis + 2) % 3);
      faces.push_back({{middle - a - b, middle + a - b, middle + a + b, middle - a + b}, colour, opacity});
    }
}

std::string svg(const Picture& picture) {
  const double az = picture.azimuth * std::numbers::pi / 180.0, el = picture.elevation * std::numbers::pi / 180.0;
  View view;
  view.towards = Vec3(std::cos(el) * std::cos(az), std::cos(el) * std::sin(az), std::sin(el));
  view.right = Vec3(-std::sin(az), std::cos(az), 0.0);
  view.up = view.towards.cross(view.right);
  const auto [left, right] = extent(picture, view.right);
  const auto [bottom, top] = extent(picture, view.up);
  view.scale = (picture.width_mm * points_per_mm - 2.0 * margin) / (right - left);
  view.left = left;
  view.top = top;
  const double width = picture.width_mm * points_per_mm,
               height = 2.0 * margin + 1.5 * font + view.scale * (top - bottom);

  std::vector<Layer> layers;
  for (const Face& face : picture.faces) add_face(face, view, layers);
  for (const Stroke& stroke : picture.strokes) add_stroke(stroke, view, layers);
  std::stable_sort(layers.begin(), layers.end(), [](const Layer& a, const Layer& b) { return a.depth < b.depth; });

  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:g}mm\" "
      "height=\"{:.1f}mm\" viewBox=\"0 0 {:.2f} {:.2f}\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
      "sans-serif\" font-size=\"{:g}\" fill=\"#222222\">\n<title>{}</title>\n<rect width=\"{:.2f}\" "
      "height=\"{:.2f}\" fill=\"#ffffff\"/>\n<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\" "
      "font-weight=\"bold\">{}</text>\n",
      picture.width_mm, height / points_per_mm, width, height, font, xml_text(picture.title), width, height,
      0.5 * width, margin + 0.8 * font, xml_text(picture.title));
  for (const Layer& layer : layers) out += layer.text;
  return out + "</svg>\n";
}

}  // namespace taut::reproduce
