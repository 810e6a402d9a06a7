#include "taut/modes/full_model.h"

#include "taut/formulation/matrices.h"
#include "taut/model/control_names.h"
#include "taut/modes/input_forces.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

FullModel full_model(const Dynamics& dynamics, const State& state) {
  const FormulationFacts& facts = dynamics.formulation().facts();
  // Forces at the state.
  Terms terms = dynamics.make_terms();
  VectorXd rate = VectorXd::Zero(dynamics.size());
  dynamics.recall(state, terms);
  dynamics.rhs(state.t, state.y.data(), rate.data(), terms);
  const SeamMatrices seam = dynamics.formulation().matrices(state.q(), state.v(), all_matrices, state.t);
  const long nodes = static_cast<long>(dynamics.model().nodes.size());
  VectorXd force(3 * nodes);
  for (long i = 0; i < nodes; ++i) force.segment<3>(3 * i) = Eigen::Map<const Vec3>(terms.force.data() + 4 * i);
  VectorXd acting = seam.X.transpose() * force + seam.h;
  for (std::size_t i = 0; i < terms.torque.size(); ++i) acting[static_cast<long>(i)] += terms.torque[i];

  // Inputs.
  const std::vector<ControlInput> inputs = linear_inputs(dynamics);
  FullModel full;
  MatrixXd B = MatrixXd::Zero(facts.nv, static_cast<long>(inputs.size()));
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    full.inputs.push_back(input_name(dynamics.model(), inputs[k]));
    const long column = static_cast<long>(k);
    if (inputs[k].cable < 0) {
      B(velocity_of(dynamics, inputs[k]), column) = 1.0;
      continue;
    }
    B.col(column) = seam.X.transpose() * force_by_rest_length(dynamics, terms, inputs[k].cable);
  }

  // Only what can change.
  std::vector<int> kept;
  for (int i = 0; i < facts.nv; ++i)
    if (const std::string& name = facts.state_names[static_cast<std::size_t>(facts.nq + i)]; !name.empty()) {
      kept.push_back(i);
      full.velocities.push_back(name);
    }
  const MatrixXd M = seam.M, G = seam.G;
  full.M = M(kept, kept);
  full.c = -acting(kept);
  full.B = B(kept, Eigen::all);
  full.G = G(Eigen::all, kept);
  full.gamma = seam.gamma;
  return full;
}

}  // namespace taut
