// bench-form: what finding a shape costs. Geodesic spheres of 90 and 750 struts whose nodes were moved at random by a
// hundredth of the radius, by force densities, beside what generating the sphere and judging its statics take; least of
// several rounds.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/timing.h"
#include "taut/form/force_density.h"
#include "taut/generators/generators.h"
#include "taut/statics/statics.h"

namespace taut::bench {
namespace {

// Struts by T = f² + f s + s², and the seconds that taut allows itself.
struct Sphere {
  double frequency, skew, most_s;
  int rounds;
};

template <class Work>
double least_seconds(int rounds, const Work& work) {
  double best = INFINITY;
  for (int round = 0; round < rounds; ++round) {
    const double begin = core_seconds();
    work();
    best = std::min(best, core_seconds() - begin);
  }
  return best;
}

bool form_cost(const Sphere& sphere) {
  Model model;
  const double made = least_seconds(sphere.rounds, [&] {
    model =
        generate(*find_generator("geodesic_sphere"), {{"frequency", sphere.frequency}, {"skew", sphere.skew}}).model;
  });
  const double judged = least_seconds(1, [&] { analyse_statics(model); });
  std::mt19937 random(1);
  std::uniform_real_distribution<double> move(-0.01, 0.01);
  for (Node& node : model.nodes) node.position += Vec3(move(random), move(random), move(random));
  ForceDensityResult result;
  const double best = least_seconds(sphere.rounds, [&] { result = find_by_densities(model); });
  const bool good = result.converged && best <= sphere.most_s;
  fmt::print("  {:6} {:10} {:8.3f} s {:10.3f} {:8.3f}   {:.1e}   {}\n", model.bars.size(), result.groups.size(), best,
             made / best, judged / best, result.residual,
             good                ? ""
             : !result.converged ? result.reason
                                 : "too slow");
  return good;
}

}  // namespace
}  // namespace taut::bench

int main() {
  using namespace taut::bench;
  fmt::print("  struts     groups       time  generated   judged   net force over mean member force\n");
  bool good = form_cost({1, 1, 1.0, 5});
  good = form_cost({5, 0, 10.0, 2}) && good;
  return good ? 0 : 1;
}
