// What is wrong with a sweep as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "taut/file/override.h"
#include "taut/sweep/expression/run_names.h"
#include "taut/sweep/read_sweep.h"

namespace taut {

namespace {

// Whether everything that key `a` names is named by `b` as well.
bool covers(const std::string& b, const std::string& a) {
  const std::vector<std::string> wide = parse_key_path(b), narrow = parse_key_path(a);
  if (wide.empty() || wide.size() > narrow.size()) return false;
  for (std::size_t i = 0; i < wide.size(); ++i)
    if (wide[i] != narrow[i] && !(i == 1 && wide[i] == "*")) return false;
  return true;
}

// Two columns of one name, or of a name that the table has already.
void refuse_double_names(Problems& problems, const SweepFile& sweep) {
  std::map<std::string, std::string> seen = {
      {"run", "the number of the run"}, {"status", "how the run ended"}, {"reason", "why it did not"}};
  if (sweep.repeats > 1) seen["repeat"] = "which of the repeats it is";
  const std::string record = "a record";
  const auto take = [&](const std::string& name, const Place& place, const char* key, const std::string& what) {
    if (name.empty()) return problems.add(place, key, "is missing: expected a name for the column");
    const bool odd = std::any_of(name.begin(), name.end(), [](char c) { return c == '/' || (c >= 0 && c < ' '); });
    if (odd || name == "." || name == "..")
      return problems.add(
          place, key,
          fmt::format("{} cannot be the name of a column: give a name without \"/\" and control characters",
                      in_quotes(name)));
    if (what != record && is_name_of_run(name))
      return problems.add(place, key,
                          fmt::format("{} means something in expressions: take another name", in_quotes(name)));
    const auto [found, fresh] = seen.emplace(name, what);
    if (!fresh)
      problems.add(place, key,
                   fmt::format("{} is the name of two columns: {} and {}", in_quotes(name), found->second, what));
  };
  for (const SweepParameter& p : sweep.parameters) take(p.name, p.place, "parameters.name", "a parameter");
  if (sweep.bisect) take(sweep.bisect->name, sweep.bisect->place, "bisect.name", "the limit");
  for (const SweepRecord& r : sweep.records) take(r.name, r.place, "record.name", record);
}

// A key that a later one sets as well: its column would say what is not so.
void refuse_covered_keys(Problems& problems, const SweepFile& sweep) {
  std::vector<std::pair<std::string, std::string>> before;  // key, and whose it is
  const auto take = [&](const std::vector<std::string>& keys, const std::string& name, const Place& place) {
    for (const std::string& key : keys)
      for (const auto& [earlier, owner] : before)
        if (covers(key, earlier))
          problems.add(place, name, fmt::format("sets {} once more, which {} has set", in_quotes(earlier), owner));
    for (const std::string& key : keys) before.emplace_back(key, name);
  };
  for (const SweepParameter& p : sweep.parameters) take(p.keys, p.name, p.place);
  if (sweep.bisect) take(sweep.bisect->keys, sweep.bisect->name, sweep.bisect->place);
}

// Which parameters a design takes, and how many runs that is.
void check_design(const Fields& top, SweepFile& sweep) {
  const std::string_view runs = runs_key(sweep);
  const bool drawn = std::any_of(sweep.parameters.begin(), sweep.parameters.end(),
                                 [](const SweepParameter& p) { return p.kind == ParameterKind::drawn; });
  const bool filling = sweep.design != SweepDesign::grid;
  if ((filling || drawn) && !top.has(runs))
    top.say(runs, fmt::format("is missing: expected the number of runs{}", filling ? "" : " that are drawn"));
  if (!filling && !drawn && top.has(runs))
    top.say(runs, "is for draws, and nothing is drawn: a grid has its own number");
  for (SweepParameter& p : sweep.parameters) {
    if (p.kind != ParameterKind::list) continue;
    if (!filling && p.low && p.numbers.empty())
      top.problems().add(p.place, p.name, "has a range without a count: expected [from, to, count] in a grid");
    if (filling && !p.together.empty()) top.problems().add(p.place, p.name, "together is for grids");
    // A range is drawn evenly between its ends, a list by its entries.
    if (!filling) continue;
    if (p.low) {
      p.distribution.kind = p.logarithmic ? DistributionKind::log_uniform : DistributionKind::uniform;
      p.distribution.low = std::min(*p.low, *p.high);
      p.distribution.high = std::max(*p.low, *p.high);
    } else {
      p.distribution.kind = DistributionKind::choice;
      p.distribution.values = p.numbers;
    }
    if (const std::string fault = fault_of(p.distribution); !fault.empty()) top.problems().add(p.place, p.name, fault);
  }
}

}  // namespace

void check_sweep(const Fields& top, SweepFile& sweep) {
  Problems& problems = top.problems();
  if (problems.empty()) check_design(top, sweep);
  if (problems.empty()) refuse_double_names(problems, sweep);
  if (problems.empty()) refuse_covered_keys(problems, sweep);
  if (problems.empty() && sweep.repeats > 1 && sweep.imperfections.empty())
    top.say("repeats", "would repeat the same run: expected imperfections beside it");
}

}  // namespace taut
