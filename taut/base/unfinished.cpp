#include "taut/base/unfinished.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace taut {
namespace {

namespace fs = std::filesystem;

struct Making {
  std::recursive_mutex mutex;
  std::vector<std::pair<fs::path, Unfinished>> paths;  // absolute, in the order in which they were made
  long finished = 0;
};

// Never destroyed: a thread may ask while the program ends.
Making& making() {
  static Making& the = *new Making;
  return the;
}

fs::path whole(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute;
}

}  // namespace

std::unique_lock<std::recursive_mutex> unfinished_lock() { return std::unique_lock(making().mutex); }

void note_unfinished(const fs::path& path, Unfinished kind) {
  const auto lock = unfinished_lock();
  making().paths.emplace_back(whole(path), kind);
}

void forget_unfinished(const fs::path& path) {
  const auto lock = unfinished_lock();
  auto& paths = making().paths;
  const fs::path name = whole(path);
  // Most often one of the last.
  const auto at = std::find_if(paths.rbegin(), paths.rend(), [&](const auto& one) { return one.first == name; });
  if (at != paths.rend()) paths.erase(std::next(at).base());
}

void note_finished(const fs::path& path) {
  const auto lock = unfinished_lock();
  forget_unfinished(path);
  ++making().finished;
}

long remove_unfinished() {
  unfinished_lock().release();
  std::error_code ignored;
  for (auto at = making().paths.rbegin(); at != making().paths.rend(); ++at) {
    if (at->second != Unfinished::folder) {
      fs::remove(at->first, ignored);
      continue;
    }
    // Under another name nobody puts anything more into it.
    fs::path away = at->first;
    away += "-gone";
    fs::rename(at->first, away, ignored);
    fs::remove_all(away, ignored);
  }
  return making().finished;
}

}  // namespace taut
