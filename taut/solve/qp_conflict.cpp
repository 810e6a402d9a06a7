#include <fmt/format.h>

#include "taut/solve/qp.h"

namespace taut {

std::string_view name(QpStatus status) {
  switch (status) {
    case QpStatus::optimal:
      return "optimal";
    case QpStatus::infeasible:
      return "infeasible";
    case QpStatus::unbounded:
      return "unbounded";
    case QpStatus::iteration_limit:
      return "iteration limit";
    case QpStatus::inaccurate:
      return "inaccurate";
    case QpStatus::invalid:
      return "invalid";
  }
  return "";
}

std::string describe_conflict(const Qp& problem, const QpSolution& solution, const QpNames& names) {
  if (solution.conflict.empty()) return "";
  std::vector<std::string> terms;
  for (const QpConflict& term : solution.conflict) {
    const auto i = static_cast<std::size_t>(term.index);
    const bool lower = term.side == QpSide::lower;
    const auto called = [&](const std::vector<std::string>& list, const char* kind) {
      return i < list.size() && !list[i].empty() ? list[i] : fmt::format("{} {}", kind, i + 1);
    };
    switch (term.kind) {
      case QpKind::equality:
        terms.push_back(fmt::format("{} = {:.6g}", called(names.equalities, "equality"), problem.b[term.index]));
        break;
      case QpKind::row:
        terms.push_back(fmt::format("{} {} {:.6g}", called(names.rows, "row"), lower ? "≥" : "≤",
                                    lower ? problem.l[term.index] : problem.u[term.index]));
        break;
      case QpKind::bound:
        terms.push_back(fmt::format("{} {} {:.6g}", called(names.variables, "variable"), lower ? "≥" : "≤",
                                    lower ? problem.lower[term.index] : problem.upper[term.index]));
        break;
    }
  }
  if (terms.size() == 1) return fmt::format("{} cannot be met", terms.front());
  return fmt::format("{} exclude each other", fmt::join(terms, ", "));
}

}  // namespace taut
