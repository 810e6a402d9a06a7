#include "taut/forces/drag.h"

#include "taut/base/vec4.h"

namespace taut {

Drag::Drag(const Model& model) {
  for (const Bar& bar : model.bars) {
    if (bar.drag == 0.0 && bar.turning_drag == 0.0) continue;
    const double length = start_length(model, bar), turning = bar.turning_drag / (length * length),
                 rest = 1.0 - bar.com;
    bars_.push_back({bar.a, bar.b, -bar.drag * rest * rest - turning, -bar.drag * rest * bar.com + turning,
                     -bar.drag * bar.com * bar.com - turning});
  }
}

double Drag::apply(const double* v, double* f) const {
  double power = 0.0;
  for (const DraggedBar& bar : bars_) {
    const Vec4 va = load4(v + 4 * bar.a), vb = load4(v + 4 * bar.b);
    const Vec4 fa = bar.aa * va + bar.ab * vb, fb = bar.ab * va + bar.bb * vb;
    store4(f + 4 * bar.a, load4(f + 4 * bar.a) + fa);
    store4(f + 4 * bar.b, load4(f + 4 * bar.b) + fb);
    power -= dot(fa, va) + dot(fb, vb);
  }
  return power;
}

}  // namespace taut
