// Problems that have no place of their own (an unknown integrator, a method that a model does not suit) are the file's.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taut/base/error.h"

namespace taut {

// Calls f and passes on what it returns; an InputError goes on with `file` where it names none.
template <typename F>
auto in_file(const std::string& file, F f) {
  try {
    return f();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      if (problem.place.file.empty()) problem.place.file = file;
    throw InputError(std::move(problems));
  }
}

}  // namespace taut
