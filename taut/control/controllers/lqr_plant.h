// The linear model that the feedback of kind "lqr" is made for (lqr_design.h).
#pragma once

#include <string>

#include "taut/control/controllers/lqr_design.h"

namespace taut {

// The linear model on what constraints allow, with the targets.
struct LqrPlant {
  Eigen::MatrixXd A, B, B_rate;  // ξ by ξ, by inputs, by rates of rest lengths (0 for torques)
  Eigen::MatrixXd C, C_rate, D;  // targets by ξ, their rates by ξ, targets by inputs
  Eigen::VectorXd f;             // ξ̇ at the start
};

// Of the spec's inputs and targets; sets what the design knows of the start and of constraints. Throws InputError.
LqrPlant make_plant(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets, const std::string& name,
                    LqrDesign& design);

// Throws InputError: controller NAME: why.
[[noreturn]] void refuse_lqr(const std::string& name, const std::string& why);

}  // namespace taut
