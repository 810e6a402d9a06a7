// Which options of `taut form` belong to which methods.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "taut/answers/form/form.h"
#include "taut/base/error.h"

namespace taut {

namespace {

struct Belongs {
  const char* option;
  std::vector<const char*> methods;
  enum { always, with_path, without_path } in_newton = always;
};

const std::vector<Belongs>& owners() {
  static const std::vector<Belongs> list = {
      {"--density", {"force_density"}},
      {"--group", {"force_density", "optimise"}},
      {"--groups", {"force_density"}},
      {"--mean-length", {"force_density"}},
      {"--pretension", {"force_density", "optimise"}},
      {"--maximise", {"optimise"}},
      {"--minimise", {"optimise"}},
      {"--length", {"optimise"}},
      {"--path", {"newton"}},
      {"--to", {"newton"}, Belongs::with_path},
      {"--rest-length", {"newton"}, Belongs::with_path},
      {"--arc-length", {"newton"}, Belongs::with_path},
      {"--branch", {"newton"}, Belongs::with_path},
      {"--nodes", {"newton"}, Belongs::with_path},
      {"--record", {"newton"}, Belongs::with_path},
      {"--reach", {"prestress"}},
      {"--least-tension", {"prestress"}},
      {"--steps", {"relax", "newton"}, Belongs::with_path},
      {"--tolerance", {"relax", "newton"}, Belongs::without_path},
  };
  return list;
}

}  // namespace

void refuse_options_of_others(FormMethod method, bool with_path, const std::vector<std::string>& given) {
  const std::string& word = method_words()[static_cast<std::size_t>(method)];
  const bool newton = method == FormMethod::newton;
  std::vector<Problem> problems;
  for (const Belongs& entry : owners()) {
    if (std::find(given.begin(), given.end(), entry.option) == given.end()) continue;
    const auto& methods = entry.methods;
    const bool mine = std::find(methods.begin(), methods.end(), word) != methods.end();
    if (!mine)
      problems.push_back(
          {{}, entry.option, fmt::format("belongs to --method {}, not to {}", fmt::join(methods, " or "), word)});
    else if (newton && entry.in_newton == Belongs::with_path && !with_path)
      problems.push_back({{}, entry.option, "belongs to --method newton with --path: expected --path as well"});
    else if (newton && entry.in_newton == Belongs::without_path && with_path)
      problems.push_back({{}, entry.option, "means nothing with --path: every point of a path is found to rounding"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace taut
