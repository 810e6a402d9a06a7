// Cables of pulleys for pictures: as cables between nodes that are added to the model, one where each cable leaves its
// pulley and, on a second pulley, one where it meets that.
#pragma once

#include "taut/model/model.h"
#include "taut/run/sample.h"

namespace taut {

class PulleyPicture {
 public:
  PulleyPicture() = default;
  explicit PulleyPicture(const Model& model);

  // The pulleys of the model become cables.
  void add_to(Model& model) const;
  // The row itself where there are no pulleys; else one that lasts until the next call.
  const Sample& add_to(const Sample& row);

 private:
  struct Pulley {
    std::string name;
    std::size_t angle, length, place;  // columns of the row's joints: φ₁, φ₂; length, tension; x, y, z
    double first, second;              // radii, m; 0: there is no second one
    int end;                           // node where the cable ends then
  };
  std::vector<Pulley> pulleys_;
  Sample row_;
};

}  // namespace taut
