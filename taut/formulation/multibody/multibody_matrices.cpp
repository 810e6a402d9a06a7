// The matrices of the multibody formulation: H, the rows K and k of the loops, then a row for every imposed velocity.
#include <algorithm>

#include "taut/formulation/matrices.h"
#include "taut/formulation/multibody/multibody.h"

namespace taut {

using namespace multibody;

void Multibody::fill_mass(const SystemTerms& t, SeamMatrices& m) const {
  const auto pattern = mass_pattern(system_.tree);
  std::vector<Inertia> composite(system_.tree.links.size());
  std::vector<double> values(pattern.size());
  multibody::mass_matrix(system_.tree, t.tree, composite, values.data());
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    const auto& [i, j] = pattern[k];
    entries.emplace_back(i, j, values[k]);
    if (i != j) entries.emplace_back(j, i, values[k]);
  }
  m.M.resize(facts_.nv, facts_.nv);
  m.M.setFromTriplets(entries.begin(), entries.end());
}

void Multibody::fill_jacobian(const SystemTerms& t, SeamMatrices& m) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < system_.loops.pattern.size(); ++k)
    entries.emplace_back(system_.loops.pattern[k].first, system_.loops.pattern[k].second, t.loops.K[k]);
  for (std::size_t i = 0; i < imposed_.size(); ++i)
    entries.emplace_back(system_.loops.rows + static_cast<int>(i), imposed_[i], 1.0);
  m.G.resize(facts_.constraints, facts_.nv);
  m.G.setFromTriplets(entries.begin(), entries.end());
  m.constant.assign(facts_.constraints, 1);
  std::fill_n(m.constant.begin(), system_.loops.rows, 0);
}

void Multibody::fill_node_map(const SystemTerms& t, SeamMatrices& m) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < static_cast<int>(model_->nodes.size()); ++i) {
    const LinkPoint& p = system_.tree.points[i];
    if (p.link == ground) continue;
    // A unit force on the node along each axis, seen from every link below it.
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 f = t.tree.links[p.link].world.E.col(axis);
      Vec6 force = spatial(p.position.cross(f), f);
      for (int j = p.link; j != ground; j = system_.tree.links[j].parent) {
        const Link& link = system_.tree.links[j];
        for (int c = link.v; c < link.v + link.nv; ++c) entries.emplace_back(3 * i + axis, c, t.tree.S[c].dot(force));
        force = t.tree.links[j].X.force_back(force);
      }
    }
  }
  m.X.resize(3 * static_cast<long>(model_->nodes.size()), facts_.nv);
  m.X.setFromTriplets(entries.begin(), entries.end());
}

SeamMatrices Multibody::matrices(const double* q, const double* v, const MatrixChoice& wanted, double) const {
  SeamMatrices m;
  SystemTerms t = placed(q, v);
  if (wanted.M) fill_mass(t, m);
  if (wanted.G) fill_jacobian(t, m);
  if (wanted.X) fill_node_map(t, m);
  const int rows = system_.loops.rows;
  if (wanted.g) {
    m.g.setZero(facts_.constraints);
    std::copy(t.loops.g.begin(), t.loops.g.end(), m.g.data());
    int row = rows;
    for (std::size_t i = 0; i < system_.tree.links.size(); ++i) {
      const Link& link = system_.tree.links[i];
      if (!link.imposed) continue;
      difference(system_.tree.joints[i], t.imposed_q.data() + link.q, q + link.q, m.g.data() + row);
      row += link.nv;
    }
  }
  if (wanted.gamma) {
    accelerations(system_.tree, nullptr, t.tree);
    loop_bias(system_.loops, system_.tree, t.tree, t.loops);
    m.gamma.resize(facts_.constraints);
    std::copy(t.loops.k.begin(), t.loops.k.end(), m.gamma.data());
    for (std::size_t i = 0; i < imposed_.size(); ++i) m.gamma[rows + static_cast<int>(i)] = t.imposed_rate[imposed_[i]];
  }
  if (wanted.h) {
    std::fill(t.imposed_rate.begin(), t.imposed_rate.end(), 0.0);  // their part is H v̇
    const std::vector<double> rest(v ? 0 : facts_.nv, 0.0);
    equations(system_, q, v ? v : rest.data(), {}, t);
    m.h = Eigen::VectorXd::Map(t.bias.data(), facts_.nv);
  }
  return m;
}

}  // namespace taut
