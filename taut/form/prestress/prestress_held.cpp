#include "taut/form/prestress/prestress_held.h"

#include <algorithm>

namespace taut {

namespace {

// Multipliers below this are rounding; those of the faint weight of forces are a thousand times as large.
constexpr double least_multiplier = 1e-11;
// Turns in which a block of changes may fail to make things better, before changes are made one by one.
constexpr int patience = 5;

// Cables on the wrong side: loose ones that are not held, held ones that want to pull more. Ascending.
std::vector<int> wrong_cables(const HeldSolution& solution, const LeastTension& least, const std::vector<int>& held) {
  std::vector<char> wrong(least.bounded.size(), 0);
  for (std::size_t i = 0; i < wrong.size(); ++i)
    wrong[i] = least.bounded[i] && solution.tension[static_cast<long>(i)] < least.tension - least.slip;
  for (std::size_t k = 0; k < held.size(); ++k)
    wrong[held[k]] = solution.multiplier[static_cast<long>(k)] > least_multiplier;
  std::vector<int> which;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    if (wrong[i]) which.push_back(static_cast<int>(i));
  return which;
}

void toggle(int cable, std::vector<int>& held) {
  const auto it = std::find(held.begin(), held.end(), cable);
  if (it == held.end())
    held.push_back(cable);
  else
    held.erase(it);
}

int loosest(const HeldSolution& solution, const LeastTension& least, const std::vector<int>& held) {
  int which = -1;
  for (int i = 0; i < static_cast<int>(least.bounded.size()); ++i)
    if (least.bounded[i] && solution.tension[i] < least.tension - least.slip &&
        std::find(held.begin(), held.end(), i) == held.end() &&
        (which < 0 || solution.tension[i] < solution.tension[which]))
      which = i;
  return which;
}

// The dual way (Lawson and Hanson on the multipliers): the loosest cable is held next, and on the way to the
// multipliers that belong to it those that would change their sign are let go where they do. What the bounds cost only
// grows.
bool hold_one_by_one(const HeldProgram& program, const LeastTension& least, int turns, std::vector<int>& held) {
  Eigen::VectorXd push = Eigen::VectorXd::Zero(static_cast<long>(least.bounded.size()));  // per cable, 0 or more
  for (int turn = 0; turn < turns; ++turn) {
    const HeldSolution solution = program(held);
    if (!solution.solved) return false;
    double part = 1.0;
    for (std::size_t k = 0; k < held.size(); ++k)
      if (const double then = -solution.multiplier[static_cast<long>(k)]; then < -least_multiplier)
        part = std::min(part, push[held[k]] / (push[held[k]] - then));
    for (std::size_t k = 0; k < held.size(); ++k)
      push[held[k]] += part * (-solution.multiplier[static_cast<long>(k)] - push[held[k]]);
    if (part < 1.0) {
      std::vector<int> kept;
      for (std::size_t k = 0; k < held.size(); ++k) {
        const bool falls = -solution.multiplier[static_cast<long>(k)] < -least_multiplier;
        if (falls && push[held[k]] <= 1e-14 * push.maxCoeff())
          push[held[k]] = 0.0;
        else
          kept.push_back(held[k]);
      }
      held = kept;
      continue;
    }
    const int next = loosest(solution, least, held);
    if (next < 0) return true;
    held.push_back(next);
  }
  return false;
}

}  // namespace

bool find_held(const HeldProgram& program, const LeastTension& least, int turns, std::vector<int>& held) {
  std::size_t fewest = least.bounded.size() + 1;
  int left = patience, turn = 0;
  for (; turn < turns && left > 0; ++turn) {
    const HeldSolution solution = program(held);
    if (!solution.solved) return false;
    const std::vector<int> wrong = wrong_cables(solution, least, held);
    if (wrong.empty()) return true;
    if (wrong.size() < fewest)
      fewest = wrong.size(), left = patience;
    else
      --left;
    for (int cable : wrong) toggle(cable, held);
  }
  return hold_one_by_one(program, least, turns - turn, held);
}

}  // namespace taut
