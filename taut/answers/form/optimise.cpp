// Shapes from lengths.
#include <fmt/format.h>

#include <cmath>

#include "taut/answers/form/methods.h"
#include "taut/answers/form/select.h"
#include "taut/base/error.h"
#include "taut/equilibrium/members.h"

namespace taut {

namespace {

OptimiseOptions wishes(const Model& model, const FormSettings& settings) {
  OptimiseOptions how;
  how.pretension = settings.pretension;
  how.equal = given_groups(model, settings);
  how.length.assign(member_count(model), NAN);
  if (!settings.maximise.empty() || !settings.minimise.empty()) how.weight.assign(member_count(model), 0.0);
  const auto want = [&](const std::vector<std::string>& texts, double weight, const char* option) {
    for (const std::string& text : texts)
      for (int m : select_members(model, text, option)) {
        if (how.weight[m] == -weight)
          throw InputError(
              {Problem{{}, option, fmt::format("\"{}\" cannot be made both long and short", member_name(model, m))}});
        how.weight[m] = weight;
      }
  };
  want(settings.maximise, 1.0, "--maximise");
  want(settings.minimise, -1.0, "--minimise");
  for (const MembersNumber& wish : settings.length) {
    const auto [members, length] = select_with_number(model, wish, "--length");
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

OptimiseResult form_by_lengths(const Model& model, const FormSettings& settings) {
  return find_by_lengths(model, wishes(model, settings));
}

}  // namespace taut
