// What a gradient is taken by: a number of the model, with the models in which it is a little more or less.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/file/draft.h"
#include "taut/gradient/stencil.h"
#include "taut/model/shape/ground_surface.h"

namespace taut {

// A model beside the one that runs. Its evaluations take the state of the run.
struct NearbyModel {
  explicit NearbyModel(Scenario of);

  const std::unique_ptr<const Scenario> scenario;
  const Dynamics dynamics;
  Terms terms;
  const std::shared_ptr<const GroundSurface> ground;  // null: none
  const State start;
  const std::vector<double> jumps;  // times at which signals and loads jump

  // t on the side of the jumps on which it is in the model that runs, between its jumps `before` and `before` + 1.
  double time_between(double t, std::size_t before) const;
};

struct GradientParameter {
  std::string key;
  double value = 0.0;
  double scale = 1.0;  // what a relative change of 1 is
  double step = 0.0;   // δ
  Stencil stencil;
  std::vector<std::unique_ptr<NearbyModel>> models;  // per point of the stencil
  std::vector<double> jump_by;                       // d(jump)/dp, of each

  // Σ w f(k)/δ over the points; f returns a number or a vector. By differences: what does not depend on the parameter
  // gives 0 and no rounding.
  template <class F>
  auto derivative(const F& f) const {
    std::vector<decltype(f(std::size_t{0}))> at;
    for (std::size_t k = 0; k < stencil.points(); ++k) at.push_back(f(k));
    const bool both = stencil.points() == 4;
    auto sum = at[both ? 2 : 1];
    sum -= at[both ? 1 : 0];
    sum *= stencil.weight[both ? 2 : 1];
    for (std::size_t k = both ? 3 : 2; k < at.size(); ++k) {
      at[k] -= at[0];
      at[k] *= stencil.weight[k];
      sum += at[k];
    }
    sum /= step;
    return sum;
  }
  // How far point k is from the model, in units of the parameter.
  double off(std::size_t k) const { return stencil.offset[k] * step; }
};

// The scenario as a gradient runs it: settled where it asks for it, on its constraints by projection, with a method that
// locates switches. Throws InputError: what has no gradient yet; RunError: no equilibrium to settle in.
struct Differentiable {
  Scenario scenario;
  std::string note;  // what was changed; empty: nothing
};
Differentiable differentiable(const Scenario& scenario);

// The state at t = 0, on its constraints.
State start_state(const Dynamics& dynamics);

// Each key of numbers, "*" and vectors spelled out: cables.*.stiffness by cable, nodes.a.at by component. Throws
// InputError: no such key, no number, given twice.
std::vector<std::pair<std::string, double>> spelled_out(const Draft& draft, const std::vector<std::string>& keys);

// With the models beside `base`. Throws InputError: a value next to this one makes no model, or another structure.
GradientParameter make_parameter(const Draft& draft, const NearbyModel& base, const std::string& key, double value);

}  // namespace taut
