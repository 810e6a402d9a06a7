// What the inputs and targets of controllers are called, in the model file and in the results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/model/model.h"

namespace taut {

// Control instants per second where the file says nothing.
double standard_rate(ControllerKind kind);

// "a1-a2" (a cable), "hinge" (a joint with one velocity), "arm.phi" (one of several).
std::string input_name(const Model& model, const ControlInput& input);
// "tip.z", "plate.yaw", "hinge.angle", "B1.eps", "a1-a2.tension".
std::string target_name(const Model& model, const ControlTarget& target);

// Whatever has that name: none, one, or more where a cable is called like a joint, or a frame like a node.
std::vector<ControlInput> inputs_called(const Model& model, std::string_view name);
std::vector<ControlTarget> targets_called(const Model& model, std::string_view name);

// What can follow the dot after the owner of a target, "x, y, z" for a node; empty: there is nothing of that name, or
// nothing of it can be a target.
std::string columns_of_owner(const Model& model, std::string_view owner);
// Names of all inputs, and of everything that has targets, for suggestions.
std::vector<std::string> all_input_names(const Model& model);
std::vector<std::string_view> all_target_owners(const Model& model);

// Tensions, and lengths of cables on pulleys, are measured without their rates.
bool has_rate(const Model& model, const ControlTarget& target);
// "m", "rad", "N", and of an input "m", "N m" or "N".
const char* unit(const Model& model, const ControlTarget& target);
const char* unit(const Model& model, const ControlInput& input);

// Of each controller: its name, or its kind, with a number where that is taken ("pid", "pid-2").
std::vector<std::string> controller_names(const Model& model);

// The columns of controls in a row of results, controller by controller: "<controller>.<input>" for each input,
// "<controller>.<target>.wanted" and "<controller>.<target>.error" for each target, and for near_rigid
// "<controller>.<pulley>.eps_commanded" for each pulley. Those of kind roll have none.
std::vector<std::string> control_columns(const Model& model);

}  // namespace taut
