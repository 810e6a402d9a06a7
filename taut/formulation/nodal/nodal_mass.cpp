// The mass matrix of the nodal formulation: nodes, bars, bodies, heavy cables.
#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/formulation/nodal/nodal.h"
#include "taut/model/shape/body_mass.h"

namespace taut {

void Nodal::assemble_mass() {
  const Model& model = *model_;
  node_mass_.assign(model.nodes.size(), 0.0);
  const auto add_pair = [&](int a, int b, double maa, double mab, double mbb) {
    node_mass_[a] += maa;
    node_mass_[b] += mbb;
    if (mab != 0.0) mass_pairs_.push_back({a, b, mab});
  };
  const auto add_line = [&](int a, int b, double mass, MassModel kind) {
    if (kind == MassModel::consistent)
      add_pair(a, b, mass / 3.0, mass / 6.0, mass / 3.0);
    else
      add_pair(a, b, mass / 2.0, 0.0, mass / 2.0);
  };
  for (std::size_t i = 0; i < model.nodes.size(); ++i) node_mass_[i] += model.nodes[i].mass;
  const std::vector<int> drives = drives_of_rigid_bars(model);
  for (int i = 0; i < static_cast<int>(model.bars.size()); ++i) {
    const Bar& bar = model.bars[i];
    if (bar.elastic) {
      add_line(bar.a, bar.b, bar.mass, bar.mass_model);
      continue;
    }
    const double length = start_length(model, bar);
    model_bars_.push_back({bar.a, bar.b, i, length});
    if (!drives.empty()) model_bars_.back().drive = drives[i];
    if (!bar.attached.empty()) continue;
    if (bar.spin != 0.0)
      throw InputError(
          bar.place, bar.name,
          fmt::format("formulation nodal: bar \"{}\" spins about its axis; only quaternion has that motion, or nodes "
                      "attached to it",
                      bar.name));
    const double turn = bar.inertia / (length * length), rest = 1.0 - bar.com;
    add_pair(bar.a, bar.b, bar.mass * rest * rest + turn, bar.mass * bar.com * rest - turn,
             bar.mass * bar.com * bar.com + turn);
  }
  for (const Body& body : rigid_bodies(model))
    if (body.mass > 0.0) add_body(body);
  // A massive cable: each straight piece carries its share by length at the start.
  for (const Cable& cable : model.cables) {
    if (cable.mass == 0.0) continue;
    each_fraction(model, cable,
                  [&](int a, int b, double fraction) { add_line(a, b, cable.mass * fraction, cable.mass_model); });
  }
}

// Its own mass matrix on the base; on every other node k a share w r rᵀ with r = (x_k) - Σ β (x_i), which no motion of
// the body feels: r·ẋ = 0. It makes M positive.
void Nodal::add_body(const Body& body) {
  const BodyMass mass = body_mass(*model_, body);
  const auto add = [&](int a, int b, double value) {
    if (a == b)
      node_mass_[a] += value;
    else if (value != 0.0)
      mass_pairs_.push_back({a, b, value});
  };
  const auto add_square = [&](const std::vector<int>& nodes, const Eigen::MatrixXd& M) {
    for (long i = 0; i < M.rows(); ++i)
      for (long j = 0; j <= i; ++j) add(nodes[i], nodes[j], M(i, j));
  };
  add_square(mass.base, mass.mass);
  const double w = body.mass / static_cast<double>(body.nodes.size());
  for (std::size_t k = 0; k < mass.others.size(); ++k) {
    std::vector<int> nodes = mass.base;
    nodes.push_back(mass.others[k]);
    Eigen::VectorXd r(static_cast<long>(nodes.size()));
    r << -mass.beta[k], 1.0;
    add_square(nodes, w * r * r.transpose());
  }
}

}  // namespace taut
