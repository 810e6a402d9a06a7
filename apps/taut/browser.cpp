#include "apps/taut/browser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

namespace taut {
namespace {

using Words = std::vector<std::string>;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "firefox --new-window %s" with the file in its place.
Words command_of(const std::string& text, const std::string& file) {
  Words words;
  bool placed = false;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (const std::size_t at = word.find("%s"); at != std::string::npos) word.replace(at, 2, file), placed = true;
    words.push_back(word);
  }
  if (!placed && !words.empty()) words.push_back(file);
  return words;
}

// The pipe closes by itself when the program starts, and carries a byte when it does not.
[[noreturn]] void become(const Words& words, int pipe) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::setsid();
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  ::execvp(arguments[0], arguments.data());
  const ssize_t ignored = ::write(pipe, "x", 1);
  ::_exit(ignored == 1 ? 127 : 126);
}

// Whether it started and did not give up within a moment. A launcher ends at once with success; a browser stays.
bool start(const Words& words) {
  int ends[2];
  if (words.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) become(words, ends[1]);
  ::close(ends[1]);
  char mark = 0;
  ssize_t told = child > 0 ? ::read(ends[0], &mark, 1) : 1;
  while (told < 0 && errno == EINTR) told = ::read(ends[0], &mark, 1);
  ::close(ends[0]);
  if (child < 0) return false;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  do {
    int status = 0;
    if (::waitpid(child, &status, told == 0 ? WNOHANG : 0) == child)
      return told == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ::usleep(20'000);
  } while (std::chrono::steady_clock::now() < patience);
  return true;
}

}  // namespace

std::string open_in_browser(const std::filesystem::path& file) {
  std::error_code error;
  const std::string whole = std::filesystem::absolute(file, error).string();
  std::vector<Words> candidates;
  if (const std::string wanted = environment("BROWSER"); !wanted.empty()) {
    std::istringstream list(wanted);
    for (std::string text; std::getline(list, text, ':');) candidates.push_back(command_of(text, whole));
  } else if (!environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty()) {
    for (const char* program : {"xdg-open", "sensible-browser", "firefox", "firefox-esr", "chromium", "google-chrome",
                                "epiphany-browser", "falkon", "konqueror"})
      candidates.push_back({program, whole});
  }
  for (const Words& words : candidates)
    if (start(words)) return words.front();
  return "";
}

}  // namespace taut
