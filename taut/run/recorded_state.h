// A state that a run recorded, as the start of something else. Rows hold all that a motion goes on from: coordinates and
// velocities to the last digit, winches, torques, numbers of controllers, yield, what the integrator remembers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/equilibrium/machine/machine_forces.h"
#include "taut/results/run.h"

namespace taut {

struct RecordedState {
  std::string file;   // run.h5
  Scenario scenario;  // of the run; its model in the shape in which the run began
  std::string formulation, integrator;
  Sample row;
};

// "run.h5" or a folder that holds one: the last row; "run.h5@1.25": the row at that time, s. Throws InputError that names
// the file: it cannot be read, it has no row at that time (with the rows beside it), or it holds no states (written before
// taut recorded them).
RecordedState read_recorded_state(const std::string& text);
// Of a run in memory: its row at that time, s, or its last row. Throws InputError likewise.
RecordedState recorded_state(const Run& run, std::optional<double> time = {});

// Throws InputError that names the keys in which the model of a run differs from another. Settings of the simulation and
// the name may differ; the positions too where the run was settled first.
void require_same_model(const RecordedState& recorded, const Model& model);

// The state as a state of dynamics in the formulation of the run, put into one of the same model that controllers have
// begun with. What the integrator remembers is left out where `integrator` is another one. Throws InputError when the
// numbers are not those of this model.
State state_of(const RecordedState& recorded, const Dynamics& dynamics, const State& start,
               std::string_view integrator = "");
// The same with dynamics of its own, as it was recorded.
State state_of(const RecordedState& recorded);

// The structure as it is at a state, as a model that begins there and whose t = 0 is that time: positions, velocities,
// rest lengths that actuators and winches have reached, loads that act. Nothing drives it any more. Members that have
// yielded are elastic: longer for good, with the stiffness k at which they unload. For models without joints and pulleys.
Model model_at(const Dynamics& dynamics, const State& state);
Model model_at(const RecordedState& recorded);

// A machine there: the model as it is drawn, with the rest lengths, loads and torques of that time (those of controllers
// too), which nothing changes any more, and the place where its joints stand.
struct RecordedMachine {
  Model model;
  MachinePlace place;
};
RecordedMachine machine_at(const RecordedState& recorded);

}  // namespace taut
