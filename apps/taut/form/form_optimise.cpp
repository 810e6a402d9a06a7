// taut form --method optimise: shapes from lengths.
#include <fmt/format.h>

#include <cmath>

#include "apps/taut/form/form_methods.h"
#include "apps/taut/form/form_report.h"
#include "apps/taut/form/form_select.h"
#include "apps/taut/watch.h"
#include "taut/base/error.h"
#include "taut/equilibrium/members.h"
#include "taut/form/optimise.h"

namespace taut {

namespace {

OptimiseOptions wishes(const Model& model, const FormOptions& options) {
  OptimiseOptions how;
  how.pretension = options.pretension;
  how.equal = given_groups(model, options);
  how.length.assign(member_count(model), NAN);
  if (!options.maximise.empty() || !options.minimise.empty()) how.weight.assign(member_count(model), 0.0);
  const auto want = [&](const std::vector<std::string>& texts, double weight, const char* option) {
    for (const std::string& text : texts)
      for (int m : select_members(model, text, option)) {
        if (how.weight[m] == -weight)
          throw InputError(
              {Problem{{}, option, fmt::format("\"{}\" cannot be made both long and short", member_name(model, m))}});
        how.weight[m] = weight;
      }
  };
  want(options.maximise, 1.0, "--maximise");
  want(options.minimise, -1.0, "--minimise");
  for (const std::string& text : options.length) {
    const auto [members, length] = select_with_number(model, text, "--length");
    if (!(length > 0.0))
      throw InputError({Problem{{}, "--length", fmt::format("expected a positive length, not {}", length)}});
    for (int m : members) {
      how.length[m] = length;
      if (how.weight.empty() ? !is_cable(model, m) : how.weight[m] != 0.0)
        throw InputError({Problem{{},
                                  "--length",
                                  fmt::format("\"{}\" is to be made long or short, and cannot have a length as well; "
                                              "--maximise and --minimise say which members are",
                                              member_name(model, m))}});
    }
  }
  return how;
}

}  // namespace

int form_optimise(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output) {
  const OptimiseResult result = find_by_lengths(scenario.model, wishes(scenario.model, options));
  write_found(result, scenario, file);
  no_line();
  if (options.json) {
    Json object = form_json(result, output);
    object["objective"] = result.objective;
    object["length_error"] = result.length_error;
    object["lengths"] = Json::object();
    for (std::size_t m = 0; m < result.lengths.size(); ++m)
      object["lengths"][member_name(result.model, static_cast<int>(m))] = result.lengths[m];
    fmt::print("{}", text_of(object));
  } else {
    print_form(result);
    if (result.converged) {
      say("lengths kept", fmt::format("to {:.1e} m", result.length_error));
      say("longest less short", fmt::format("{:.9g} m in all", result.objective));
      print_notes(result);
      say("file", output);
    }
  }
  return exit_code(options, result);
}

}  // namespace taut
