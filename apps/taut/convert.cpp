#include "apps/taut/convert.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "taut/base/error.h"
#include "taut/base/unfinished.h"

namespace taut {
namespace {

namespace fs = std::filesystem;

// A folder of its own, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "taut-XXXXXX").string()) {
    const auto lock = unfinished_lock();
    if (::mkdtemp(path_.data()) == nullptr)
      throw RunError(0.0, "cannot make a folder in " + fs::temp_directory_path().string());
    note_unfinished(path_, Unfinished::folder);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    forget_unfinished(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Exit code; 127 when there is no such program.
int run_quietly(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::string png_of_svg(const std::string& svg) {
  const TemporaryFolder folder;
  const std::string from = folder / "plot.svg", to = folder / "plot.png";
  std::ofstream(from, std::ios::binary) << svg;
  const std::vector<std::vector<std::string>> converters = {
      {"rsvg-convert", "-d", "300", "-p", "300", "-o", to, from},
      {"inkscape", "--export-dpi=300", "--export-filename=" + to, from},
      {"magick", "-density", "300", from, to},
      {"convert", "-density", "300", from, to},
  };
  std::string failed;
  for (const auto& words : converters) {
    const int code = run_quietly(words);
    if (code == 127) continue;
    std::ifstream stream(to, std::ios::binary);
    std::ostringstream png;
    if (code == 0 && stream && (png << stream.rdbuf())) return png.str();
    if (failed.empty()) failed = fmt::format("{} could not make the PNG (exit {})", words.front(), code);
  }
  if (!failed.empty()) throw RunError(0.0, failed);
  throw InputError(
      "a PNG needs rsvg-convert (Debian package librsvg2-bin), inkscape or ImageMagick, and none of them is installed; "
      "SVG needs "
      "none");
}

}  // namespace taut
