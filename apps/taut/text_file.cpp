#include "apps/taut/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "taut/base/error.h"
#include "taut/results/output_dir.h"
#include "taut/results/output_target.h"

namespace taut {

namespace fs = std::filesystem;

namespace {

// Where the results of this command go.
std::vector<fs::path>& taken() {
  static std::vector<fs::path> paths;
  return paths;
}

fs::path whole_name(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : whole;
}

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw RunError(0.0, fmt::format("cannot write {}: {}", path.string(), why));
}

// A pipe without a reader is waited for five seconds, not for ever.
int open_stream(const fs::path& path) {
  for (int tries = 0; tries < 100; ++tries) {
    const int stream = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (stream >= 0) {
      ::fcntl(stream, F_SETFL, ::fcntl(stream, F_GETFL) & ~O_NONBLOCK);
      return stream;
    }
    if (errno != ENXIO) fail(path, std::strerror(errno));
    ::usleep(50'000);
  }
  fail(path, "nobody reads from this pipe");
}

void write_stream(const fs::path& path, const std::string& text) {
  // One's own standard output goes on where it stands, also where it is a file.
  std::error_code error;
  const bool own = fs::equivalent(path, "/dev/stdout", error);
  if (own) std::fflush(stdout);
  const int stream = own ? STDOUT_FILENO : open_stream(path);
  std::string_view left = text;
  int failure = 0;
  while (!left.empty() && failure == 0) {
    const ssize_t n = ::write(stream, left.data(), left.size());
    if (n >= 0)
      left.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      failure = errno;
  }
  if (!own) ::close(stream);
  if (failure != 0) fail(path, std::strerror(failure));
}

}  // namespace

TextFile::TextFile(const fs::path& path, std::string_view ending) : path_(path) {
  if (output_target(path) == OutputTarget::stream) return;
  keep_other_kinds(path, ending);
  const fs::path name = whole_name(path);
  if (std::find(taken().begin(), taken().end(), name) != taken().end())
    throw InputError(fmt::format("cannot write {}: another result of this command goes there", path.string()));
  folder_ = std::make_unique<OutputDir>(path.has_parent_path() ? path.parent_path() : fs::path("."));
  file_ = std::make_unique<OutputFile>(*folder_, path.filename().string());
  taken().push_back(name);
}

TextFile::~TextFile() {
  if (file_) std::erase(taken(), whole_name(path_));
}

void TextFile::write(const std::string& text) {
  if (!file_) return write_stream(path_, text);
  file_->append(text, 0.0);
  file_->finish(0.0);
}

}  // namespace taut
