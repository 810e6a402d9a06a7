// Watches over a command from its beginning. While it computes there is nothing to keep: whoever asks to stop
// (stop_signals.h) gets it at once, whatever is being factorised or read, with exit code 1, and what the command has in
// the making (base/unfinished.h) is removed. A terminal shows that it goes on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "apps/taut/stop_signals.h"
#include "apps/taut/terminal.h"

namespace taut {

class Watch {
 public:
  explicit Watch(const std::string& command);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Of the command that is running; null: none is.
  static Watch* present();

  void doing(std::string what);  // in the line on the terminal
  void no_line();
  // The command looks at stop_asked() itself, and has this long to end with what it keeps; then it is ended, with these
  // as its last words.
  void give(std::chrono::milliseconds patience, std::function<std::string()> last_words);
  // Nobody is ended any more, however long it takes.
  void end();

 private:
  void watch();
  [[noreturn]] void leave();

  const StopSignals signals_;
  Progress progress_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false, line_ = true;
  std::string doing_;
  std::chrono::milliseconds patience_{0};
  std::function<std::string()> last_words_;
  std::thread thread_;
};

// What the command is doing, for the line on the terminal: "reading prism.toml".
void doing(const std::string& what);
// Text follows: the line goes.
void no_line();

}  // namespace taut
