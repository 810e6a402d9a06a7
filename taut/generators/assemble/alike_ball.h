// Balls whose nodes are all alike: symmetric_form.h with T = 1. Cables lie along `polyhedron.next` with force density 1
// and along `second` with force density `ratio`; every strut has the same length.
#pragma once

#include <string>

#include "taut/generators/assemble/numbers.h"
#include "taut/generators/assemble/symmetric_form.h"

namespace taut {

struct AlikeBall {
  Polyhedron polyhedron;
  std::vector<int> second, struts;
};

// Keys length (of a strut), ratio, pretension (of the first cables), mass (of a strut) and those of the cable law.
// Throws InputError.
Scenario build_alike_ball(std::string name, const AlikeBall& ball, Numbers& numbers, double standard_stiffness);

}  // namespace taut
