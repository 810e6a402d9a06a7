// The 3-prism of Savin et al. (2020): three rods of length L with their centres at radius c, 120° apart, each tilted by
// ψ about a horizontal axis, so that its upper end b_j is off its centre by a = (L/2) sin ψ towards 120° from the
// centre's azimuth, and its lower end a_j by the same the other way:
//
//   R_up² = c² - c a + a²,   R_low² = c² + c a + a²
//
// and nine cables in the paper's order: 0, 3, 6 join upper ends, 1, 4, 7 lower ends, 2, 5, 8 a_j with b_(j-1).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/taut/studies/motion.h"
#include "apps/taut/studies/study.h"
#include "taut/sweep/study.h"

namespace taut::reproduce {

struct Prism {
  double length, radius;          // L, c
  double rest_length, stiffness;  // of every cable
  double mass, inertia;           // of every rod
  double drag, turning_drag;      // on every rod
  double cable_damping;           // of every cable
  double duration, tolerance;
  std::string formulation, integrator;
  DampingModel damping_model = DampingModel::axial;  // of the cables
};

enum Triple { upper, lower, side };
inline constexpr std::array<const char*, 3> triple_names = {"upper", "lower", "side"};

Prism prism_of(const Settings& settings);
Scenario tilted(const Prism& prism, double psi_degrees);

// Strain of the cable `triple` + 3 `member`, per cent, and its rate, per cent per second.
double strain(const Prism& prism, const RunRow& row, Triple triple, int member = 0);
double strain_rate(const Scenario& scenario, const RunRow& row, Triple triple);
// Second derivative of the strain at the start, where everything is at rest, per cent per s².
double start_curvature(const Prism& prism, double psi_degrees, Triple triple);

// A sweep of tilts: its nodes follow a parameter, or a limit, called psi (degrees).
SweepFile tilt_sweep(const Prism& prism);
// What is noted of runs from whole degrees of tilt: a column for each record.
std::vector<std::vector<double>> over_tilts(const Prism& prism, int first, int last,
                                            const std::vector<std::string>& records, const char* what);
// Ends of the longest interval of tilts between 1° and 89° in which no cable goes slack and no strain exceeds 100 %,
// from the start to the end; scanned degree by degree, then bisected.
std::optional<std::pair<double, double>> working_range(const Prism& prism);
// Tilts between 0° and 90° at which the upper cables are just not slack, and the lower ones just 100 % strained, in the
// start shape: √3 R_up = l0 and √3 R_low = 2 l0. None: never.
std::optional<double> slack_tilt(const Prism& prism);
std::optional<double> strained_tilt(const Prism& prism);

// Where a condition that holds at one end of [low, high] and not at the other changes; none if it does not.
std::optional<double> turning_point(double low, double high, const std::function<bool(double)>& condition);

// Equilibrium strains of base and side cables, per cent. Twist 150° and force densities q_side = √3 q_base, whatever
// the law, with base = √3 R and side² = L² - 2√3 R², leave one equation for R. None: some cable is slack.
struct Strains {
  double base, side;
};
std::optional<Strains> closed_form(const Prism& prism, const std::function<double(double length)>& tension);

}  // namespace taut::reproduce
