#include "taut/generators/assemble/density_cables.h"

namespace taut {

double distance(const Model& model, int a, int b) { return (model.nodes[b].position - model.nodes[a].position).norm(); }

void add_cables_by_density(Model& model, const Pairs& pairs, const CableLaw& law, double q) {
  for (const auto& pair : pairs) add_cables(model, {pair}, law, q * distance(model, pair.first, pair.second));
}

}  // namespace taut
