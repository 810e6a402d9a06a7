#include "apps/taut/terminal.h"

#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace taut {
namespace {

// Columns of the terminal; 80 where it does not say.
int columns_of(std::FILE* stream) {
  winsize size{};
  return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string bar(double fraction, int cells, bool utf8) {
  const int full = std::clamp(static_cast<int>(fraction * cells), 0, cells);
  std::string text = utf8 ? "" : "[";
  for (int i = 0; i < cells; ++i) text += utf8 ? (i < full ? "█" : "░") : (i < full ? "#" : " ");
  return utf8 ? text : text + "]";
}

std::atomic<int> drawn_lines{0};

}  // namespace

bool line_is_drawn() { return drawn_lines > 0; }

void put_message(std::FILE* stream, std::string_view text) {
  // A reader that has gone must not end the command either.
  void (*const before)(int) = std::signal(SIGPIPE, SIG_IGN);
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
  std::clearerr(stream);
  std::signal(SIGPIPE, before);
}

bool speaks_utf8() {
  static const bool answer =
      std::setlocale(LC_CTYPE, "") != nullptr && std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  return answer;
}

bool is_terminal(std::FILE* stream) {
  const char* kind = std::getenv("TERM");
  return ::isatty(::fileno(stream)) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::string duration_text(double seconds) {
  if (!(seconds < 1e15)) return "a very long time";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const long s = std::lround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
  return fmt::format("{} d {:02} h", s / 86400, s / 3600 % 24);
}

std::string progress_line(double fraction, const std::string& words, int width, bool utf8) {
  const std::string percent = fmt::format("{:4.0f} % ", std::floor(100.0 * fraction));
  const std::string text = "  " + words;
  // The bar takes what the words leave; a narrow terminal gets the words alone, cut off.
  const int room = width - 1 - static_cast<int>(percent.size() + text.size()) - 2;
  if (room < 8) return (percent + text).substr(0, static_cast<std::size_t>(std::max(0, width - 1)));
  return percent + bar(fraction, std::min(room, 40), utf8) + text;
}

std::string progress_line(double t, double t_end, double elapsed_s, int width, bool utf8) {
  const double fraction = t_end > 0.0 ? std::clamp(t / t_end, 0.0, 1.0) : 1.0;
  std::string words = fmt::format("t = {:.4g} of {:.4g} s", t, t_end);
  if (fraction > 0.0) words += fmt::format(", {} left", duration_text(elapsed_s * (1.0 / fraction - 1.0)));
  return progress_line(fraction, words, width, utf8);
}

Progress::Progress(std::FILE* stream, double t_end)
    : stream_(stream), t_end_(t_end), live_(is_terminal(stream)), utf8_(speaks_utf8()) {}

bool Progress::due() {
  if (!live_) return false;
  const Clock::time_point now = Clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(100);
  return true;
}

double Progress::elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void Progress::draw(const std::string& line) {
  put_message(stream_, fmt::format("\r{}\033[K", line));
  if (!drawn_) ++drawn_lines;
  drawn_ = true;
}

void Progress::update(double t) {
  if (due()) draw(progress_line(t, t_end_, elapsed(), columns_of(stream_), utf8_));
}

void Progress::update(double fraction, const std::function<std::string(double)>& words) {
  if (due()) draw(progress_line(fraction, words(elapsed()), columns_of(stream_), utf8_));
}

void Progress::update(const std::string& words) {
  if (!due()) return;
  const auto room = static_cast<std::size_t>(std::max(0, columns_of(stream_) - 1));
  draw(fmt::format("  {}, {:.0f} s", words, elapsed()).substr(0, room));
}

void Progress::wipe() {
  if (!drawn_) return;
  --drawn_lines;
  put_message(stream_, "\r\033[K");
  drawn_ = false;
}

}  // namespace taut
