#include "taut/results/output_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "taut/base/error.h"
#include "taut/base/unfinished.h"
#include "taut/results/output_target.h"

namespace taut {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view aside_prefix = ".taut-part-";

std::string text_of(int error) { return std::generic_category().message(error); }

// Removes files that a killed run left behind: those whose writer no longer holds the lock.
void sweep(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path path = entry->path();
    if (!path.filename().string().starts_with(aside_prefix)) continue;
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    ::close(descriptor);
  }
}

// Makes a file that nobody has, locked; gives its descriptor and sets its path, or -1 with errno. Whoever sweeps the
// folder may come between the making and the lock and take the file for a dead one: then another is made.
int make_aside(const fs::path& folder, const std::string& name, fs::path& path) {
  static std::atomic<long> made{0};
  const auto lock = unfinished_lock();
  for (;;) {
    path = folder / fmt::format("{}{}-{}-{}", aside_prefix, ::getpid(), made++, name);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) return descriptor;
    while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || status.st_nlink > 0) {
      note_unfinished(path, Unfinished::file);
      return descriptor;
    }
    ::close(descriptor);
  }
}

void remove_aside(fs::path& aside) {
  if (aside.empty()) return;
  ::unlink(aside.c_str());
  forget_unfinished(aside);
  aside.clear();
}

}  // namespace

OutputDir::OutputDir(fs::path path) : path_(std::move(path)) {
  // Which folders are missing, from the innermost outwards.
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path p = path_; !p.empty() && !fs::exists(p, error); p = p.parent_path()) {
    if (error) refuse_output(path_, error.message());
    if (p.has_filename()) missing.push_back(p);
  }
  std::reverse(missing.begin(), missing.end());
  for (const fs::path& folder : missing) {
    const auto lock = unfinished_lock();
    // Another may have made it meanwhile.
    if (fs::create_directory(folder, error)) {
      made_.push_back(folder);
      note_unfinished(folder, Unfinished::made_folder);
    } else if (error) {
      const std::string why = error.message();
      remove_made();
      refuse_output(path_, why);
    }
  }
  if (!fs::is_directory(path_, error))
    refuse_output(path_, error ? error.message() : "it is a file, a folder was expected");
  sweep(path_);
}

OutputDir::~OutputDir() { remove_made(); }

// A folder made for nothing goes again, unless something else has been put there: only empty ones are removed.
void OutputDir::remove_made() {
  std::error_code ignored;
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) {
    if (written_.empty()) fs::remove(*folder, ignored);
    forget_unfinished(*folder);
  }
}

void OutputDir::rename_all(double t) {
  const auto lock = unfinished_lock();
  std::erase_if(files_, [](const OutputFile* file) { return file->lost_; });
  for (OutputFile* file : files_) {
    if (::rename(file->aside_.c_str(), file->path_.c_str()) != 0) file->fail(text_of(errno), t);
    note_finished(file->aside_);
    file->aside_.clear();
  }
  // In place, they are closed and with that unlocked: whoever wants to read them can.
  for (OutputFile* file : files_) {
    written_.push_back(file->path_);
    file->close();
  }
  // The names themselves onto the disk; not every file system can do that, and the data are there already.
  const int folder = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

bool OutputDir::make_room(int error) {
  if (error != ENOSPC && error != EDQUOT) return false;
  bool freed = false;
  for (OutputFile* file : files_) {
    if (!file->may_be_lost_ || file->lost_) continue;
    file->lose(text_of(error));
    freed = true;
  }
  return freed;
}

OutputFile::OutputFile(OutputDir& dir, const std::string& name) : dir_(dir), path_(dir.path() / name) {
  may_be_lost_ = std::find(dir.may_lose_.begin(), dir.may_lose_.end(), name) != dir.may_lose_.end();
  if (output_target(path_) != OutputTarget::file) refuse_output(path_, "it is a device or a pipe, a file was expected");
  descriptor_ = make_aside(dir.path(), name, aside_);
  if (descriptor_ < 0) refuse_output(path_, text_of(errno));
  dir.files_.push_back(this);
}

OutputFile::~OutputFile() {
  // Left unfinished, it takes the others with it.
  if (!finished_ && dir_.failure_.empty()) dir_.failure_ = fmt::format("{} was not finished", path_.string());
  remove_aside(aside_);
  close();
  std::erase(dir_.files_, this);
}

void OutputFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void OutputFile::append(std::string_view bytes, double t) {
  while (!bytes.empty() && !lost_) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(n));
    else if (const int error = errno; may_be_lost_ && error != EINTR)
      lose(text_of(error));
    else if (error != EINTR && !dir_.make_room(error))
      fail(text_of(error), t);
  }
}

int OutputFile::write_at(const char* bytes, std::size_t size, long long position) {
  while (size > 0) {
    const ssize_t n = ::pwrite(descriptor_, bytes, size, static_cast<off_t>(position));
    if (n >= 0)
      bytes += n, position += n, size -= static_cast<std::size_t>(n);
    else if (const int error = errno; error != EINTR && !dir_.make_room(error))
      return error;
  }
  return 0;
}

void OutputFile::lose(const std::string& why) {
  lost_ = true;
  dir_.lost_.push_back(fmt::format("cannot write {}: {}", path_.string(), why));
  remove_aside(aside_);
  close();
}

void OutputFile::finish(double t) {
  if (!dir_.failure_.empty()) throw RunError(t, dir_.failure_);
  if (!lost_ && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) {
    if (!may_be_lost_) fail(text_of(errno), t);
    lose(text_of(errno));
  }
  finished_ = true;
  if (std::all_of(dir_.files_.begin(), dir_.files_.end(), [](const OutputFile* file) { return file->finished_; }))
    dir_.rename_all(t);
}

void OutputFile::fail(const std::string& why, double t) {
  // The first failure is the one to tell; from then on none of the files has a name.
  if (dir_.failure_.empty()) dir_.failure_ = fmt::format("cannot write {}: {}", path_.string(), why);
  for (OutputFile* file : dir_.files_) remove_aside(file->aside_);
  throw RunError(t, dir_.failure_);
}

}  // namespace taut
