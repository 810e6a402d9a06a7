#include "taut/batch/cuda/cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace taut::batch::cuda {

namespace {

namespace fs = std::filesystem;

// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return hash;
}
constexpr std::uint64_t start = 0xcbf29ce484222325U, other_start = 0x9ae16a3b2f90404fU;

std::string head(std::string_view code) {
  return fmt::format("taut kernel, {} bytes, {:016x}\n", code.size(), hash_of(code, start));
}

}  // namespace

fs::path cache_folder() {
  if (const char* const folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder == '/')
    return fs::path(folder) / "taut";
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache/taut";
  return {};
}

std::string cache_name(std::initializer_list<std::string_view> parts) {
  std::uint64_t a = start, b = other_start;
  for (const std::string_view part : parts) {
    const std::string size = fmt::format("{} ", part.size());
    a = hash_of(part, hash_of(size, a));
    b = hash_of(part, hash_of(size, b));
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

std::optional<std::string> read_cache(const fs::path& folder, const std::string& name) {
  if (folder.empty()) return std::nullopt;
  std::ifstream file(folder / name, std::ios::binary);
  std::string first;
  if (!file || !std::getline(file, first)) return std::nullopt;
  std::string code{std::istreambuf_iterator<char>(file), {}};
  if (first + "\n" != head(code)) return std::nullopt;
  return code;
}

void write_cache(const fs::path& folder, const std::string& name, std::string_view code) {
  if (folder.empty()) return;
  std::error_code failed;
  fs::create_directories(folder, failed);
  const fs::path half = folder / fmt::format("{}.{}", name, getpid());
  {
    std::ofstream file(half, std::ios::binary);
    file << head(code) << code;
    file.close();
    if (!file) {
      fs::remove(half, failed);
      return;
    }
  }
  fs::rename(half, folder / name, failed);
  if (failed) fs::remove(half, failed);
}

}  // namespace taut::batch::cuda
