// A machine for pictures: the cables of its pulleys are cables like others, after those of the model, with the node
// where they end for a path; the rest of their course follows from the drums. Of the poses in a row those stay that
// something drawn follows.
#pragma once

#include "taut/report/draw_bodies.h"
#include "taut/results/sample.h"

namespace taut {

class Picture {
 public:
  Picture() = default;
  explicit Picture(const Model& model);

  const BodyPicture& bodies() const { return bodies_; }
  // The pulleys of the model become cables.
  void add_to(Model& model) const;
  // The row itself where there is nothing to add; else one that lasts until the next call.
  const Sample& add_to(const Sample& row);

 private:
  struct Pulley {
    std::string name;
    std::size_t angle, length;  // columns of the row's joints: φ₁, φ₂; length, tension
    double first, second;       // radii, m; 0: there is no second one
    int end;                    // node where the cable ends then
  };
  std::vector<Pulley> pulleys_;
  BodyPicture bodies_;
  Sample row_;
};

}  // namespace taut
