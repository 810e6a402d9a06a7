#include "taut/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace taut {

namespace {

// Names that an expression of a parameter may use: the parameters before it.
Resolver names_before(const SweepFile& sweep, std::size_t parameter) {
  Resolver resolver;
  for (std::size_t i = 0; i < parameter; ++i) resolver.known.push_back(sweep.parameters[i].name);
  if (sweep.bisect) resolver.known.push_back(sweep.bisect->name);
  resolver.resolve = [&sweep, parameter](const ExpressionName& name) {
    ResolvedName found;
    if (sweep.bisect && sweep.bisect->name == name.text) {
      found.kind = NameKind::parameter;
      found.index = static_cast<int>(sweep.parameters.size());
      return found;
    }
    for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
      const SweepParameter& p = sweep.parameters[i];
      if (p.name != name.text && !(name.parts.size() == 1 && p.name == name.parts.front())) continue;
      if (i >= parameter)
        found.message = fmt::format("{} comes later: a parameter follows from those before it", name.text);
      else if (!p.values.empty())
        found.message = fmt::format("{} is not a number", name.text);
      else
        found.kind = NameKind::parameter, found.index = static_cast<int>(i);
      break;
    }
    return found;
  };
  return resolver;
}

// A text that was meant as a value.
const char* hint(const std::string& expression) {
  const bool word =
      std::all_of(expression.begin(), expression.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return word ? "; a text that is a value stands in a list of values" : "";
}

}  // namespace

Plan::Plan(const SweepFile& sweep) : sweep_(sweep) {
  std::vector<Problem> problems;
  const bool filling = sweep.design != SweepDesign::grid;
  std::map<std::string, int> groups;
  draws_.dimensions = 0;
  for (const SweepParameter& p : sweep.parameters) {
    const bool drawn = p.kind == ParameterKind::drawn || (filling && p.kind == ParameterKind::list);
    dimension_.push_back(drawn ? draws_.dimensions++ : -1);
    list_.push_back(-1);
    if (drawn || p.kind != ParameterKind::list) continue;
    const auto [group, fresh] = groups.emplace(p.together, static_cast<int>(lengths_.size()));
    if (!p.together.empty() && !fresh) {
      list_.back() = group->second;
      if (lengths_[static_cast<std::size_t>(group->second)] != p.numbers.size())
        problems.push_back({p.place, key_at(p.place, "parameters.together"),
                            fmt::format("{} has {} values, and others of \"{}\" have {}", p.name, p.numbers.size(),
                                        p.together, lengths_[static_cast<std::size_t>(group->second)])});
      continue;
    }
    list_.back() = static_cast<int>(lengths_.size());
    lengths_.push_back(p.numbers.size());
  }
  draws_.method = sweep.design == SweepDesign::latin_hypercube ? DrawMethod::latin_hypercube
                  : sweep.design == SweepDesign::sobol         ? DrawMethod::sobol
                                                               : DrawMethod::random;
  draws_.seed = sweep.seed;
  draws_.scramble = sweep.scramble;

  // Expressions see the parameters before them.
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
    const SweepParameter& p = sweep.parameters[i];
    derived_.emplace_back();
    if (p.kind != ParameterKind::derived) continue;
    try {
      derived_.back() = parse_expression(p.expression, names_before(sweep, i), ExpressionUse::parameter);
    } catch (const ExpressionError& error) {
      problems.push_back({p.place, key_at(p.place, "parameters.expression"),
                          fmt::format("column {}: {}{}", error.column(), error.what(), hint(p.expression))});
    }
  }

  const std::uint64_t grid = grid_runs(lengths_);
  const double total = static_cast<double>(grid) * static_cast<double>(sweep.draws) * sweep.repeats;
  constexpr double most = 1e9;
  if (total > most)
    problems.push_back(
        {{sweep.file, 0, 0}, "", fmt::format("{:.3g} runs are more than a sweep can have (1e9)", total)});
  draws_.runs = filling ? static_cast<std::uint64_t>(sweep.draws) : grid * static_cast<std::uint64_t>(sweep.draws);
  if (problems.empty())
    if (const std::string fault = fault_of(draws_); !fault.empty()) problems.push_back({{sweep.file, 0, 0}, "", fault});
  if (!problems.empty()) throw InputError(std::move(problems));
  runs_ = static_cast<long>(total);
}

void Plan::at(long run, std::vector<double>& values, double limit) const {
  values.assign(sweep_.parameters.size(), 0.0);
  if (sweep_.bisect) values.push_back(limit);
  const auto draw_index = static_cast<std::uint64_t>(run / sweep_.repeats);
  const std::uint64_t point = draw_index / static_cast<std::uint64_t>(sweep_.draws);
  for (std::size_t i = 0; i < sweep_.parameters.size(); ++i) {
    const SweepParameter& p = sweep_.parameters[i];
    if (dimension_[i] >= 0)
      values[i] = p.distribution.quantile(draw(draws_, draw_index, dimension_[i]));
    else if (p.kind == ParameterKind::list)
      values[i] = p.numbers[grid_entry(lengths_, point, list_[i])];
    else
      values[i] = derived_[i]->value(values);
  }
}

}  // namespace taut
