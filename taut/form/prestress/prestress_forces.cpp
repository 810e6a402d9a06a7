#include "taut/form/prestress/prestress_forces.h"

#include <cmath>

namespace taut {

namespace {

// Turns of the search for the cables at their bound: it always ends, but the last few of many cables may take long.
constexpr int most_releases = 1000;
// What an imbalance of the force scale costs against a distance of the length scale.
constexpr double price_of_imbalance = 1e4;

// The program, in the scales of the balance: variables r on the unknowns, T, μ, and moves δx where they are allowed.
class ForcesAt {
 public:
  ForcesAt(ForceBalance& balance, const Eigen::VectorXd& x)
      : balance_(balance), n_(balance.unknowns()), members_(static_cast<int>(balance.slots().size())) {
    balance.refresh(x);
    const int count = n_ + members_ + balance.statics().constraints();
    qp_.weight = Eigen::VectorXd::Constant(count, faint_weight);
    qp_.weight.head(n_).setOnes();
    for (int i = 0; i < n_; ++i) {
      qp_.jacobian.push_back({i, i, -1.0});
      right_.push_back(-balance.load_on(i));
    }
    balance.add_forces(x, n_, qp_);
    balance.add_wanted_tensions(n_, qp_, right_);
  }

  // Nodes may move, near `start`, along the constraints; an imbalance has its price.
  void allow_moves(const Candidate& at, const Eigen::VectorXd& start) {
    set_wanted(at);
    const int first = static_cast<int>(qp_.weight.size());
    qp_.weight.head(n_).setConstant(price_of_imbalance);
    qp_.weight.conservativeResize(first + n_);
    qp_.linear.conservativeResize(first + n_);
    const std::vector<int>& unknowns = balance_.statics().unknowns();
    for (int i = 0; i < n_; ++i) {
      qp_.weight[first + i] = balance_.weight_of(i);
      qp_.linear[first + i] = qp_.weight[first + i] * (start[unknowns[i]] - at.x[unknowns[i]]) / balance_.length();
    }
    balance_.add_geometric_stiffness(at, first, qp_);
    balance_.add_constraints(first, static_cast<int>(right_.size()), qp_);
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
    balance_.hold(held, tension);
    balance_.add_held(n_, qp_, right_);
    balance_.hold({}, 0.0);
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
  ForceBalance& balance_;
  int n_, members_;
  EqualityQp qp_;
  std::vector<double> right_;
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

bool forces_within(ForceBalance& balance, const LeastTension& least, const Candidate& wanted, Candidate& found,
                   std::vector<int>& held) {
  ForcesAt forces(balance, wanted.x);
  Candidate near = wanted;
  double imbalance = INFINITY;
  EqualityQpSolution last;
  const HeldProgram program = held_program(forces, least, last);
  for (int pass = 0; pass < 12; ++pass) {
    forces.set_wanted(near);
    std::vector<int> holding = held;
    if (!find_held(program, least, most_releases, holding) || !(last.violation < 1e-9)) return pass > 0;
    forces.read(last, near);
    const double now = balance.imbalance(near).lpNorm<Eigen::Infinity>();
    if (pass > 0 && now > 0.5 * imbalance) break;
    imbalance = now;
    found = near;
    held = holding;
  }
  return true;
}

bool nearer_within(ForceBalance& balance, const LeastTension& least, const Candidate& at, const Eigen::VectorXd& start,
                   EqualityQpSolution& step, std::vector<int>& held) {
  ForcesAt forces(balance, at.x);
  forces.allow_moves(at, start);
  std::vector<int> holding = held;
  if (!find_held(held_program(forces, least, step), least, most_releases, holding)) return false;
  if (!(step.violation < 1e-9)) return false;
  forces.read_step(step);
  held = holding;
  return true;
}

}  // namespace taut
