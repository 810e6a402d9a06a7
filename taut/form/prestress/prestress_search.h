// The search for the equilibrium nearest to a measured shape: the programs of prestress.h. Where it ended is for
// prestress.cpp to judge and to tell.
#pragma once

#include "taut/equilibrium/force_balance.h"
#include "taut/form/prestress/prestress.h"
#include "taut/form/prestress/prestress_held.h"

namespace taut {

class PrestressSearch {
 public:
  PrestressSearch(const Model& model, const PrestressOptions& options);

  // x₀ onto the constraints; false if they contradict each other there.
  bool begin();
  void run();

  ForceBalance& balance() { return balance_; }
  const ForceBalance& balance() const { return balance_; }
  const std::vector<WantedTension>& wanted() const { return wanted_; }
  const std::vector<char>& derived() const { return derived_; }
  const Eigen::VectorXd& start() const { return start_; }
  double start_residual() const { return start_residual_; }
  int iterations() const { return iterations_; }

  const Candidate& at() const { return at_; }
  double tension(int cable) const { return at_.tension[balance_.column_of_cable(cable)]; }
  Eigen::VectorXd imbalance() { return balance_.imbalance(at_); }
  bool balanced() { return imbalance().lpNorm<Eigen::Infinity>() < 1e-6; }
  bool tensions_met() const;
  std::vector<int> too_loose() const;                    // cables that carry less than the least tension
  std::vector<int> binding() const { return binding_; }  // held ones that keep the shape from being nearer, ascending
  double reach() const { return options_.reach > 0.0 ? options_.reach : 0.25 * balance_.length(); }
  // What the best forces leave at this shape, with the wanted tensions kept.
  void take_best_forces() { at_ = balance_.best_forces(at_.x); }

 private:
  struct HeldCandidate {
    Candidate at;
    std::vector<int> held;
  };

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); }
  double distance_square() const { return balance_.distance_square(at_.x, start_); }
  double largest_move() const;
  bool fulfilled();
  Candidate with_file_forces(const Eigen::VectorXd& x) const;
  bool balance_here(const Candidate& wanted);
  void iterate(bool within_bounds);
  EqualityQpSolution bounded_step();
  bool put_back(Candidate& there);
  bool search_from(const HeldCandidate& begin);
  bool search_by_levels(const HeldCandidate& unbounded);
  bool search_around(const HeldCandidate& unbounded);
  void search_within_bounds();
  void polish();
  double restore_balance(const std::vector<int>& held, double now);
  void find_binding();
  void find_bounded();

  const Model& model_;
  const PrestressOptions& options_;
  std::vector<WantedTension> wanted_;
  std::vector<char> derived_;
  ForceBalance balance_;
  Eigen::VectorXd start_;
  Candidate at_;
  LeastTension least_;
  std::vector<int> held_, binding_;  // cables at the least tension
  double start_residual_ = 0.0;
  int iterations_ = 0;
};

}  // namespace taut
