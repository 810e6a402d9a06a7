// kind = "pid": each input from the error of its own target, e = wanted - measured, at instants T apart:
//
//   u_k = bias + k_p e_k + k_i I_k + k_d ė_k,    I_{k+1} = I_k + T e_k,    ė = rate of the path - rate of the target
//
// While u_k is beyond what the input can do (its bounds; of a winch also what its speed reaches in T), I stands still
// where it would lead further there. Without a bias: the rest length at the start, no torque.
#pragma once

#include "taut/control/controller.h"

namespace taut {

std::unique_ptr<Controller> make_pid(const Model& model, const ControllerSpec& spec, Targets& targets);

// Inputs without errors: `bias` of the spec, or rest lengths at the start and no torques.
std::vector<double> input_bias(const Model& model, const ControllerSpec& spec);

}  // namespace taut
