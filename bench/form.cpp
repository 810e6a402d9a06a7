// bench-form: what finding a shape costs. Geodesic spheres of 90 and 750 struts whose nodes were moved at random by a
// hundredth of the radius, by force densities; least of several rounds.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/timing.h"
#include "taut/analysis/form_force_density.h"
#include "taut/model/generators.h"

namespace taut::bench {
namespace {

// Struts by T = f² + f s + s², and the seconds that taut allows itself.
struct Sphere {
  double frequency, skew, most_s;
  int rounds;
};

bool form_cost(const Sphere& sphere) {
  Model model =
      generate(*find_generator("geodesic_sphere"), {{"frequency", sphere.frequency}, {"skew", sphere.skew}}).model;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> move(-0.01, 0.01);
  for (Node& node : model.nodes) node.position += Vec3(move(random), move(random), move(random));
  double best = INFINITY;
  ForceDensityResult result;
  for (int round = 0; round < sphere.rounds; ++round) {
    const double begin = core_seconds();
    result = find_by_densities(model);
    best = std::min(best, core_seconds() - begin);
  }
  const bool good = result.converged && best <= sphere.most_s;
  fmt::print("  {:6} {:10} {:8.3f} s   {:.1e}   {}\n", model.bars.size(), result.groups.size(), best, result.residual,
             good                ? ""
             : !result.converged ? result.reason
                                 : "too slow");
  return good;
}

}  // namespace
}  // namespace taut::bench

int main() {
  using namespace taut::bench;
  fmt::print("  struts     groups       time   net force over mean member force\n");
  bool good = form_cost({1, 1, 1.0, 5});
  good = form_cost({5, 0, 10.0, 2}) && good;
  return good ? 0 : 1;
}
