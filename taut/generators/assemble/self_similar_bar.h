// What D-bars and T-bars share: their numbers, the name of an order, and the supports of a column.
#pragma once

#include <string>

#include "taut/generators/assemble/numbers.h"
#include "taut/model/scenario.h"

namespace taut {

struct SelfSimilarBar {
  double span = 0.0, angle = 0.0;  // m, rad
  int order = 1;
  double pretension = 0.0, mass = 0.0, load = 0.0;  // N, kg, N
  CableLaw law;
};

// Keys span, angle (degrees), order, pretension, mass, load and those of the cable law. Throws InputError.
SelfSimilarBar read_self_similar_bar(const Parameters& parameters, int most_orders, double standard_stiffness);

// `kind`, or "kind of order 3".
std::string name_of_order(const std::string& kind, int order);

// Where there is a load (N, pushing along -x): holds both ends like a column's. Free, it would turn away from the load
// as a whole.
void hold_as_column(Model& model, int left_end, int right_end, double load);

}  // namespace taut
