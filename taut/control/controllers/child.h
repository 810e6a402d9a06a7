// A program on pipes: texts go to its standard input, lines come from its standard output, and the last of what it writes
// to its standard error is kept. It leads a process group of its own, so that Ctrl-C in a terminal reaches it through us
// only, and so that nothing of it is left behind.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  void close();
  int release();

 private:
  int number_ = -1;
};

// How a program came to its end.
struct ChildEnd {
  int status = -1;      // of its exit; -1: none
  int signal = 0;       // that ended it; 0: none
  bool forced = false;  // it had to be ended by us

  bool good() const { return status == 0 && !forced; }
  std::string text() const;  // "exit status 1", "signal 9 (Killed)"
};

class Child {
 public:
  enum class Reply {
    line,      // here it is
    late,      // it took longer than the limit
    too_long,  // what it writes has no end
    unasked,   // it has written more than the line that it was asked for
    closed     // it has ended, or closed one of the pipes
  };

  // Starts command[0], looked up in PATH where it has no slash, with its arguments, in a folder (empty: the present one).
  // Null: it cannot be started, and `problem` says why.
  static std::unique_ptr<Child> start(const std::vector<std::string>& command, const std::string& folder,
                                      std::string& problem);
  ~Child();  // finish(), with little patience
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Sends a text and waits for a line, at most `limit`, s, and `longest` bytes. The line comes without its end; after
  // `too_long` and `unasked` it is the beginning of what came. Throws Stopped when the flag of a StopScope is set.
  Reply ask(std::string_view text, double limit, std::size_t longest, std::string& line);

  // Closes its input, gives it `patience`, s, to end by itself (little when the flag of a StopScope is set), and then ends
  // it and whatever it has started. Nothing can be asked afterwards.
  ChildEnd finish(double patience);
  // Whether it ends by itself within so long, s, with its input open.
  bool ends_within(double patience);

  // After finish(): whether it wrote anything beyond the lines that ask() gave.
  bool wrote_more() const { return wrote_more_; }
  // The last lines of its standard error, as valid UTF-8 without control characters; empty: there are none.
  std::string last_words() const;

 private:
  Child() = default;

  enum class Heard { something, nothing, end };

  bool send(std::string_view& rest);
  Heard receive();
  void listen();
  bool has_ended() const;
  void wait(bool to_send, bool to_receive, double seconds);

  pid_t id_ = -1;
  Descriptor in_, out_, error_;  // our ends
  Descriptor ending_;            // readable when the program has ended; not open: the system has no such thing
  std::string received_, words_;
  bool wrote_more_ = false;
};

// Ends all programs of this process that are still there, with whatever they have started, at once: for a process that
// ends without destructors. It may be called by a handler of a signal, and is called at exit.
void end_children() noexcept;

}  // namespace taut
