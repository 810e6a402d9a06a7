// Natural motions of a structure or machine about its start shape, at rest:
//
//   K s = ω² M s,   G s = 0          undamped: frequencies ω/2π and shapes s, of unit modal mass sᵀM s = 1
//   (λ² M + λ C + K) y = Gᵀμ, G y = 0   damped: ratio ζ = -Re λ / |λ| of the pair λ that grows out of the mode
//
// K = -∂f/∂x + Σ μ ∂²g/∂x² (cables, elastic bars, ground as it is touched, and the forces μ of rigid bars), C = -∂f/∂ẋ
// (dampers of cables, drag of bars, ground, friction of cables that slide), M with the mass of nodes, bars, bodies and
// cables, G the constraints. Rest lengths and loads are those of t = 0; slack cables do not act.
//
// Participation: Γ_j = s·w_j, w_j the force of a unit acceleration field along x, y, z; effective mass Γ_j². Their sum
// over all modes is the moved mass, what of the mass does not go with the supports.
//
// Structures are computed in node coordinates: all modes densely, on the null space of G, where there are few; else the
// lowest by shift and invert Lanczos (modes/lanczos.h). Machines and other formulations go through their Tangent
// (modes/reduced.h).
#pragma once

#include <Eigen/Core>
#include <complex>
#include <string>
#include <string_view>
#include <vector>

#include "taut/model/model.h"

namespace taut {

struct State;

inline constexpr int few_freedoms = 200;    // up to here all modes are computed unless fewer are asked for
inline constexpr int default_modes = 20;    // beyond
inline constexpr int most_freedoms = 3000;  // of a dense computation

struct ModeOptions {
  int count = 0;                           // 0: all of few_freedoms, else default_modes
  std::string_view formulation = "nodal";  // any that takes the model; a machine takes multibody
  int dense_up_to = 3 * few_freedoms;      // coordinates; beyond, the lowest modes are sought by Lanczos
  const State* at = nullptr;               // of a machine: about this state, at rest there, instead of its start
};

struct ModalAnalysis {
  int freedoms = 0;
  Eigen::VectorXd square;          // ω², (rad/s)², ascending; 0 where rounding could have made it
  Eigen::MatrixXd shapes;          // columns, 3 per node, m, of unit modal mass
  Eigen::VectorXd damping;         // ζ; NaN where a mode has no frequency (ω² < 0; or ω = 0 and something drags)
  Eigen::VectorXcd eigenvalues;    // λ of each mode, rad/s, Im λ >= 0; of two real roots the slower
  std::vector<char> overdamped;    // it creeps back without swinging; ζ = (r/ω + ω/r)/2 >= 1 by its root λ = -r
  Eigen::MatrixXd participation;   // modes × 3, √kg
  Vec3 moved_mass = Vec3::Zero();  // kg along x, y, z
  double mass = 0.0;               // kg, of everything
  double asymmetry = 0.0;          // of K, relative: above rounding only where forces have no energy
  double damping_residual = 0.0;   // largest, relative, of the damped pairs; above 1e-6: ratios are approximate
  bool complete = true;            // every mode up to the highest given was found (counted by inertia)
  // Of other formulations than nodal: names of the coordinates and how they change, one column per mode.
  std::vector<std::string> coordinates;
  Eigen::MatrixXd coordinate_shapes;

  long count() const { return square.size(); }
  double effective_mass(long mode, int axis) const { return participation(mode, axis) * participation(mode, axis); }
};

// Throws InputError when the formulation refuses the model, or more modes are asked for than can be; RunError when the
// matrices are not finite.
ModalAnalysis find_modes(const Model& model, const ModeOptions& options = {});

// The model with every tension of cables and elastic bars times the factor, in the same shape: the rest lengths change
// so that each member carries it at its present length. Weight and loads stay as they are. Throws InputError that names
// a member that cannot carry so much.
Model with_prestress(const Model& model, double factor);

}  // namespace taut
