#include "apps/taut/form/form_options.h"

#include "apps/taut/value_checks.h"
#include "taut/answers/form/select.h"

namespace taut {

void add_shape_options(Command& command, FormOptions& options) {
  command.add({
      {"--density", "MEMBERS=Q", &options.density,
       "force_density: MEMBERS=Q, force over length in N/m, tension positive; may be repeated"},
      {"--group", "MEMBERS", &options.settings.group,
       "force_density: members that share a density; optimise: a length; may be repeated"},
      {"--groups", "G", &options.groups,
       "force_density: the other groups: by connections, lengths or none [connections]", one_of(grouping_words())},
      {"--maximise", "MEMBERS", &options.settings.maximise,
       "optimise: members to make as long as the others allow [bars]"},
      {"--minimise", "MEMBERS", &options.settings.minimise, "optimise: members to make as short as the others allow"},
      {"--length", "MEMBERS=L", &options.length,
       "optimise: MEMBERS=L, the length of each of them, m [as at the start]"},
      {"--mean-length", "M", &options.settings.mean_length,
       "force_density: mean length of the members of a free structure, m [as at the start]", positive_number()},
      {"--pretension", "N", &options.settings.pretension,
       "force_density, optimise: mean tension of all cables, N [as at the start]", positive_number()},
  });
}

void add_path_options(Command& command, FormOptions& options) {
  command.add({
      {"--path", "P", &options.path,
       "newton: follow equilibria while loads or weight grow from nothing, or rest_lengths change",
       one_of(path_words())},
      {"--to", "F", &options.settings.to,
       "newton: the end of the path: a factor of the load or weight, or a fraction of the way [1]", finite_number()},
      {"--rest-length", "CABLES=L", &options.rest_length,
       "newton: CABLES=L, a rest length at the end of the way, m; may be repeated"},
      {"--arc-length", "", &options.settings.arc_length,
       "newton: go on through limit points and bifurcations, where the path ends otherwise"},
      {"--branch", "SIDE", &options.branch,
       "newton: leave the path at the first bifurcation, along or against the motion that becomes free",
       one_of(branch_words())},
      {"--nodes", "NODES", &options.settings.nodes, "newton: nodes whose positions the table of the path has [*]"},
      {"--record", "FILE", &options.record, "newton: the table of the path [FILE without .toml, with -path.csv]"},
  });
}

FormSettings settings_of(const FormOptions& options) {
  FormSettings settings = options.settings;
  settings.method = static_cast<FormMethod>(index_of(method_words(), options.method, "--method"));
  settings.groups = static_cast<Grouping>(index_of(grouping_words(), options.groups, "--groups"));
  if (!options.path.empty()) settings.path = static_cast<PathKind>(index_of(path_words(), options.path, "--path"));
  if (!options.branch.empty()) settings.branch = index_of(branch_words(), options.branch, "--branch") == 0 ? 1 : -1;
  const auto read = [](const std::vector<std::string>& texts, std::vector<MembersNumber>& to) {
    for (const std::string& text : texts) to.push_back(read_members_number(text));
  };
  read(options.density, settings.density);
  read(options.length, settings.length);
  read(options.rest_length, settings.rest_length);
  return settings;
}

}  // namespace taut
