// What the program knows about the terminal, and the progress bar that it draws there.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace taut {

// Text for whoever watches. Where it cannot be written (closed, full, nobody reads it any more) it is lost, and the
// command goes on.
void put_message(std::FILE* stream, std::string_view text);

// On standard error.
template <class... T>
void message(fmt::format_string<T...> format, T&&... values) {
  put_message(stderr, fmt::format(format, std::forward<T>(values)...));
}

bool speaks_utf8();            // of the locale
bool is_terminal(std::FILE*);  // false for a pipe, a file, or a terminal that cannot move its cursor

// "0.8 s", "12 s", "3 min 05 s", "2 h 07 min", "4 d 11 h".
std::string duration_text(double seconds);

// "  37 % [#######         ]  t = 1.85 of 5 s, 12 s left"; time left from the rate so far; at most `width` columns.
std::string progress_line(double t, double t_end, double elapsed_s, int width, bool utf8);
// "  37 % [#######         ]  " and the words, at most `width` columns.
std::string progress_line(double fraction, const std::string& words, int width, bool utf8);

// Whether some Progress has its line on the terminal.
bool line_is_drawn();

// Draws the line on a terminal, at most ten times a second and not before 0.2 s have passed; elsewhere nothing. The
// destructor wipes it.
class Progress {
 public:
  Progress(std::FILE* stream, double t_end);
  ~Progress() { wipe(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(double t);
  // The same with words of one's own: called only when a line is due, with the seconds so far.
  void update(double fraction, const std::function<std::string(double elapsed_s)>& words);
  // Words alone, with the seconds so far behind them, where nobody knows how much is left.
  void update(const std::string& words);
  void wipe();
  bool drawn() const { return drawn_; }

 private:
  bool due();
  double elapsed() const;
  void draw(const std::string& line);

  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  double t_end_;
  bool live_, utf8_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), next_ = start_ + std::chrono::milliseconds(200);
};

}  // namespace taut
