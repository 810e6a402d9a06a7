// A model together with what `taut run` is asked to do with it.
#pragma once

#include <string>
#include <string_view>

#include "taut/model/model.h"

namespace taut {

enum class ConstraintMethod { projection, baumgarte, none };

struct RunSettings {
  std::string formulation = "nodal";
  std::string integrator = "auto";
  double step = 1e-3;         // s, fixed-step methods
  double tolerance = 1e-8;    // adaptive methods: relative, and absolute in m and m/s
  double duration = 5.0;      // s
  double output_step = 0.01;  // s
  ConstraintMethod constraints = ConstraintMethod::projection;
  double k_s = 100.0, k_d = 20.0;  // 1/s², 1/s: gains of the correction with constraints = "baumgarte"
  int corrections = 0;             // of the configuration in each projection; 0: until rounding ends them
  bool settle = false;             // find the equilibrium first and start there

  bool operator==(const RunSettings&) const = default;
};

struct Scenario {
  Model model;
  RunSettings simulation;

  bool operator==(const Scenario&) const = default;
};

const char* name(ConstraintMethod method);

// The formulation that a model takes: `wish`, but multibody where there are joints or pulleys, which no other has.
std::string_view natural_formulation(const Model& model, std::string_view wish = "nodal");

}  // namespace taut
