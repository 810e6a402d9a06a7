// States of self-stress, mechanisms, forces and stability of a structure, and the shape that it falls into.
#include <taut/taut.h>

#include <cstdio>

int main() {
  const taut::Scenario prism = taut::generate(*taut::find_generator("prism"), {{"fixed", 1.0}});
  const taut::Statics statics = taut::analyse_statics(prism.model);
  std::printf("%zu mechanisms; it %s, %s\n", statics.mechanisms.size(),
              taut::is_stiff(statics) ? "resists every motion" : "does not resist every motion",
              taut::all_pull(statics) ? "all cables pull" : "a cable would have to push");
  std::printf("largest force %.2f N\n", statics.forces.cwiseAbs().maxCoeff());

  // Out of balance: a node moved by 5 cm falls back.
  taut::Model moved = prism.model;
  moved.nodes.back().position.z() += 0.05;
  const taut::RelaxResult found = taut::relax(moved);
  std::printf("%s, net force %.1e of the mean member force\n", found.converged ? "balanced" : found.reason.c_str(),
              found.residual);
  return taut::all_pull(statics) && !taut::gives_way(statics) && found.converged ? 0 : 1;
}
