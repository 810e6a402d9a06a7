#include "taut/statics/statics.h"

#include <tuple>
#include <utility>

#include "taut/base/text/enum_name.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/statics/loads.h"
#include "taut/statics/member_forces.h"

namespace taut {

namespace {

using Eigen::VectorXd;

// Whether cables that no self-stress reaches are all that holds something: they are slack.
bool leaves_loose(const Model& model, const Statics& s, const StaticsOptions& options) {
  const TangentParts tangent = tangent_parts(model, s.rows, 1e-3 * s.stabilising);
  const StaticStiffness stiffness(s.rows, s.spaces.rigid, tangent, options.tolerance);
  const auto softest = stiffness.softest();
  return softest && softest->eigenvalue <= no_stiffness * stiffness.scale();
}

// The verdict without loads.
Stability judge_self_stress(const Model& model, const StaticsOptions& options, Statics& s) {
  s.stress_eigenvalues = s.self_stress.isZero(0.0) ? VectorXd() : stress_eigenvalues(model, s.rows, s.self_stress);
  s.stabilising = s.self_stress;
  if (s.spaces.states == 0 || !s.sign_feasible) return Stability::no_self_stress;
  const Stabilised stabilised = stabilise(s.rows, s.spaces, unit_problem(s, options), s.self_stress);
  s.by_other_forces = stabilised.found && stabilised.forces != s.self_stress;
  s.stabilising = stabilised.forces;
  s.loose = stabilised.found && !s.idle.empty() && leaves_loose(model, s, options);
  if (!stabilised.found || s.loose) return Stability::unstable;
  return is_super_stable(model, s.rows, s.spaces, s.parts, s.stabilising) ? Stability::super_stable
                                                                          : Stability::prestress_stable;
}

void judge_mechanisms(Statics& s) {
  s.mechanisms = find_mechanisms(s.rows, s.spaces, s.stabilising);
  for (const Mechanism& m : s.mechanisms) {
    s.finite += m.kind == MechanismKind::finite;
    s.infinitesimal += m.kind == MechanismKind::infinitesimal;
    s.undecided += m.kind == MechanismKind::undecided;
  }
  if (!s.spaces.mechanisms_listed) (s.spaces.states == 0 ? s.finite : s.undecided) = s.spaces.mechanisms;
}

void find_stiffness(const Model& model, const StaticsOptions& options, Statics& s) {
  s.compliances.clear();
  s.tangent = tangent_parts(model, s.rows, s.forces);
  const WholeMotions neutral = neutral_motions(s.rows, s.spaces.rigid, s.forces);
  const StaticStiffness stiffness(s.rows, neutral, s.tangent, options.tolerance);
  s.stiffness_scale = stiffness.scale();
  s.softest = stiffness.softest();
  const bool firm = is_stiff(s);
  for (int node : options.compliance_nodes) {
    Compliance c{node, firm, Mat3::Zero()};
    for (int axis = 0; axis < 3 && c.bounded && s.softest; ++axis) {
      const int k = s.rows.unknown_of[3 * node + axis];
      if (k < 0) continue;
      const auto moved = stiffness.displacement(VectorXd::Unit(s.rows.unknowns(), k));
      c.bounded = moved.has_value();
      for (int other = 0; other < 3 && moved; ++other)
        if (const int i = s.rows.unknown_of[3 * node + other]; i >= 0) c.matrix(other, axis) = (*moved)[i];
    }
    s.compliances.push_back(c);
  }
}

// The part of the forces, unloaded, up to which nothing gives way: K_material + σ K_geometric for σ below 1.
std::optional<double> bearable_part(const Model& model, const Statics& s) {
  constexpr int most_unknowns = 3000;
  if (s.rows.unknowns() > most_unknowns) return std::nullopt;
  const auto bears = [&](double part) {
    const TangentParts tangent = tangent_parts(model, s.rows, part * s.forces);
    const WholeMotions neutral = neutral_motions(s.rows, s.spaces.rigid, part * s.forces);
    return StaticStiffness(s.rows, neutral, tangent).positive();
  };
  double low = 1e-3, high = 1.0;
  if (!bears(low)) return std::nullopt;
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    (bears(middle) ? low : high) = middle;
  }
  return low;
}

bool is_stable(Stability stability) {
  return stability == Stability::super_stable || stability == Stability::prestress_stable;
}

// The verdict, and the forces that it is about: the first case that applies.
std::pair<Stability, VerdictForces> judge(const Statics& s) {
  const Stability own = s.self_stress_stability;
  const bool possible = all_pull(s), loaded = s.load_state == LoadState::balanced;
  if (possible && gives_way(s)) return {Stability::unstable, VerdictForces::at_hand};
  if (own == Stability::no_self_stress) return {own, VerdictForces::none};
  if (possible && is_stiff(s) && is_stable(own)) return {own, VerdictForces::at_hand};
  if (possible && is_stiff(s) && loaded) return {Stability::prestress_stable, VerdictForces::at_hand};
  return {own, is_stable(own) && s.by_other_forces ? VerdictForces::stabilising : VerdictForces::self_stress};
}

}  // namespace

const char* name(LoadState state) {
  return enum_name<LoadState::on_mechanism>(state, {"none", "balanced", "not held", "on a mechanism"});
}

const char* name(Stability stability) {
  return enum_name<Stability::super_stable>(stability,
                                            {"no self-stress", "unstable", "prestress-stable", "super-stable"});
}

bool is_stiff(const Statics& s) { return !s.softest || s.softest->eigenvalue > no_stiffness * s.stiffness_scale; }

bool gives_way(const Statics& s) { return s.softest && s.softest->eigenvalue < -no_stiffness * s.stiffness_scale; }

bool all_pull(const Statics& s) {
  const long members = static_cast<long>(s.rows.members.size());
  const double largest = members > 0 ? s.forces.head(members).cwiseAbs().maxCoeff() : 0.0;
  for (long i = 0; i < members; ++i)
    if (s.rows.members[i].pulls_only && s.forces[i] < -no_force * largest) return false;
  return true;
}

double force_density(const Statics& statics, int member, const VectorXd& forces) {
  const double length = statics.rows.members[member].length;
  return length > 0.0 ? forces[member] / length : 0.0;
}

Statics analyse_statics(const Model& model, const StaticsOptions& options) {
  Statics s;
  s.rows = static_rows(model);
  s.parts = find_parts(model);
  s.spaces = static_spaces(model, s.rows, s.parts, options.tolerance);
  find_self_stress(options, s);
  s.self_stress_stability = judge_self_stress(model, options, s);
  judge_mechanisms(s);
  gather_loads(model, s);
  find_forces(options, s);
  find_stiffness(model, options, s);
  const bool loaded = s.load_state == LoadState::balanced;
  const bool other = s.by_other_forces || (s.forces.isZero(0.0) && s.sign_feasible && !s.stabilising.isZero(0.0));
  if (!loaded && other && !is_stiff(s) && take_stabilising(options, s)) find_stiffness(model, options, s);
  s.reactions = support_reactions(s);
  std::tie(s.stability, s.stability_of) = judge(s);
  if (!loaded && is_stable(s.self_stress_stability) && s.stability == Stability::unstable)
    s.stable_up_to = bearable_part(model, s);
  if (loaded && s.forces_feasible) s.buckling = loaded_buckling(model, s);
  return s;
}

}  // namespace taut
