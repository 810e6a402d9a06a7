#include "taut/results/hdf5/read_hdf5_raw.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string_view>

#include "taut/base/error.h"
#include "taut/base/inputs.h"
#include "taut/results/hdf5/hdf5_handle.h"
#include "taut/results/hdf5/read_hdf5.h"

namespace taut {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
constexpr std::uint64_t none = ~std::uint64_t{0};

// Even packed by zlib, which reaches 1 : 1032, numbers need some room in the file.
double most_bytes(double file_bytes) { return 1100.0 * file_bytes + 1e6; }

// --- In the child: HDF5 to pipe. It never returns: what goes wrong is told by a message, or by its death.

class Sender {
 public:
  explicit Sender(int pipe) : pipe_(pipe) {}
  void bytes(const void* from, std::size_t size) const {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
      const ssize_t n = ::write(pipe_, at, size);
      if (n < 0 && errno != EINTR) ::_exit(1);
      if (n > 0) at += n, size -= static_cast<std::size_t>(n);
    }
  }
  void count(std::uint64_t n) const { bytes(&n, sizeof n); }
  // The first word of every answer: nothing was wrong, or a text that says what.
  void fine() const { count(0); }
  [[noreturn]] void damaged() const {
    const std::string why = hdf5_error();
    count(why.size());
    bytes(why.data(), why.size());
    ::_exit(0);
  }

 private:
  int pipe_;
};

void send_format(hid_t file, const Sender& to) {
  std::int64_t format = -1;
  if (H5Aexists(file, "format") > 0) {
    const Hdf5Handle id(H5Aopen(file, "format", H5P_DEFAULT), H5Aclose);
    const Hdf5Handle type(id < 0 ? H5I_INVALID_HID : H5Aget_type(id), H5Tclose);
    const Hdf5Handle space(id < 0 ? H5I_INVALID_HID : H5Aget_space(id), H5Sclose);
    if (id < 0 || type < 0 || space < 0) to.damaged();
    if (H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_npoints(space) == 1 &&
        H5Aread(id, H5T_NATIVE_INT64, &format) < 0)
      to.damaged();
  }
  to.fine();
  to.count(static_cast<std::uint64_t>(format));
}

struct Set {
  Set(hid_t file, const char* name, const Sender& to) {
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return;
    id = Hdf5Handle(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
    if (id >= 0) type = Hdf5Handle(H5Dget_type(id), H5Tclose), space = Hdf5Handle(H5Dget_space(id), H5Sclose);
    if (id < 0 || type < 0 || space < 0) to.damaged();
  }
  Hdf5Handle id, type, space;
};

void send_text(hid_t file, const char* name, double limit, const Sender& to) {
  const Set set(file, name, to);
  const bool fits = set.id >= 0 && H5Tget_class(set.type) == H5T_STRING && H5Tis_variable_str(set.type) == 0 &&
                    H5Sget_simple_extent_npoints(set.space) == 1 && static_cast<double>(H5Tget_size(set.type)) <= limit;
  std::string text(fits ? H5Tget_size(set.type) : 0, '\0');
  if (fits && H5Dread(set.id, set.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) to.damaged();
  to.fine();
  to.count(fits ? text.size() : none);
  to.bytes(text.data(), text.size());
}

void send_numbers(hid_t file, const char* name, double limit, const Sender& to) {
  const Set set(file, name, to);
  const int rank = set.id >= 0 && H5Tget_class(set.type) == H5T_FLOAT ? H5Sget_simple_extent_ndims(set.space) : 0;
  std::vector<hsize_t> shape(rank > 0 ? static_cast<std::size_t>(rank) : 0);
  if (rank > 0) H5Sget_simple_extent_dims(set.space, shape.data(), nullptr);
  double count = 1.0;
  for (const hsize_t n : shape) count *= static_cast<double>(n);
  const bool fits = rank > 0 && sizeof(double) * count <= limit;
  std::vector<double> values(fits ? static_cast<std::size_t>(count) : 0);
  if (!values.empty() && H5Dread(set.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    to.damaged();
  to.fine();
  to.count(fits ? shape.size() : none);
  if (!fits) return;
  for (const hsize_t n : shape) to.count(n);
  to.bytes(values.data(), sizeof(double) * values.size());
}

[[noreturn]] void child(const fs::path& path, double file_bytes, const std::vector<std::string>& texts,
                        const std::vector<std::string>& numbers, int pipe) {
  // It may die of anything, in silence and before long.
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const auto seconds = static_cast<rlim_t>(4.0 + file_bytes / 5e7);
  const rlimit time{seconds, seconds + 1};
  ::setrlimit(RLIMIT_CPU, &time);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDERR_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);

  const Sender to(pipe);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) to.damaged();
  send_format(file, to);
  for (const std::string& name : texts) send_text(file, name.c_str(), file_bytes, to);
  for (const std::string& name : numbers) send_numbers(file, name.c_str(), most_bytes(file_bytes), to);
  ::_exit(0);
}

// --- In this process: the pipe to what it carries.

class Receiver {
 public:
  Receiver(const fs::path& path, int pipe, double limit) : path_(path), pipe_(pipe), limit_(limit) {}
  [[noreturn]] void damaged(const std::string& why) const {
    throw InputError({{{path_.string(), 0, 0}, "", "is damaged or cut off: HDF5 " + why}});
  }
  void bytes(void* to, std::size_t size) const {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t n = ::read(pipe_, at, size);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) damaged("gave up on it");
      at += n, size -= static_cast<std::size_t>(n);
    }
  }
  std::uint64_t count() const {
    std::uint64_t n = 0;
    bytes(&n, sizeof n);
    return n;
  }
  void expect_fine() const {
    const std::uint64_t size = count();
    if (size == 0) return;
    std::string why(std::min<std::uint64_t>(size, 1000), '\0');
    bytes(why.data(), why.size());
    damaged("says \"" + why + "\"");
  }
  std::optional<std::string> text() const {
    expect_fine();
    const std::uint64_t size = count();
    if (size == none) return std::nullopt;
    if (static_cast<double>(size) > limit_) damaged("gave up on it");
    std::string text(size, '\0');
    bytes(text.data(), size);
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
  }
  std::optional<Hdf5Numbers> numbers() const {
    expect_fine();
    const std::uint64_t rank = count();
    if (rank == none) return std::nullopt;
    if (rank > 32) damaged("gave up on it");
    Hdf5Numbers numbers;
    double total = 1.0;
    for (std::uint64_t i = 0; i < rank; ++i) {
      numbers.shape.push_back(count());
      total *= static_cast<double>(numbers.shape.back());
    }
    if (sizeof(double) * total > limit_) damaged("gave up on it");
    numbers.values.resize(static_cast<std::size_t>(total));
    bytes(numbers.values.data(), sizeof(double) * numbers.values.size());
    return numbers;
  }

 private:
  const fs::path& path_;
  int pipe_;
  double limit_;
};

Hdf5Contents receive(const Receiver& from, const std::vector<std::string>& texts,
                     const std::vector<std::string>& numbers) {
  Hdf5Contents contents;
  from.expect_fine();
  if (const auto format = static_cast<std::int64_t>(from.count()); format >= 0)
    contents.format = static_cast<long>(format);
  for (const std::string& name : texts)
    if (auto text = from.text()) contents.texts[name] = std::move(*text);
  for (const std::string& name : numbers)
    if (auto set = from.numbers()) contents.numbers[name] = std::move(*set);
  return contents;
}

// The child, ended and collected whatever happens here.
struct Child {
  pid_t id = -1;
  int pipe = -1;
  ~Child() {
    if (pipe >= 0) ::close(pipe);
    if (id <= 0) return;
    ::kill(id, SIGKILL);
    while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
};

void check_kind(const fs::path& path) {
  const auto refuse = [&](const char* why) { throw InputError({{{path.string(), 0, 0}, "", why}}); };
  std::error_code error;
  if (!fs::exists(path, error)) refuse("there is no such file");
  if (fs::is_directory(path, error)) refuse("is a folder, an HDF5 file was expected");
  if (!fs::is_regular_file(path, error)) refuse("is not a plain file, an HDF5 file was expected");
  if (!std::ifstream(path)) refuse("cannot be read");
  if (!looks_like_hdf5(path)) refuse("is not an HDF5 file, a result of `taut run` was expected");
}

Hdf5Contents contents_of(const fs::path& path, const std::vector<std::string>& texts,
                         const std::vector<std::string>& numbers) {
  check_kind(path);
  std::error_code error;
  const auto file_bytes = static_cast<double>(fs::file_size(path, error));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for reading " + path.string());
  pid_t id = -1;
  {
    const std::lock_guard alone(hdf5_lock());
    id = ::fork();
    if (id == 0) child(path, file_bytes, texts, numbers, ends[1]);
  }
  ::close(ends[1]);
  const Child guard{id, ends[0]};
  if (id < 0) throw std::runtime_error("no process for reading " + path.string());
  try {
    return receive(Receiver(path, ends[0], most_bytes(file_bytes)), texts, numbers);
  } catch (const std::bad_alloc&) {
    throw InputError({{{path.string(), 0, 0}, "", "holds more numbers than fit into memory"}});
  }
}

}  // namespace

bool looks_like_hdf5(const fs::path& file) {
  // A pipe would wait for its writer and lose what it reads here.
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::ifstream stream(file, std::ios::binary);
  std::string begin(signature.size(), '\0');
  return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == signature;
}

bool is_run_file(const fs::path& file) {
  try {
    return looks_like_hdf5(file) && contents_of(file, {}, {}).format.has_value();
  } catch (const InputError&) {
    return false;
  }
}

Hdf5Contents read_hdf5_contents(const fs::path& path, const std::vector<std::string>& texts,
                                const std::vector<std::string>& numbers) {
  check_kind(path);
  note_input(path);
  return contents_of(path, texts, numbers);
}

}  // namespace taut
