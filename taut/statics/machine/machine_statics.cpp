#include "taut/statics/machine/machine_statics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taut/equilibrium/stiffness/null_space.h"
#include "taut/formulation/matrices.h"
#include "taut/solve/dense.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double balanced = 1e-6;  // what rounding of the numbers in a file leaves

bool is_cable(const MachineMember& m) {
  return m.kind == MachineMemberKind::cable || m.kind == MachineMemberKind::pulley;
}

// Columns that span what A maps to zero, columns of A counted by their direction.
MatrixXd directions_to_zero(const MatrixXd& A, double tolerance, int& rank) {
  rank = 0;
  if (A.cols() == 0 || A.rows() == 0) return MatrixXd::Identity(A.cols(), A.cols());
  VectorXd sizes(A.cols());
  MatrixXd scaled = A;
  for (long k = 0; k < A.cols(); ++k) {
    sizes[k] = A.col(k).norm() > 0.0 ? A.col(k).norm() : 1.0;
    scaled.col(k) /= sizes[k];
  }
  LeastSquares solver(tolerance);
  solver.compute(scaled);
  rank = static_cast<int>(solver.rank());
  return sizes.cwiseInverse().asDiagonal() * solver.free();
}

class Analysis {
 public:
  Analysis(const Model& model, const StaticsOptions& options, const std::optional<MachinePlace>& at)
      : options_(options),
        forces_(without_ground(model), at),
        net_(forces_.net_force(forces_.start())),
        rows_(forces_) {
    motions_ = forces_.free_motions();
  }

  MachineStatics run() {
    s_.members = rows_.members();
    const FormulationFacts& facts = forces_.formulation().facts();
    s_.velocities.assign(facts.state_names.begin() + facts.nq, facts.state_names.end());
    s_.equilibrium = rows_.columns_at_start();
    s_.node_map = forces_.formulation().matrices(forces_.coordinates().data(), nullptr, {.X = true}).X;
    s_.inner = rows_.inner();
    s_.idle_turns = static_cast<int>(motions_.idle.cols());
    s_.rigid_motions = static_cast<int>(motions_.whole.cols());
    s_.imbalance = net_.residual;
    find_states();
    find_unit_stress();
    find_forces();
    find_mechanisms();
    find_stiffness();
    judge();
    return std::move(s_);
  }

 private:
  static Model without_ground(Model model) {
    model.ground.reset();
    return model;
  }

  long members() const { return static_cast<long>(s_.members.size()); }

  void find_states() {
    const MatrixXd A = forces_.way().cwiseInverse().asDiagonal() * s_.equilibrium;
    int unused = 0;
    const MatrixXd free = directions_to_zero(A, options_.tolerance, s_.rank);
    directions_to_zero(A.rightCols(s_.inner), options_.tolerance, unused);
    s_.states = static_cast<int>(free.cols()) - (s_.inner - unused);
    // By the members' part.
    s_.self_stress = MatrixXd(rows_.columns(), 0);
    if (s_.states == 0) return;
    const Svd svd = full_svd(free.topRows(members()));
    s_.self_stress.resize(rows_.columns(), s_.states);
    for (int k = 0; k < s_.states; ++k) s_.self_stress.col(k) = free * svd.V.col(k) / svd.values[k];
  }

  // statics/forces.h looks at members only.
  StaticRows plain_rows() const {
    StaticRows rows;
    for (const MachineMember& m : s_.members)
      rows.members.push_back(
          {m.name, is_cable(m) ? m.index : -1, is_cable(m) ? -1 : m.index, m.length, m.pulls_only, m.keeps, m.present});
    rows.rows.resize(rows_.columns());
    return rows;
  }

  ForceProblem problem(const StaticRows& rows) const {
    ForceProblem p;
    p.rows = &rows;
    p.self_stress = &s_.self_stress;
    p.balance = VectorXd::Zero(rows_.columns());
    p.choice = options_.choice;
    p.least = VectorXd::Constant(members(), -infinity);
    p.most = VectorXd::Constant(members(), infinity);
    return p;
  }

  void find_unit_stress() {
    s_.unit_stress = VectorXd::Zero(rows_.columns());
    for (long i = 0; i < members(); ++i)
      if (s_.members[i].pulls_only && !(s_.self_stress.row(i).norm() > no_force))
        s_.unreached.push_back(static_cast<int>(i));
    if (s_.states == 0) return;
    const StaticRows rows = plain_rows();
    ForceProblem p = problem(rows);
    for (long i = 0; i < members(); ++i)
      if (s_.members[i].pulls_only) p.least[i] = s_.self_stress.row(i).norm() > no_force ? 1.0 : 0.0;
    ForceAnswer answer = choose_forces(p);
    // Without cables that only pull nothing asks for any size: the first state.
    if (answer.forces.head(members()).norm() <= no_force) answer.forces = s_.self_stress.col(0);
    s_.sign_feasible = answer.feasible;
    double cables = 0.0, all = 0.0;
    for (long i = 0; i < members(); ++i) {
      all = std::max(all, std::abs(answer.forces[i]));
      if (is_cable(s_.members[i])) cables = std::max(cables, std::abs(answer.forces[i]));
    }
    s_.unit_stress = answer.forces / (cables > no_force * all ? cables : all);
  }

  bool asked_for_bounds() const {
    return options_.min_tension || options_.max_tension || options_.max_compression ||
           options_.choice != ForceChoice::least_norm;
  }

  // Weight and loads on the velocities, and what becomes of them.
  VectorXd find_loads() {
    const VectorXd load = rows_.acting(forces_.coordinates(), VectorXd::Zero(rows_.columns()), true);
    const VectorXd on_ways = load.cwiseQuotient(forces_.way());
    const double size = on_ways.norm();
    if (!(size > 0.0)) return VectorXd::Zero(rows_.columns());
    s_.load_state = LoadState::balanced;
    for (long k = 0; k < motions_.whole.cols(); ++k) {
      const VectorXd ways = motions_.whole.col(k).cwiseProduct(forces_.way());
      if (std::abs(on_ways.dot(ways)) > not_carried * size * ways.norm()) s_.load_state = LoadState::not_held;
    }
    const MatrixXd A = forces_.way().cwiseInverse().asDiagonal() * s_.equilibrium;
    LeastSquares solver(options_.tolerance);
    solver.compute(A);
    const VectorXd t = -solver.solve(on_ways);
    if (s_.load_state == LoadState::balanced && (A * t + on_ways).norm() > not_carried * size)
      s_.load_state = LoadState::on_mechanism;
    return s_.load_state == LoadState::balanced ? t : VectorXd::Zero(rows_.columns());
  }

  void find_forces() {
    const VectorXd balance = find_loads();
    s_.at_start = s_.imbalance <= balanced && !asked_for_bounds();
    if (s_.at_start) {
      s_.forces = rows_.present();
      s_.forces_feasible = true;
    } else {
      const StaticRows rows = plain_rows();
      ForceProblem p = problem(rows);
      p.balance = balance;
      ForceAnswer answer;
      // Cables at their tension of the start; or, if that is too much to ask, in tension.
      for (const bool own : {true, false}) {
        for (long i = 0; i < members(); ++i) {
          if (options_.max_tension) p.most[i] = *options_.max_tension;
          if (options_.max_compression) p.least[i] = -*options_.max_compression;
          if (s_.members[i].pulls_only)
            p.least[i] = options_.min_tension.value_or(own ? std::max(0.0, s_.members[i].present) : 0.0);
        }
        answer = choose_forces(p);
        if (answer.feasible) break;
      }
      s_.forces = answer.forces;
      s_.forces_feasible = answer.feasible;
      s_.offending = answer.offending;
    }
    s_.bar_forces = rows_.bar_forces(s_.forces);
  }

  // The motions that keep all members: of velocities, in ways.
  MatrixXd neutral_ways() const {
    MatrixXd motions(forces_.way().size(), motions_.idle.cols() + motions_.whole.cols());
    motions << motions_.idle, motions_.whole;
    return forces_.way().asDiagonal() * motions;
  }

  static MatrixXd across(const MatrixXd& Z, const MatrixXd& away) {
    if (away.cols() == 0 || Z.cols() == 0) return Z;
    PivotedQr qr(Z.transpose() * away);
    qr.set_tolerance(dependent_direction);
    return Z * qr.across(Z.cols() - qr.rank());
  }

  VectorXd as_motion(const VectorXd& ways) const {
    const double largest = ways.cwiseAbs().maxCoeff();
    return (largest > 0.0 ? 1.0 / largest : 0.0) * ways.cwiseQuotient(forces_.way());
  }

  void find_mechanisms() {
    const MatrixXd rows = (forces_.way().cwiseInverse().asDiagonal() * s_.equilibrium).transpose();
    const MatrixXd Z = across(null_space(rows), neutral_ways());
    if (Z.cols() == 0) return;
    MatrixXd K = MatrixXd::Zero(Z.rows(), Z.rows());
    if (s_.states > 0) K = rows_.geometric_stiffness(s_.unit_stress, false);
    const MatrixXd B = forces_.way().cwiseInverse().asDiagonal() * Z, R = B.transpose() * K * B;
    const SymmetricEigen eigen = symmetric_eigen(MatrixXd(0.5 * (R + R.transpose())));
    // Of one sign, the self-stress stops them all; without any they go on.
    const double none =
        no_stiffening *
        (forces_.way().cwiseInverse().asDiagonal() * K * forces_.way().cwiseInverse().asDiagonal()).norm();
    const bool stops = s_.states > 0 && (eigen.values[0] > none || eigen.values[eigen.values.size() - 1] < -none);
    for (long k = 0; k < Z.cols(); ++k) {
      const MechanismKind kind = s_.states == 0 ? MechanismKind::finite
                                 : stops        ? MechanismKind::infinitesimal
                                                : MechanismKind::undecided;
      s_.mechanisms.push_back({kind, as_motion(Z * eigen.vectors.col(k)), eigen.values[k]});
    }
  }

  // Ways along the loops with these velocities held.
  MatrixXd free_ways(const std::vector<char>& held) const {
    const MatrixXd K = forces_.formulation().matrices(forces_.coordinates().data(), nullptr, {.G = true}).G;
    const long nv = K.cols(), loops = forces_.system().loops.rows;
    std::vector<int> stopped;
    for (int c = 0; c < nv; ++c)
      if (held[c]) stopped.push_back(c);
    MatrixXd G = MatrixXd::Zero(loops + static_cast<long>(stopped.size()), nv);
    G.topRows(loops) = K.topRows(loops) * forces_.way().cwiseInverse().asDiagonal();
    for (std::size_t i = 0; i < stopped.size(); ++i) G(loops + static_cast<long>(i), stopped[i]) = 1.0;
    return across(null_space(G), neutral_ways());
  }

  std::optional<MachineSoftness> softness(const MatrixXd& Z) const {
    if (Z.cols() == 0) return std::nullopt;
    const MatrixXd B = forces_.way().cwiseInverse().asDiagonal() * Z, S = B.transpose() * s_.stiffness * B;
    MachineSoftness found;
    found.scale = S.cwiseAbs().rowwise().sum().maxCoeff();
    const SymmetricEigen eigen = symmetric_eigen(MatrixXd(0.5 * (S + S.transpose())));
    found.eigenvalue =
        (S - S.transpose()).norm() > 1e-9 * S.norm() ? general_eigenvalues(S).real().minCoeff() : eigen.values[0];
    found.motion = as_motion(Z * eigen.vectors.col(0));
    return found;
  }

  void find_stiffness() {
    const bool loaded = s_.at_start || s_.load_state == LoadState::balanced;
    s_.stiffness = rows_.material_stiffness(s_.equilibrium, s_.forces) + rows_.geometric_stiffness(s_.forces, loaded);
    std::vector<char> imposed = forces_.system().tree.imposed, driven = imposed;
    for (const MachineMember& m : s_.members)
      if (m.kind == MachineMemberKind::drive) driven[m.index] = 1;
    const MatrixXd Z = free_ways(driven);
    s_.held = softness(Z);
    s_.given = softness(free_ways(imposed));
    for (int node : options_.compliance_nodes) s_.compliances.push_back(compliance(node, Z));
  }

  Compliance compliance(int node, const MatrixXd& Z) const {
    Compliance c{node, !s_.held || s_.held->eigenvalue > no_stiffness * s_.held->scale, Mat3::Zero()};
    if (!c.bounded || !s_.held) return c;
    const MatrixXd B = forces_.way().cwiseInverse().asDiagonal() * Z, along = s_.node_map.middleRows(3 * node, 3) * B;
    c.matrix = along * Lu(B.transpose() * s_.stiffness * B).solve(MatrixXd(along.transpose()));
    return c;
  }

  void judge() {
    const bool forced = s_.forces.head(members()).norm() > 0.0;
    if (!forced && s_.states == 0) return;
    if (s_.held && s_.held->eigenvalue < -no_stiffness * s_.held->scale)
      s_.stability = Stability::unstable;
    else if (s_.states > 0 && s_.forces_feasible && (!s_.held || s_.held->eigenvalue > no_stiffness * s_.held->scale))
      s_.stability = Stability::prestress_stable;
    else if (s_.states > 0 && s_.sign_feasible)
      s_.stability = Stability::unstable;
  }

  StaticsOptions options_;
  MachineForces forces_;
  MachineNet net_;
  MachineRows rows_;
  MachineMotions motions_;
  MachineStatics s_;
};

}  // namespace

MachineStatics analyse_machine(const Model& model, const StaticsOptions& options,
                               const std::optional<MachinePlace>& at) {
  return Analysis(model, options, at).run();
}

}  // namespace taut
