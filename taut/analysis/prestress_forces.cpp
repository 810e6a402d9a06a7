#include "taut/analysis/prestress_forces.h"

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// Turns of the search for the cables at their bound: it always ends, but the last few of many cables may take long.
constexpr int most_turns = 1000;
// What an imbalance of the force scale costs against a distance of the length scale.
constexpr double price_of_imbalance = 1e4;

// The program, in the scales of the balance: variables r on the unknowns, T, μ, and moves δx where they are allowed.
class ForcesAt {
 public:
  ForcesAt(ForceBalance& balance, const std::vector<Target>& targets, const Eigen::VectorXd& x)
      : balance_(balance), n_(balance.unknowns()), members_(static_cast<int>(balance.slots().size())) {
    StaticForces& statics = balance.statics();
    statics.net_force(x);
    const int count = n_ + members_ + statics.constraints();
    qp_.weight = Eigen::VectorXd::Constant(count, faint_weight);
    qp_.weight.head(n_).setOnes();
    unknown_of_.assign(x.size(), -1);
    for (int i = 0; i < n_; ++i) {
      const int c = statics.unknowns()[i];
      unknown_of_[c] = i;
      qp_.jacobian.push_back({i, i, -1.0});
      right_.push_back(-statics.external()[c / 3][c % 3] / balance.force());
    }
    add_members(x);
    const auto& pattern = statics.jacobian_pattern();
    for (std::size_t k = 0; k < pattern.size(); ++k)
      qp_.jacobian.push_back(
          {pattern[k].column, n_ + members_ + pattern[k].row, -statics.jacobian_values()[k] / balance.length()});
    for (const Target& target : targets) add_target(target);
  }

  // Nodes may move, near `start`, along the constraints; an imbalance has its price.
  void allow_moves(const Candidate& at, const Eigen::VectorXd& start, const std::vector<char>& derived) {
    set_wanted(at);
    const int first = static_cast<int>(qp_.weight.size());
    qp_.weight.head(n_).setConstant(price_of_imbalance);
    qp_.weight.conservativeResize(first + n_);
    qp_.linear.conservativeResize(first + n_);
    const std::vector<int>& unknowns = balance_.statics().unknowns();
    for (int i = 0; i < n_; ++i) {
      qp_.weight[first + i] = derived[unknowns[i] / 3] ? faint_weight : 1.0;
      qp_.linear[first + i] = qp_.weight[first + i] * (start[unknowns[i]] - at.x[unknowns[i]]) / balance_.length();
    }
    add_geometric_stiffness(at, first);
    const auto& pattern = balance_.statics().jacobian_pattern();
    const int row = static_cast<int>(right_.size());
    for (std::size_t k = 0; k < pattern.size(); ++k)
      qp_.jacobian.push_back({row + pattern[k].row, first + pattern[k].column,
                              balance_.statics().jacobian_values()[k] / balance_.length()});
    right_.resize(right_.size() + balance_.statics().constraints(), 0.0);
  }

  // In the order of ForceBalance::nearer: δx, T, μ.
  void read_step(EqualityQpSolution& solution) const {
    const long forces = solution.z.size() - 2 * n_;
    Eigen::VectorXd z(n_ + forces);
    z << solution.z.tail(n_), solution.z.segment(n_, forces);
    solution.z = z;
  }

  // Near these forces.
  void set_wanted(const Candidate& wanted) {
    qp_.linear = Eigen::VectorXd::Zero(qp_.weight.size());
    qp_.linear.segment(n_, members_) = faint_weight / balance_.force() * wanted.tension;
    qp_.linear.tail(wanted.multiplier.size()) = faint_weight * balance_.length() / balance_.force() * wanted.multiplier;
  }

  EqualityQpSolution solve(const std::vector<int>& held, double tension) {
    const std::size_t rows = right_.size(), entries = qp_.jacobian.size();
    for (int cable : held) {
      qp_.jacobian.push_back({static_cast<int>(right_.size()), n_ + balance_.column_of_cable(cable), 1.0});
      right_.push_back(tension / balance_.force());
    }
    qp_.right = Eigen::Map<Eigen::VectorXd>(right_.data(), static_cast<long>(right_.size()));
    right_.resize(rows);
    EqualityQpSolution solution = solve_equality_qp(qp_);
    qp_.jacobian.resize(entries);
    return solution;
  }

  void read(const EqualityQpSolution& solution, Candidate& found) const {
    found.tension = balance_.force() * solution.z.segment(n_, members_);
    found.multiplier = balance_.force() / balance_.length() * solution.z.tail(solution.z.size() - n_ - members_);
  }

  double tension(const EqualityQpSolution& solution, int cable) const {
    return balance_.force() * solution.z[n_ + balance_.column_of_cable(cable)];
  }

 private:
  void add_members(const Eigen::VectorXd& x) {
    const Cables& cables = balance_.cables();
    for (int k = 0; k < members_; ++k)
      for (int p = cables.piece_begin(balance_.slots()[k]); p < cables.piece_end(balance_.slots()[k]); ++p) {
        const int a = cables.piece_a(p), b = cables.piece_b(p);
        const Vec3 d = x.segment<3>(3 * b) - x.segment<3>(3 * a);
        const double l = d.norm();
        for (int axis = 0; l > 0.0 && axis < 3; ++axis) {
          if (const int i = unknown_of_[3 * a + axis]; i >= 0) qp_.jacobian.push_back({i, n_ + k, d[axis] / l});
          if (const int i = unknown_of_[3 * b + axis]; i >= 0) qp_.jacobian.push_back({i, n_ + k, -d[axis] / l});
        }
      }
  }

  void add_geometric_stiffness(const Candidate& at, int first) {
    const double scale = balance_.length() / balance_.force();
    const auto add = [&](int node, int other, const Mat3& block) {
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          const int i = unknown_of_[3 * node + r], j = unknown_of_[3 * other + c];
          if (i >= 0 && j >= 0 && block(r, c) != 0.0) qp_.jacobian.push_back({i, first + j, -scale * block(r, c)});
        }
    };
    const auto add_pair = [&](int a, int b, const Mat3& block) {
      add(a, a, block), add(b, b, block), add(a, b, -block), add(b, a, -block);
    };
    const Cables& cables = balance_.cables();
    for (int k = 0; k < members_; ++k)
      for (int p = cables.piece_begin(balance_.slots()[k]); p < cables.piece_end(balance_.slots()[k]); ++p) {
        const int a = cables.piece_a(p), b = cables.piece_b(p);
        const Vec3 d = at.x.segment<3>(3 * b) - at.x.segment<3>(3 * a);
        const double l = d.norm();
        if (l > 0.0) add_pair(a, b, at.tension[k] / l * (Mat3::Identity() - d * d.transpose() / (l * l)));
      }
    StaticForces& statics = balance_.statics();
    for (int row = 0; row < statics.constraints(); ++row)
      if (const auto [a, b] = statics.ends_of_row(row); a >= 0) add_pair(a, b, at.multiplier[row] * Mat3::Identity());
  }

  void add_target(const Target& target) {
    const double share = target.mean ? 1.0 / static_cast<double>(target.cables.size()) : 1.0;
    for (std::size_t k = 0; k < target.cables.size(); ++k) {
      if (k == 0 || !target.mean) right_.push_back(target.tension / balance_.force());
      qp_.jacobian.push_back(
          {static_cast<int>(right_.size()) - 1, n_ + balance_.column_of_cable(target.cables[k]), share});
    }
  }

  ForceBalance& balance_;
  int n_, members_;
  EqualityQp qp_;
  std::vector<double> right_;
  std::vector<int> unknown_of_;
};

// `last` keeps what the program answered last.
HeldProgram held_program(ForcesAt& forces, const LeastTension& least, EqualityQpSolution& last) {
  return [&](const std::vector<int>& held) {
    last = forces.solve(held, least.tension);
    HeldSolution solution;
    solution.solved = last.solved;
    if (!last.solved) return solution;
    solution.tension = Eigen::VectorXd::Zero(static_cast<long>(least.bounded.size()));
    for (std::size_t i = 0; i < least.bounded.size(); ++i)
      if (least.bounded[i]) solution.tension[static_cast<long>(i)] = forces.tension(last, static_cast<int>(i));
    solution.multiplier = last.multiplier.tail(static_cast<long>(held.size()));
    return solution;
  };
}

}  // namespace

bool forces_within(ForceBalance& balance, const std::vector<Target>& targets, const LeastTension& least,
                   const Candidate& wanted, Candidate& found, std::vector<int>& held) {
  ForcesAt forces(balance, targets, wanted.x);
  Candidate near = wanted;
  double imbalance = INFINITY;
  EqualityQpSolution last;
  const HeldProgram program = held_program(forces, least, last);
  for (int pass = 0; pass < 12; ++pass) {
    forces.set_wanted(near);
    std::vector<int> holding = held;
    if (!find_held(program, least, most_turns, holding) || !(last.violation < 1e-9)) return pass > 0;
    forces.read(last, near);
    const double now = balance.imbalance(near).lpNorm<Eigen::Infinity>();
    if (pass > 0 && now > 0.5 * imbalance) break;
    imbalance = now;
    found = near;
    held = holding;
  }
  return true;
}

bool nearer_within(ForceBalance& balance, const std::vector<Target>& targets, const LeastTension& least,
                   const std::vector<char>& derived, const Candidate& at, const Eigen::VectorXd& start,
                   EqualityQpSolution& step, std::vector<int>& held) {
  ForcesAt forces(balance, targets, at.x);
  forces.allow_moves(at, start, derived);
  std::vector<int> holding = held;
  if (!find_held(held_program(forces, least, step), least, most_turns, holding)) return false;
  if (!(step.violation < 1e-9)) return false;
  forces.read_step(step);
  held = holding;
  return true;
}

}  // namespace taut
