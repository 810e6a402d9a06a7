// Problems that have no place of their own (a formulation refuses the model, an unknown integrator) are the file's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taut/base/error.h"
#include "taut/model/locate.h"

namespace taut {

// Calls f and passes on what it returns; an InputError goes on with `file` where it names none, and with the line of
// the joint, bar or body that it is about.
template <typename F>
auto blaming(const std::string& file, F f) {
  try {
    return f();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      if (!problem.place.file.empty()) continue;
      problem.place.file = file;
      locate(file, problem);
    }
    throw InputError(std::move(problems));
  }
}

}  // namespace taut
