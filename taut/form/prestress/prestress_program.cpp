#include "taut/form/prestress/prestress_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taut/base/error.h"
#include "taut/formulation/joint_side.h"
#include "taut/formulation/matrices.h"
#include "taut/solve/qp/qp.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double faint_force = 1e-6;  // of forces beside distances: picks one of several self-stress states
constexpr double faint_turn = 1e-4;   // of ways that move no node beside those that do
constexpr double mean_before_each = 1e3;
constexpr double price_of_slack =
    1e4;                           // what an imbalance of the force scale costs against a distance of the length scale
constexpr double nothing = 1e-12;  // a row or column that forces do not reach

class Programme {
 public:
  Programme(MachinePose& pose, const ForceWishes& wishes, const ForceProgramme& how)
      : pose_(pose),
        wishes_(wishes),
        how_(how),
        L_(pose.forces.system().length),
        n_(pose.forces.allowed().cols()),
        m_(static_cast<long>(pose.members().size())),
        first_t_(how.moves ? n_ : 0),
        first_r_(first_t_ + m_),
        count_(first_r_ + (how.slack ? n_ : 0)) {
    qp_.P = MatrixXd::Zero(count_, count_);
    qp_.q = VectorXd::Zero(count_);
    qp_.lower = VectorXd::Constant(count_, -infinity);
    qp_.upper = VectorXd::Constant(count_, infinity);
  }

  std::optional<ForceStep> solve() {
    weigh_forces();
    bound_forces();
    if (how_.moves) weigh_moves();
    for (long r = 0; r < n_ && how_.slack; ++r) qp_.P(first_r_ + r, first_r_ + r) = price_of_slack;
    if (!add_balance()) return std::nullopt;
    add_springs();
    add_wanted();
    qp_.A.resize(static_cast<long>(rows_.size()), count_);
    qp_.b.resize(static_cast<long>(rows_.size()));
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      qp_.A.row(static_cast<long>(r)) = rows_[r].first;
      qp_.b[static_cast<long>(r)] = rows_[r].second;
    }
    const QpSolution solution = solve_qp(qp_);
    if (solution.status != QpStatus::optimal && solution.status != QpStatus::inaccurate) return std::nullopt;
    return step_of(solution);
  }

 private:
  void weigh_forces() {
    const double weight = how_.moves ? faint_force : 1.0, F = wishes_.force;
    for (long i = 0; i < m_; ++i) {
      qp_.P(first_t_ + i, first_t_ + i) += weight;
      qp_.q[first_t_ + i] -= weight * wishes_.near[i] / F;
    }
    if (wishes_.mean.empty()) return;
    VectorXd row = VectorXd::Zero(count_);
    for (int i : wishes_.mean) row[first_t_ + i] = 1.0 / static_cast<double>(wishes_.mean.size());
    double mean = 0.0;
    for (int i : wishes_.mean) mean += wishes_.near[i] / F / static_cast<double>(wishes_.mean.size());
    if (how_.keeps_mean) return rows_.emplace_back(row, mean), void();
    qp_.P += mean_before_each * weight * row * row.transpose();
    qp_.q -= mean_before_each * weight * mean * row;
  }

  void bound_forces() {
    for (long i = 0; i < m_; ++i) {
      const MachineMember& member = pose_.members()[i];
      const bool spring = member.kind == MachineMemberKind::spring;
      qp_.lower[first_t_ + i] = wishes_.least[i] / wishes_.force;
      // A spring's torque follows its turn.
      if (wishes_.given[i] && !(spring && how_.moves))
        qp_.lower[first_t_ + i] = qp_.upper[first_t_ + i] = member.present / wishes_.force;
    }
  }

  // ½ |X B y + x - x₀|² / L², and a little of every way.
  void weigh_moves() {
    const MatrixXd X = pose_.forces.formulation().matrices(pose_.forces.coordinates().data(), nullptr, {.X = true}).X *
                       pose_.forces.allowed();
    qp_.P.topLeftCorner(n_, n_) += X.transpose() * X + faint_turn * MatrixXd::Identity(n_, n_);
    qp_.q.head(n_) += X.transpose() * (pose_.x - wishes_.start) / L_;
    qp_.lower.head(n_).setConstant(-how_.reach);
    qp_.upper.head(n_).setConstant(how_.reach);
  }

  // Bᵀ A t - Bᵀ K_g B y + r = -Bᵀ Q_e over F. False where a way is pushed that no force reaches.
  bool add_balance() {
    const MatrixXd& B = pose_.forces.allowed();
    const VectorXd& q = pose_.forces.coordinates();
    const MatrixXd A = B.transpose() * pose_.rows.columns_at_start().leftCols(m_);
    const VectorXd right =
        -B.transpose() * pose_.rows.acting(q, VectorXd::Zero(pose_.rows.columns()), true) / wishes_.force;
    MatrixXd K;
    if (how_.moves)
      K = B.transpose() * pose_.rows.geometric_stiffness(pose_.rows.present(), true) * B * (L_ / wishes_.force);
    for (long r = 0; r < n_; ++r) {
      VectorXd row = VectorXd::Zero(count_);
      row.segment(first_t_, m_) = A.row(r);
      // In a linearised balance the forces of now meet the moves.
      if (how_.moves) row.head(n_) = -K.row(r);
      if (!(row.norm() > nothing)) {
        if (std::abs(right[r]) > 1e-9 && !how_.slack) return false;
        if (!how_.slack) continue;
      }
      if (how_.slack) row[first_r_ + r] = 1.0;
      balance_.push_back(static_cast<int>(rows_.size()));
      rows_.emplace_back(row, right[r]);
    }
    return true;
  }

  // t_s + (k/L) δ_s = what it is now.
  void add_springs() {
    for (long i = 0; i < m_ && how_.moves; ++i) {
      const MachineMember& member = pose_.members()[i];
      if (member.kind != MachineMemberKind::spring) continue;
      VectorXd row = VectorXd::Zero(count_);
      row[first_t_ + i] = 1.0;
      // slope() is k/L², per way of a lever of L.
      row.head(n_) = pose_.rows.slope(member, 0.0) * L_ * L_ / wishes_.force * pose_.forces.allowed().row(member.index);
      rows_.emplace_back(row, member.present / wishes_.force);
    }
  }

  void add_wanted() {
    for (const WantedTension& wanted : wishes_.wanted) {
      VectorXd row = VectorXd::Zero(count_);
      for (std::size_t k = 0; k < wanted.cables.size(); ++k) {
        row[first_t_ + wanted.cables[k]] = wanted.mean ? 1.0 / static_cast<double>(wanted.cables.size()) : 1.0;
        if (wanted.mean && k + 1 < wanted.cables.size()) continue;
        rows_.emplace_back(row, wanted.tension / wishes_.force);
        row.setZero();
      }
    }
  }

  ForceStep step_of(const QpSolution& solution) const {
    ForceStep step;
    step.y = how_.moves ? VectorXd(L_ * solution.x.head(n_)) : VectorXd(VectorXd::Zero(n_));
    step.t = wishes_.force * solution.x.segment(first_t_, m_);
    for (long i = 0; i < m_; ++i)
      if (std::isfinite(wishes_.least[i]) && solution.active.bounds[first_t_ + i] == QpSide::lower)
        step.binding.push_back(wishes_.cable[i]);
    std::sort(step.binding.begin(), step.binding.end());
    if (how_.slack && n_ > 0) step.left = solution.x.tail(n_).lpNorm<Eigen::Infinity>();
    for (int row : balance_) step.price = std::max(step.price, std::abs(solution.y[row]));
    return step;
  }

  MachinePose& pose_;
  const ForceWishes& wishes_;
  const ForceProgramme& how_;
  const double L_;
  const long n_, m_, first_t_, first_r_, count_;
  Qp qp_;
  std::vector<std::pair<VectorXd, double>> rows_;
  std::vector<int> balance_;
};

// Numbers of the cables, pulleys counted on, by member.
std::vector<int> cables_of(const MachinePose& pose) {
  std::vector<int> cable;
  for (const MachineMember& m : pose.members())
    cable.push_back(m.kind == MachineMemberKind::cable    ? m.index
                    : m.kind == MachineMemberKind::pulley ? m.index + static_cast<int>(pose.model.cables.size())
                                                          : -1);
  return cable;
}

}  // namespace

MachinePose::MachinePose(Model drawn)
    : model(std::move(drawn)), forces(model), net(forces.net_force(forces.start())), rows(forces) {
  x.resize(3 * static_cast<long>(model.nodes.size()));
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    x.segment<3>(3 * static_cast<long>(i)) = Vec3(forces.terms().x.data() + 4 * i);
}

double MachinePose::mean_length() const {
  double sum = 0.0, count = 0.0;
  for (const Bar& bar : model.bars) sum += start_length(model, bar), ++count;
  for (const MachineMember& m : members())
    if (m.kind == MachineMemberKind::cable || m.kind == MachineMemberKind::pulley) sum += m.length, ++count;
  return count > 0.0 ? sum / count : forces.system().length;
}

JointDrive* torque_drive(const MachinePose& pose, const MachineMember& member, Model& model) {
  for (JointDrive& drive : model.drives) {
    const JointIndices at = pose.forces.formulation().joints()->joint_indices(drive.joint);
    if (!drive.imposed && at.v >= 0 && at.v + drive.coordinate == member.index) return &drive;
  }
  return nullptr;
}

ForceWishes wishes_of(const MachinePose& pose, double least_tension) {
  const std::vector<MachineMember>& members = pose.members();
  const long count = static_cast<long>(members.size());
  Model model = pose.model;
  ForceWishes wishes;
  wishes.cable = cables_of(pose);
  wishes.near = pose.rows.present().head(count);
  wishes.least = VectorXd::Constant(count, -infinity);
  std::vector<int> member_of(model.cables.size() + model.pulleys.size(), -1);
  double sum = 0.0, largest = 0.0;
  for (long i = 0; i < count; ++i) {
    const MachineMember& m = members[i];
    const bool free = m.kind == MachineMemberKind::cable || m.kind == MachineMemberKind::pulley ||
                      (m.kind == MachineMemberKind::bar && !m.keeps) ||
                      (m.kind == MachineMemberKind::drive && torque_drive(pose, m, model) != nullptr);
    wishes.given.push_back(!free);
    largest = std::max(largest, std::abs(m.present));
    if (wishes.cable[i] < 0) continue;
    member_of[wishes.cable[i]] = static_cast<int>(i);
    if (!m.pulls_only) continue;
    wishes.least[i] = least_tension;
    wishes.mean.push_back(static_cast<int>(i));
    sum += m.present;
  }
  for (WantedTension wanted : model.wanted_tensions) {
    for (int& cable : wanted.cables) {
      if (member_of[cable] < 0)
        throw InputError(wanted.place, "cables",
                         "names a cable that is rigid or closes a loop between pulleys: its tension follows from the "
                         "others, and cannot be wanted");
      cable = member_of[cable];
      if (!wanted.mean) wishes.least[cable] = -infinity;
    }
    wishes.wanted.push_back(std::move(wanted));
  }
  const bool any =
      std::any_of(wishes.wanted.begin(), wishes.wanted.end(), [](const auto& w) { return w.tension != 0.0; });
  if (!wishes.wanted.empty() && !any)
    throw InputError("prestress: all wanted tensions are 0 N: nothing would be taut; give at least one above 0");
  wishes.force = wishes.mean.empty() || !(sum > 0.0) ? largest : sum / static_cast<double>(wishes.mean.size());
  for (const WantedTension& wanted : wishes.wanted) wishes.force = std::max(wishes.force, wanted.tension);
  if (any) wishes.mean.clear();
  if (!(wishes.force > 0.0)) wishes.force = std::max(1.0, pose.forces.force().cwiseQuotient(pose.forces.way()).norm());
  return wishes;
}

std::optional<ForceStep> solve_forces(MachinePose& pose, const ForceWishes& wishes, const ForceProgramme& how) {
  return Programme(pose, wishes, how).solve();
}

}  // namespace taut
