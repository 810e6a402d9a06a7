#include "apps/taut/watch.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "taut/base/unfinished.h"
#include "taut/control/controllers/child.h"

namespace taut {
namespace {

using Clock = std::chrono::steady_clock;
Watch* watching = nullptr;

}  // namespace

Watch::Watch(const std::string& command) : progress_(stderr, 1.0), doing_(command), thread_([this] { watch(); }) {
  watching = this;
}

Watch::~Watch() {
  end();
  watching = nullptr;
}

Watch* Watch::present() { return watching; }

void Watch::doing(std::string what) {
  const std::lock_guard lock(mutex_);
  doing_ = std::move(what);
  line_ = true;
}

void Watch::no_line() {
  const std::lock_guard lock(mutex_);
  line_ = false;
  progress_.wipe();
}

void Watch::give(std::chrono::milliseconds patience, std::function<std::string()> last_words) {
  const std::lock_guard lock(mutex_);
  patience_ = patience;
  last_words_ = std::move(last_words);
}

void Watch::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
  progress_.wipe();
}

void Watch::watch() {
  std::unique_lock lock(mutex_);
  std::optional<Clock::time_point> asked;
  while (!wake_.wait_for(lock, std::chrono::milliseconds(50), [&] { return ended_; })) {
    if (stop_asked() && !asked) asked = Clock::now();
    if (asked && Clock::now() - *asked >= patience_) leave();
    // A command that draws a line of its own has the place.
    if (!line_ || (line_is_drawn() && !progress_.drawn())) continue;
    progress_.update(doing_);
  }
}

void Watch::leave() {
  const long finished = remove_unfinished();
  progress_.wipe();
  if (last_words_)
    message("{}\n", last_words_());
  else if (finished == 0)
    message("interrupted; nothing was written\n");
  else
    message("interrupted; {} complete and in place\n",
            finished == 1 ? "1 file is" : fmt::format("{} files are", finished));
  end_children();
  std::_Exit(1);
}

void doing(const std::string& what) {
  if (watching != nullptr) watching->doing(what);
}

void no_line() {
  if (watching != nullptr) watching->no_line();
}

}  // namespace taut
