// Natural frequencies of a tower, and how prestress stiffens it.
#include <taut/taut.h>

#include <cmath>
#include <cstdio>
#include <numbers>

int main() {
  const taut::Scenario tower = taut::generate(*taut::find_generator("tower"), {{"fixed", 1.0}});
  double last = 0.0;
  for (const double factor : {1.0, 2.0}) {
    const taut::ModalAnalysis modes = taut::find_modes(taut::with_prestress(tower.model, factor), {.count = 3});
    std::printf("prestress × %g:", factor);
    for (long k = 0; k < modes.count(); ++k)
      std::printf("  %.3f Hz", std::sqrt(modes.square[k]) / (2.0 * std::numbers::pi));
    std::printf("\n");
    if (!(modes.square[0] > last)) return 1;
    last = modes.square[0];
  }
  return 0;
}
