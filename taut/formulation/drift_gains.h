// Correction of drift in the right side of the constraints, G v̇ = γ - k_s g - k_d ġ (Berkeley chapter, eq. 3.25).
// Zero: none.
#pragma once

namespace taut {

struct DriftGains {
  double position = 0.0, velocity = 0.0;  // k_s in 1/s², k_d in 1/s

  bool any() const { return position != 0.0 || velocity != 0.0; }
  bool operator==(const DriftGains&) const = default;
};

}  // namespace taut
