// Lieskovský (2022), chapter 4: the cubic Hermite spline of Table 4.1, as figure 4.1 draws it.
#pragma once

#include "apps/taut/studies/study.h"

namespace taut::reproduce {

void draw_spline(Findings& findings);

}  // namespace taut::reproduce
