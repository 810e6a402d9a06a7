#include "taut/base/inputs.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace taut {
namespace {

namespace fs = std::filesystem;

struct Inputs {
  std::mutex mutex;
  bool kept = false;
  std::vector<fs::path> files;  // absolute, each once
};

Inputs& inputs() {
  static Inputs the;
  return the;
}

}  // namespace

void protect_inputs() {
  const std::lock_guard lock(inputs().mutex);
  inputs().kept = true;
}

void note_input(const fs::path& file) {
  const std::lock_guard lock(inputs().mutex);
  if (!inputs().kept) return;
  std::error_code error;
  const fs::path whole = fs::absolute(file, error);
  std::vector<fs::path>& files = inputs().files;
  if (!error && std::find(files.begin(), files.end(), whole) == files.end()) files.push_back(whole);
}

bool is_input(const fs::path& file) {
  const std::lock_guard lock(inputs().mutex);
  const std::vector<fs::path>& files = inputs().files;
  return std::any_of(files.begin(), files.end(), [&](const fs::path& input) {
    std::error_code error;
    return fs::is_regular_file(input, error) && fs::equivalent(input, file, error);
  });
}

}  // namespace taut
