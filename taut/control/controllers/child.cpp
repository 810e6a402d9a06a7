#include "taut/control/controllers/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/base/text/toml_text.h"
#include "taut/base/text/xml_text.h"

extern char** environ;

namespace taut {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double slice = 0.1;             // s, after which a flag that stops us is looked at again
constexpr double little = 0.3;            // s, for a program that is of no use any more
constexpr double after_signal = 0.5;      // s, from SIGTERM to SIGKILL
constexpr double nap = 0.01;              // s, between looks at a program whose end makes no event
constexpr std::size_t kept_words = 8192;  // bytes of standard error
constexpr std::size_t shown_lines = 12, shown_characters = 200;

double seconds_until(Clock::time_point time) { return std::chrono::duration<double>(time - Clock::now()).count(); }

Clock::time_point after(double seconds) {
  constexpr double longest = 1e9;  // more than that the clock cannot hold
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::clamp(seconds, 0.0, longest)));
}

// Both ends of a pipe, closed in programs that anybody starts, and away from the standard streams.
bool make_pipe(Descriptor& reads, Descriptor& writes) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  reads = Descriptor(ends[0]);
  writes = Descriptor(ends[1]);
  for (Descriptor* end : {&reads, &writes})
    if (end->number() <= STDERR_FILENO) *end = Descriptor(::fcntl(end->number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return reads.open() && writes.open();
}

bool do_not_block(const Descriptor& end) { return ::fcntl(end.number(), F_SETFL, O_NONBLOCK) == 0; }

// What posix_spawn needs to know.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

// A write to a pipe that nobody reads must not end this process: while this lives, its thread takes no SIGPIPE.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigset_t pending;
    ::sigemptyset(&only_);
    ::sigaddset(&only_, SIGPIPE);
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    if (!was_pending_)
      while (::sigtimedwait(&only_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t only_{}, before_{};
  bool was_pending_ = false;
};

// The groups of programs that have not been collected, for end_children(): as many as are kept there. And the process that
// started them, which a copy of it (fork) is not.
std::array<std::atomic<pid_t>, 1024> started{};
std::atomic<pid_t> starter{0};
static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void note_started(pid_t id) {
  const pid_t here = ::getpid(), before = starter.exchange(here);
  if (before != 0 && before != here)
    for (std::atomic<pid_t>& place : started) place = 0;
  if (before != here) std::atexit([] { end_children(); });
  for (std::atomic<pid_t>& place : started)
    if (pid_t empty = 0; place.compare_exchange_strong(empty, id)) return;
}

void forget_started(pid_t id) {
  for (std::atomic<pid_t>& place : started)
    if (pid_t its = id; place.compare_exchange_strong(its, 0)) return;
}

std::string why_not_started(const std::string& program, const std::string& folder, int error) {
  std::string text = std::generic_category().message(error);
  std::error_code ignored;
  const std::filesystem::path beside = std::filesystem::path(folder) / program;
  if (error == ENOENT && program.find('/') == std::string::npos) {
    text = "there is no such program in PATH";
    if (std::filesystem::is_regular_file(beside, ignored))
      text += fmt::format("; one that lies in its folder is called {}", in_quotes("./" + program));
  } else if (error == ENOENT) {
    text += ", or the program that its first line names is not there";
  } else if (error == ENOEXEC) {
    text += ": a script needs a first line such as #!/usr/bin/env python3";
  }
  return text;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = other.release();
  }
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

int Descriptor::release() { return std::exchange(number_, -1); }

std::string ChildEnd::text() const {
  if (status >= 0) return fmt::format("exit status {}", status);
  if (signal == 0) return "an unknown exit status";
  const char* meaning = ::sigdescr_np(signal);
  return fmt::format("signal {}{}", signal, meaning != nullptr ? fmt::format(" ({})", meaning) : "");
}

std::unique_ptr<Child> Child::start(const std::vector<std::string>& command, const std::string& folder,
                                    std::string& problem) {
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    problem = fmt::format("its folder {} does not exist", toml_string(folder));
    return nullptr;
  }
  std::unique_ptr<Child> child(new Child);
  Descriptor its_in, its_out, its_error;
  if (!make_pipe(its_in, child->in_) || !make_pipe(child->out_, its_out) || !make_pipe(child->error_, its_error) ||
      !do_not_block(child->in_) || !do_not_block(child->out_) || !do_not_block(child->error_)) {
    problem = fmt::format("there is no pipe to it: {}", std::generic_category().message(errno));
    return nullptr;
  }
  SpawnPlan plan;
  ::posix_spawn_file_actions_adddup2(&plan.actions, its_in.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&plan.actions, its_out.number(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&plan.actions, its_error.number(), STDERR_FILENO);
  // Files of libraries that do not close them in other programs.
  ::posix_spawn_file_actions_addclosefrom_np(&plan.actions, STDERR_FILENO + 1);
  if (!folder.empty()) ::posix_spawn_file_actions_addchdir_np(&plan.actions, folder.c_str());
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&plan.attributes, &none);
  ::posix_spawnattr_setsigdefault(&plan.attributes, &all);
  ::posix_spawnattr_setpgroup(&plan.attributes, 0);
  ::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (const int error =
          ::posix_spawnp(&child->id_, arguments[0], &plan.actions, &plan.attributes, arguments.data(), ::environ);
      error != 0) {
    child->id_ = -1;
    problem = why_not_started(command[0], folder, error);
    return nullptr;
  }
  note_started(child->id_);
  child->ending_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, child->id_, 0)));
  return child;
}

Child::~Child() { finish(little); }

// As much of the rest as the pipe takes. False: nobody reads it.
bool Child::send(std::string_view& rest) {
  while (!rest.empty()) {
    const ssize_t count = ::write(in_.number(), rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      return true;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

// A block of what it has written.
Child::Heard Child::receive() {
  std::array<char, 65536> block;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  while (true) {
    const ssize_t count = ::read(out_.number(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return Heard::nothing;
    if (count <= 0) return Heard::end;
    received_.append(block.data(), static_cast<std::size_t>(count));
    return Heard::something;
  }
}

// All that is there of its standard error.
void Child::listen() {
  std::array<char, 4096> block;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  while (error_.open()) {
    const ssize_t count = ::read(error_.number(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return error_.close();
    words_.append(block.data(), static_cast<std::size_t>(count));
    if (words_.size() > kept_words) words_.erase(0, words_.size() - kept_words);
  }
}

bool Child::has_ended() const {
  siginfo_t info{};
  const int failed = ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT);
  return failed != 0 ? errno == ECHILD : info.si_pid == id_;
}

// Until something can be done, or a part of the time is over.
void Child::wait(bool to_send, bool to_receive, double seconds) {
  std::array<pollfd, 4> events{};
  nfds_t count = 0;
  const auto watch = [&](const Descriptor& what, short event) {
    if (what.open()) events[count++] = {what.number(), event, 0};
  };
  if (to_send) watch(in_, POLLOUT);
  if (to_receive) watch(out_, POLLIN);
  watch(error_, POLLIN);
  watch(ending_, POLLIN);
  const double most = ending_.open() ? slice : nap;
  ::poll(events.data(), count, static_cast<int>(std::ceil(1e3 * std::clamp(seconds, 0.0, most))));
}

Child::Reply Child::ask(std::string_view text, double limit, std::size_t longest, std::string& line) {
  const NoPipeSignal quiet;
  const Clock::time_point deadline = after(limit);
  Heard heard = receive();
  line = received_.substr(0, longest);
  if (!received_.empty()) return Reply::unasked;
  std::size_t end = std::string::npos;
  while (heard != Heard::end) {
    listen();
    const bool ended = has_ended();  // before its output is looked at: what it wrote at its end counts
    if (end == std::string::npos) {
      const std::size_t searched = received_.size();
      heard = receive();
      end = received_.find('\n', searched);
      if (std::min(end, received_.size()) > longest) {
        line = received_.substr(0, longest);
        return Reply::too_long;
      }
    }
    const bool reads = send(text);
    if (end != std::string::npos && text.empty()) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return Reply::line;
    }
    if (!reads || (ended && heard != Heard::something)) return Reply::closed;
    if (!(seconds_until(deadline) > 0.0)) return Reply::late;
    stop_if_asked();
    const bool waits = end == std::string::npos;
    if (!waits || heard == Heard::nothing) wait(!text.empty(), waits, seconds_until(deadline));
  }
  return Reply::closed;
}

bool Child::ends_within(double patience) {
  const Clock::time_point begin = Clock::now(), deadline = after(patience);
  Heard heard = Heard::nothing;
  while (!has_ended()) {
    const double left = seconds_until(deadline), asked = is_set(stop_flag()) ? -seconds_until(begin) - little : -1.0;
    if (!(left > 0.0) || asked > 0.0) return false;
    listen();
    // It may be held up by what it writes.
    if (heard != Heard::end) heard = receive();
    wrote_more_ = wrote_more_ || !received_.empty();
    received_.clear();
    if (heard != Heard::something) wait(false, heard != Heard::end, left);
  }
  return true;
}

ChildEnd Child::finish(double patience) {
  ChildEnd end;
  if (id_ < 0) return end;
  in_.close();
  if (!ends_within(patience)) {
    end.forced = true;
    ::kill(-id_, SIGTERM);
    if (!ends_within(after_signal)) ::kill(-id_, SIGKILL);
  }
  // Its number, and that of its group, is its own until it is collected here.
  siginfo_t info{};
  int failed = 0;
  while ((failed = ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT)) != 0 && errno == EINTR) {
  }
  listen();
  receive();
  wrote_more_ = wrote_more_ || !received_.empty();
  if (failed == 0) ::kill(-id_, SIGKILL);
  forget_started(id_);
  int status = 0;
  pid_t collected = -1;
  while ((collected = ::waitpid(id_, &status, 0)) < 0 && errno == EINTR) {
  }
  if (collected == id_ && WIFEXITED(status)) end.status = WEXITSTATUS(status);
  if (collected == id_ && WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  id_ = -1;
  out_.close();
  error_.close();
  ending_.close();
  return end;
}

void end_children() noexcept {
  if (starter != ::getpid()) return;
  for (const std::atomic<pid_t>& place : started)
    if (const pid_t id = place; id > 0) ::kill(-id, SIGKILL);
}

std::string Child::last_words() const {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < words_.size();) {
    const std::size_t end = std::min(words_.find('\n', at), words_.size());
    std::string line = words_.substr(at, end - at);
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) lines.push_back(shortened(line, shown_characters));
    at = end + 1;
  }
  if (lines.size() > shown_lines) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(shown_lines));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace taut
