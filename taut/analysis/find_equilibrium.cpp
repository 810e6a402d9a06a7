#include "taut/analysis/find_equilibrium.h"

#include <algorithm>
#include <cmath>

#include "taut/analysis/supports.h"

namespace taut {

namespace {

constexpr double least_damping = 1e-10, most_damping = 1e3;

// The Newton matrix at one place; factorised anew for each σ.
class NewtonStep {
 public:
  NewtonStep(StaticForces& statics, const NetForce& at)
      : statics_(statics),
        unknowns_(static_cast<int>(statics.unknowns().size())),
        jacobian_(statics.jacobian_values()) {
    statics.stiffness(at, stiffness_);
    add_penalty(statics.stiffness_bounds(at));
    gather();
  }

  // δx for a damping, false if the matrix is not positive definite along the constraints.
  bool solve(double damping, const NetForce& at, Eigen::VectorXd* step) const {
    std::vector<SparseEntry> damped = stiffness_;
    for (int k = 0; k < unknowns_; ++k) damped.push_back({k, k, damping * weight_[k]});
    const Saddle saddle(unknowns_, statics_.constraints(), damped, statics_.jacobian_pattern());
    SaddleFactor factor = saddle.make_factor();
    saddle.factorise(jacobian_.data(), factor);
    if (!saddle.positive(factor)) return false;
    if (step == nullptr) return true;
    std::vector<double> rhs(unknowns_ + statics_.constraints(), 0.0), scratch(rhs.size());
    for (int k = 0; k < unknowns_; ++k) rhs[k] = at.net[statics_.unknowns()[k]];
    saddle.solve(factor, rhs.data(), scratch.data());
    step->setZero(at.net.size());
    for (int k = 0; k < unknowns_; ++k) (*step)[statics_.unknowns()[k]] = rhs[k];
    return step->allFinite();
  }

 private:
  // S on the diagonal, and ρGᵀG with ρ such that a constraint is about as stiff as what it joins.
  void add_penalty(const std::vector<double>& bounds) {
    const double largest = bounds.empty() ? 0.0 : *std::max_element(bounds.begin(), bounds.end());
    for (int k = 0; k < unknowns_; ++k) weight_.push_back(std::max(bounds[statics_.unknowns()[k] / 3], 1e-3 * largest));
    if (!(largest > 0.0)) weight_.assign(unknowns_, 1.0);
    std::vector<std::vector<std::pair<int, double>>> rows(statics_.constraints());
    const auto& pattern = statics_.jacobian_pattern();
    for (std::size_t k = 0; k < pattern.size(); ++k) rows[pattern[k].row].emplace_back(pattern[k].column, jacobian_[k]);
    for (const auto& row : rows) {
      double square = 0.0, stiff = 0.0;
      for (const auto& [i, g] : row) square += g * g, stiff = std::max(stiff, weight_[i]);
      if (!(square > 0.0)) continue;
      for (const auto& [i, g] : row)
        for (const auto& [j, h] : row)
          if (i <= j) stiffness_.push_back({i, j, 2.0 * stiff / square * g * h});
    }
  }

  // Repeated entries summed.
  void gather() {
    const auto before = [](const SparseEntry& a, const SparseEntry& b) {
      return std::pair(a.column, a.row) < std::pair(b.column, b.row);
    };
    std::sort(stiffness_.begin(), stiffness_.end(), before);
    std::size_t last = 0;
    for (std::size_t k = 1; k < stiffness_.size(); ++k) {
      SparseEntry& to = stiffness_[last];
      if (stiffness_[k].row == to.row && stiffness_[k].column == to.column)
        to.value += stiffness_[k].value;
      else
        stiffness_[++last] = stiffness_[k];
    }
    if (!stiffness_.empty()) stiffness_.resize(last + 1);
  }

  const StaticForces& statics_;
  int unknowns_;
  std::vector<double> jacobian_;
  std::vector<SparseEntry> stiffness_;
  std::vector<double> weight_;
};

// No coordinate may move further in one step: a tenth of the mean length of members.
double longest_step(const Model& model, const Eigen::VectorXd& x) {
  double sum = 0.0;
  int count = 0;
  const auto piece = [&](int a, int b) { sum += (x.segment<3>(3 * b) - x.segment<3>(3 * a)).norm(), ++count; };
  for (const Bar& bar : model.bars) piece(bar.a, bar.b);
  for (const Cable& cable : model.cables)
    for (std::size_t k = 0; k + 1 < cable.path.size(); ++k) piece(cable.path[k], cable.path[k + 1]);
  return count > 0 ? 0.1 * sum / count : INFINITY;
}

}  // namespace

Equilibrium find_equilibrium(StaticForces& statics, const Eigen::VectorXd& start, const EquilibriumOptions& options) {
  statics.set_level(1.0);
  const Model& model = statics.model();
  const Parts parts = find_parts(model);
  Equilibrium best;
  Eigen::VectorXd x = start, forces, forces_there;
  if (!statics.project(x)) x = start;
  NetForce net = statics.net_force(x);
  best.x = x;
  best.net = net;
  const auto reached = [&] {
    return best.net.residual <= std::max(options.tolerance, 32.0 * statics.rounding(best.net));
  };
  double damping = std::clamp(1e-2 * net.residual, least_damping, 1e-2);
  int idle = 0;  // steps since the residual last fell by half
  for (; best.iterations < options.iterations && net.residual > 0.0 && idle < (reached() ? 2 : 30); ++best.iterations) {
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) break;
    statics.forces(x, forces);
    const NewtonStep newton(statics, net);
    Eigen::VectorXd step, there;
    NetForce net_there;
    bool gained = false;
    for (; !gained && damping <= most_damping; damping = gained ? damping : std::max(10.0 * damping, 1e-8)) {
      if (!newton.solve(damping, net, &step)) continue;
      if (!model.ground) remove_rigid_motions(model, parts, statics.external(), x, step);
      const double largest = step.cwiseAbs().maxCoeff(), limit = longest_step(model, x);
      if (largest > limit) step *= limit / largest;
      there = x + step;
      if (!statics.project(there)) continue;
      statics.forces(there, forces_there);
      const double work = 0.5 * (forces + forces_there).dot(there - x);
      net_there = statics.net_force(there);
      // Near the end the work drowns in rounding, and the net force decides.
      const bool less = net.residual < 1e-4 && net_there.residual < 0.9 * net.residual;
      gained = std::isfinite(net_there.residual) && (work > 1e-3 * net.net.dot(step) || less);
      // A step as good as promised: less damping next time.
      if (gained && largest <= limit && work > 0.25 * net.net.dot(step))
        damping = std::max(0.1 * damping, least_damping);
      if (gained && net_there.residual < 1e-4) damping = std::clamp(1e-4 * net_there.residual, least_damping, damping);
    }
    if (!gained) break;
    x = there;
    net = net_there;
    idle = net.residual <= 0.5 * best.net.residual ? 0 : idle + 1;
    if (net.residual < best.net.residual) best.x = x, best.net = net;
  }
  best.found = reached();
  best.net = statics.net_force(best.x);
  best.stable = NewtonStep(statics, best.net).solve(1e-9, best.net, nullptr);
  return best;
}

}  // namespace taut
