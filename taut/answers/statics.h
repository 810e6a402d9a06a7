// The statics of a structure or a machine, at its start or where a run has it. What `taut statics` answers.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "taut/answers/json.h"
#include "taut/answers/rules.h"
#include "taut/model/scenario.h"
#include "taut/statics/machine/machine_statics.h"
#include "taut/statics/statics.h"

namespace taut {

struct RecordedState;

const Words& force_words();                    // of ForceChoice, in its order
inline constexpr double most_dependent = 0.1;  // of StaticsOptions::tolerance

// Throws InputError that names the option: a number out of range, or bounds of tension that exclude each other.
void require(const StaticsOptions& options);

// The nodes of these names, each once. Throws InputError that names --compliance and the nearest name.
std::vector<int> compliance_nodes(const Model& model, const std::vector<std::string>& names);

struct StaticsAnswer {
  Scenario scenario;  // in the shape that was judged
  std::variant<Statics, MachineStatics> found;
};

// At the start, or at a recorded state of the same model. Throws InputError.
StaticsAnswer answer_statics(Scenario scenario, const StaticsOptions& options, const RecordedState* from = nullptr);

// A matrix by its entries; those at one position add up.
struct EntryMatrix {
  std::string name;
  long rows = 0, columns = 0;
  std::vector<SparseEntry> entries;
};

// Of a structure: equilibrium (coordinates × members), material_stiffness and geometric_stiffness, N/m, both triangles.
// Of a machine: equilibrium, loops (coordinates × what closes loops) and stiffness.
struct StaticsMatrices {
  std::vector<std::string> coordinates, members;  // names of rows and columns
  std::vector<EntryMatrix> list;
};
StaticsMatrices matrices_of(const StaticsAnswer& answer);

// self_stress_states, mechanisms, stability, member_forces, ...; with the matrices as triplets (row, column, value).
Json json_of(const StaticsAnswer& answer, bool matrices = false);
Json statics_json(const Model& model, const Statics& statics);
Json machine_statics_json(const Model& model, const MachineStatics& statics);

// Of what the nodes span: 0 a place, 1 a line, 2 a plane, 3.
int dimension_of(const Model& model);

// Of a machine: N, or N m where the typical length of a spring or drive makes a torque of it.
bool is_torque(const MachineMember& member);
double value_of(const MachineMember& member, double force);
// The velocities that move most in a motion.
std::string motion_text(const MachineStatics& statics, const Eigen::VectorXd& motion);

}  // namespace taut
