#include "taut/equilibrium/machine/machine_equilibrium.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/solve/dense.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double lightest_damping = 1e-10, heaviest_damping = 1e6, longest_way = 0.1, widest_reach = 8.0;
// Below this residual a start is only polished.
constexpr double nearly_balanced = 1e-3;

// Where the search is, and how boldly it goes on from there.
struct Descent {
  MachineForces& forces;
  VectorXd q;
  MachineNet net;  // at q
  double damping;
  double reach = 1.0;    // steps may be so many times as long as at first: it grows as long ones turn out well
  bool limited = false;  // the last step was good, and as long as it may be
};

double size_of(const MatrixXd& S) { return S.size() > 0 ? S.cwiseAbs().rowwise().sum().maxCoeff() : 0.0; }

// The step y for a damping, over the columns of B; false if the matrix is not positive definite.
bool newton_step(const MatrixXd& S, double shift, const VectorXd& r, VectorXd& y) {
  const MatrixXd A = S + shift * MatrixXd::Identity(S.rows(), S.cols());
  if (!A.allFinite() || !Cholesky(0.5 * (A + A.transpose())).positive()) return false;
  y = Lu(A).solve(r);
  return y.allFinite();
}

// Moves on along the forces: one step, damped more until it gains work. False if none does.
bool descend(Descent& at) {
  MachineForces& forces = at.forces;
  const multibody::System& system = forces.system();
  const MatrixXd S = forces.stiffness(), B = forces.allowed();
  const VectorXd Q = forces.force(), way = forces.way(), r = B.transpose() * Q;
  // Without any stiffness a step is as long as the forces are beside the largest.
  const double size = std::max(size_of(S), r.norm() / (widest_reach * system.length));
  VectorXd y;
  for (; at.damping <= heaviest_damping; at.damping = std::max(10.0 * at.damping, 1e-8)) {
    if (!newton_step(S, at.damping * size, r, y)) continue;
    VectorXd step = B * y;
    const double largest = step.cwiseProduct(way).cwiseAbs().maxCoeff(), limit = at.reach * longest_way * system.length;
    const bool limited = largest > limit;
    if (limited) step *= limit / largest, y *= limit / largest;
    VectorXd there = at.q;
    multibody::retract(system.tree, there.data(), step.data());
    if (!there.allFinite() || !forces.project(there)) continue;
    const MachineNet net = forces.net_force(there);
    const double promised = r.dot(y), work = 0.5 * (Q + forces.force()).dot(step_between(system, at.q, there));
    // Near the end the work is rounding: the net force decides.
    const bool less = at.net.residual < 1e-4 && net.residual < 0.9 * at.net.residual;
    const bool gained = std::isfinite(net.residual) && (work > 1e-3 * promised || less);
    const bool good = gained && work > 0.25 * promised;
    if (good && limited) at.reach = std::min(2.0 * at.reach, widest_reach);
    if (good && !limited) at.damping = std::max(0.1 * at.damping, lightest_damping);
    if (!good) at.reach = std::max(0.5 * at.reach, 1e-3);
    at.limited = good && limited;
    if (!gained) continue;
    if (net.residual < 1e-4) at.damping = std::clamp(1e-4 * net.residual, lightest_damping, at.damping);
    at.q = there;
    at.net = net;
    return true;
  }
  return false;
}

// Towards the nearest balance: the Newton step, shortened until the next one, with the same S, is shorter, so that stiff
// and soft motions count alike. False if none is.
bool close_in(Descent& at) {
  MachineForces& forces = at.forces;
  const multibody::System& system = forces.system();
  const VectorXd way = forces.way();
  const MatrixXd B = forces.allowed(), Z = way.asDiagonal() * B;
  LeastSquares solver(no_free_stiffness);
  solver.compute(forces.stiffness());
  const VectorXd y = solver.solve(Z.transpose() * at.net.net), step = B * y;
  const double largest = step.cwiseProduct(way).cwiseAbs().maxCoeff();
  const double most = std::min(1.0, at.reach * longest_way * system.length / largest);
  for (double part = most; part > 1e-6; part *= 0.5) {
    VectorXd there = at.q;
    const VectorXd shortened = part * step;
    multibody::retract(system.tree, there.data(), shortened.data());
    if (!there.allFinite() || !forces.project(there)) continue;
    const MachineNet net = forces.net_force(there);
    const VectorXd next = solver.solve(Z.transpose() * net.net);
    if (!std::isfinite(net.residual) || !(next.norm() <= (1.0 - 0.25 * part) * y.norm())) continue;
    at.limited = part == most && most < 1.0;
    at.reach = std::clamp((part == most ? 2.0 : 0.5) * at.reach, 1.0, widest_reach);
    at.q = there;
    at.net = net;
    return true;
  }
  return false;
}

// A rounding of the coordinates changes net forces by about this part of the scale of the residual.
double rounding(MachineForces& forces, const MachineNet& net) {
  const double scale = net.residual > 0.0 ? net.largest / net.residual : 0.0;
  double reach = forces.system().length;
  for (double x : forces.terms().x) reach = std::max(reach, std::abs(x));
  return scale > 0.0 ? 1.2e-16 * size_of(forces.stiffness()) * reach / scale : 0.0;
}

}  // namespace

void judge_stability(MachineForces& forces, MachineEquilibrium& found) {
  const MachineStability stability = machine_stability(forces);
  if (stability.stiffness.size() == 0) {
    found.stable = true;
    return;
  }
  const double least = stability.stiffness[0], none = no_stiffness * stability.scale;
  found.stable = least > none;
  if (std::abs(least) <= none && stability.softest >= 0)
    found.free = velocity_title(forces.system(), stability.softest);
}

MachineStability machine_stability(MachineForces& forces) {
  MachineStability found;
  const MatrixXd S = forces.stiffness(), B = forces.allowed();
  found.scale = size_of(S);
  // Across idle turns and rigid motions of the whole, in ways.
  const MachineMotions neutral = forces.free_motions();
  MatrixXd motions(B.rows(), neutral.idle.cols() + neutral.whole.cols());
  motions << neutral.idle, neutral.whole;
  const MatrixXd W = forces.way().asDiagonal();
  MatrixXd across = MatrixXd::Identity(B.cols(), B.cols());
  if (motions.cols() > 0) {
    const MatrixXd along = (W * B).transpose() * (W * motions);
    PivotedQr qr(along);
    qr.set_tolerance(dependent_direction);
    across = qr.across(B.cols() - qr.rank());
  }
  if (across.cols() == 0) return found;
  const MatrixXd R = across.transpose() * S * across;
  // Forces without an energy make S unsymmetric; the real parts tell what grows.
  const bool symmetric = (R - R.transpose()).norm() <= 1e-9 * R.norm();
  const SymmetricEigen eigen = symmetric_eigen(MatrixXd(0.5 * (R + R.transpose())));
  found.stiffness = eigen.values;
  if (!symmetric) {
    found.stiffness = general_eigenvalues(R).real();
    std::sort(found.stiffness.begin(), found.stiffness.end());
  }
  found.motion = B * (across * eigen.vectors.col(0));
  (W * found.motion).cwiseAbs().maxCoeff(&found.softest);
  return found;
}

MachineEquilibrium find_equilibrium(MachineForces& forces, const MachineSearch& search) {
  if (search.falls && forces.net_force(forces.start()).residual <= nearly_balanced) {
    MachineSearch near = search;
    near.falls = false;
    if (MachineEquilibrium found = find_equilibrium(forces, near); found.found) return found;
  }
  MachineEquilibrium best;
  VectorXd q = forces.start();
  if (!forces.project(q)) {
    best.q = forces.start();
    best.net = forces.net_force(best.q);
    best.reason = "the loops cannot be closed at the start";
    return best;
  }
  best.q = q;
  best.net = forces.net_force(q);
  Descent at{forces, q, best.net, std::clamp(1e-2 * best.net.residual, lightest_damping, 1e-2)};
  const auto within = [&](double tolerance) {
    return best.net.residual <= tolerance ||
           (best.net.residual <= 1e-6 && best.net.residual <= rounding_allowed * rounding(forces, at.net));
  };
  int idle = 0;  // steps since the residual last fell by half, or a good step was as long as it may be
  const auto patience = [&] { return within(exactly_balanced) ? 2 : within(search.tolerance) ? 6 : 200; };
  for (; best.iterations < search.iterations && at.net.residual > 0.0 && idle < patience(); ++best.iterations) {
    if (search.stop != nullptr && search.stop->load(std::memory_order_relaxed)) {
      best.reason = "interrupted";
      break;
    }
    if (!(search.falls ? descend(at) : close_in(at))) break;
    if (best.reason = forces.ended_cable(); !best.reason.empty()) break;
    idle = at.limited || at.net.residual <= 0.5 * best.net.residual ? 0 : idle + 1;
    if (at.net.residual < best.net.residual) best.q = at.q, best.net = at.net;
  }
  best.net = forces.net_force(best.q);
  best.found = best.reason.empty() && within(search.tolerance);
  if (best.found) judge_stability(forces, best);
  if (!best.found && best.reason.empty())
    best.reason = fmt::format("no equilibrium within {} steps, worst at {}", best.iterations,
                              best.net.worst >= 0 ? velocity_title(forces.system(), best.net.worst) : "none");
  return best;
}

}  // namespace taut
