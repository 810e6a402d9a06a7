// A machine at one instant as a drawing in SVG, seen along parallel lines: faces and thick lines, the farthest first.
#pragma once

#include <string>
#include <vector>

#include "taut/base/types.h"

namespace taut::reproduce {

struct Face {
  std::vector<Vec3> corners;  // in order
  std::string colour;
  double opacity = 1.0;
};

struct Stroke {
  Vec3 from, to;
  double width;  // m
  std::string colour;
  bool dashed = false;
};

struct Picture {
  std::string title;
  Vec3 low, high;                           // the box that is shown, m: pictures with the same box have the same scale
  double azimuth = 35.0, elevation = 15.0;  // degrees: where the eye is
  double width_mm = 80.0;                   // the height follows
  std::vector<Face> faces;
  std::vector<Stroke> strokes;

  void disc(const Vec3& centre, const Vec3& axis, double radius, const std::string& colour, double opacity = 1.0);
  // The columns of `frame` are the directions of the edges, `size` their lengths.
  void box(const Vec3& centre, const Mat3& frame, const Vec3& size, const std::string& colour, double opacity = 1.0);
};

std::string svg(const Picture& picture);

}  // namespace taut::reproduce
