// Least tensions in programs of equality_qp.h: which cables are at their bound, and which are above it? The programs
// are strictly convex, so that one set answers it. It is found by block principal pivoting: all cables that come out
// below the bound are held there, all held ones whose multiplier says so are let go, at once as long as there are fewer
// and fewer of both, else one by one by a dual active set, which cannot go round in circles.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace taut {

struct LeastTension {
  std::vector<char> bounded;  // per cable: whether it has one
  double tension = 0.0;       // N
  double slip = 0.0;          // N: less below is rounding
};

struct HeldSolution {
  bool solved = false;
  Eigen::VectorXd tension;     // N, per cable
  Eigen::VectorXd multiplier;  // per held cable: where it is positive, more tension would be better
};

// The program with some cables held at the least tension.
using HeldProgram = std::function<HeldSolution(const std::vector<int>& held)>;

// `held` is where to begin, and then the answer: the last call of `program` was with it. False if none was found: the
// bounds contradict the rest of the program, or it took more turns.
bool find_held(const HeldProgram& program, const LeastTension& least, int turns, std::vector<int>& held);

}  // namespace taut
