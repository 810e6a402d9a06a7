#include "taut/sweep/table/rows_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "taut/base/error.h"
#include "taut/base/text/enum_name.h"

namespace taut {

namespace {

// Mixes bytes into 64 bits (FNV-1a over words, then a finalizer): tells a whole slot from a torn one.
std::uint64_t checksum(std::uint64_t hash, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, std::min<std::size_t>(8, size - i));
    hash = (hash ^ word) * 0x100000001b3ULL;
    hash ^= hash >> 29;
  }
  return hash ^ (hash >> 32);
}

struct SlotHead {
  std::uint64_t sum = 0;
  std::uint32_t status = 0, reason_size = 0;
  std::uint64_t reason_at = 0;
};

std::uint64_t slot_sum(long run, const SlotHead& head, const double* values, int n, const std::string& reason) {
  std::uint64_t sum = checksum(0xcbf29ce484222325ULL, &run, sizeof run);
  sum = checksum(sum, &head.status, sizeof(SlotHead) - sizeof head.sum);
  sum = checksum(sum, values, sizeof(double) * static_cast<std::size_t>(n));
  sum = checksum(sum, reason.data(), reason.size());
  return sum == 0 ? 1 : sum;  // an empty slot has 0
}

// All of the bytes, by pread or pwrite, which may stop half way.
template <class Byte, class Call>
bool transfer(const Call& call, int file, Byte* bytes, std::size_t size, long offset) {
  while (size > 0) {
    const ssize_t n = call(file, bytes, size, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n, offset += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_at(int file, void* to, std::size_t size, long offset) {
  return transfer(::pread, file, static_cast<char*>(to), size, offset);
}

bool write_at(int file, const void* from, std::size_t size, long offset) {
  return transfer(::pwrite, file, static_cast<const char*>(from), size, offset);
}

constexpr char magic[] = "taut sweep rows 1\n";

struct FileHead {
  char magic[24] = {};
  std::uint64_t runs = 0, values = 0, identity_size = 0;
};

std::string line_of(const std::string& text, std::size_t at) {
  const std::size_t from = at == 0 ? 0 : text.rfind('\n', at - 1) + 1, to = text.find('\n', at);
  return text.substr(from, std::min(to, text.size()) - from);
}

}  // namespace

const char* name(RowStatus status) {
  return enum_name<RowStatus::stopped>(status, {"done", "failed", "refused", "stopped"});
}

RowsFile::RowsFile(std::filesystem::path folder, const std::string& identity, long runs, int values,
                   const std::string& advice)
    : folder_(std::move(folder)), runs_(runs), values_(values), there_(static_cast<std::size_t>((runs + 63) / 64)) {
  rows_ = ::open((folder_ / "rows").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (rows_ < 0) throw InputError(fmt::format("cannot write {}: {}", (folder_ / "rows").string(), strerror(errno)));
  if (::flock(rows_, LOCK_EX | LOCK_NB) != 0) {
    ::close(rows_);
    throw InputError(fmt::format("{} is being written by another taut sweep: wait for it, or take another folder",
                                 folder_.string()));
  }
  reasons_ = ::open((folder_ / "reasons").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  try {
    if (reasons_ < 0)
      throw InputError(fmt::format("cannot write {}: {}", (folder_ / "reasons").string(), strerror(errno)));
    begin(identity, advice);
    look();
  } catch (...) {
    ::close(rows_);
    if (reasons_ >= 0) ::close(reasons_);
    throw;
  }
}

RowsFile::~RowsFile() {
  ::close(rows_);
  ::close(reasons_);
}

long RowsFile::slot_size() const { return static_cast<long>(sizeof(SlotHead)) + 8L * values_; }
long RowsFile::slot_at(long run) const { return header_ + run * slot_size(); }

void RowsFile::cannot(const char* what) const {
  throw RunError(0.0, fmt::format("cannot {} the rows in {}: {}", what, folder_.string(), strerror(errno)));
}

void RowsFile::begin(const std::string& identity, const std::string& advice) {
  FileHead head;
  header_ = static_cast<long>(sizeof head + (identity.size() + 7) / 8 * 8);
  struct stat status {};
  if (::fstat(rows_, &status) != 0) cannot("read");
  // A file that ends before its slots was begun and no more.
  std::string found;
  if (status.st_size >= static_cast<off_t>(sizeof head) && read_at(rows_, &head, sizeof head, 0)) {
    const bool only_begun = head.magic[0] == '\0';
    if (!only_begun && std::memcmp(head.magic, magic, sizeof magic) != 0)
      throw InputError(fmt::format("{} is not a table of runs: take another folder", (folder_ / "rows").string()));
    if (!only_begun && head.identity_size > static_cast<std::uint64_t>(status.st_size))
      throw InputError(fmt::format("{} is damaged: take another folder", (folder_ / "rows").string()));
    if (!only_begun) {
      found.resize(head.identity_size);
      if (!read_at(rows_, found.data(), found.size(), sizeof head)) cannot("read");
      compare(found, identity, advice);
      return;
    }
    head = FileHead();
  }
  // The beginning is written before the word that makes it one.
  head.runs = static_cast<std::uint64_t>(runs_);
  head.values = static_cast<std::uint64_t>(values_);
  head.identity_size = identity.size();
  if (::ftruncate(rows_, 0) != 0 || ::ftruncate(reasons_, 0) != 0 ||
      !write_at(rows_, identity.data(), identity.size(), sizeof head))
    cannot("write");
  std::memcpy(head.magic, magic, sizeof magic);
  if (!write_at(rows_, &head, sizeof head, 0) || ::fsync(rows_) != 0) cannot("write");
}

void RowsFile::compare(const std::string& found, const std::string& identity, const std::string& advice) const {
  if (found == identity) return;
  std::size_t at = 0;
  while (at < found.size() && at < identity.size() && found[at] == identity[at]) ++at;
  throw InputError(fmt::format("{} has the rows of another sweep: {}. There: \"{}\"; now: \"{}\"", folder_.string(),
                               advice, line_of(found, at), line_of(identity, at)));
}

// Which runs are there; slots are read in large pieces.
void RowsFile::look() {
  struct stat status {};
  if (::fstat(rows_, &status) != 0 || ::fstat(reasons_, &status) != 0) cannot("read");
  reasons_end_ = status.st_size;
  if (::fstat(rows_, &status) != 0) cannot("read");
  const long size = slot_size(), begun = std::min(runs_, (status.st_size - header_ + size - 1) / size);
  std::vector<unsigned char> piece, slot(static_cast<std::size_t>(size));
  SweepRow row;
  const long most = std::max(1L, (1L << 20) / size);
  for (long first = 0; first < begun; first += most) {
    const long last = std::min(begun, first + most);
    piece.assign(static_cast<std::size_t>((last - first) * size), 0);
    const long bytes = std::min(static_cast<long>(piece.size()), static_cast<long>(status.st_size) - slot_at(first));
    if (!read_at(rows_, piece.data(), static_cast<std::size_t>(bytes), slot_at(first))) cannot("read");
    for (long run = first; run < last; ++run) {
      std::memcpy(slot.data(), piece.data() + (run - first) * size, slot.size());
      if (!read_slot(run, slot, row)) continue;
      there_[static_cast<std::size_t>(run / 64)] |= std::uint64_t{1} << (run % 64);
      ++present_;
    }
  }
}

bool RowsFile::read_slot(long run, const std::vector<unsigned char>& bytes, SweepRow& row) const {
  SlotHead head;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.sum == 0 || head.status > 3 || head.reason_size > (1U << 20)) return false;
  row.status = static_cast<RowStatus>(head.status);
  row.values.resize(static_cast<std::size_t>(values_));
  std::memcpy(row.values.data(), bytes.data() + sizeof head, row.values.size() * sizeof(double));
  row.reason.resize(head.reason_size);
  if (head.reason_size > 0 &&
      !read_at(reasons_, row.reason.data(), row.reason.size(), static_cast<long>(head.reason_at)))
    return false;
  return slot_sum(run, head, row.values.data(), values_, row.reason) == head.sum;
}

bool RowsFile::has(long run) const { return (there_[static_cast<std::size_t>(run / 64)] >> (run % 64) & 1) != 0; }

void RowsFile::put(long run, const SweepRow& row) {
  SlotHead head;
  head.status = static_cast<std::uint32_t>(row.status);
  const std::string reason = row.reason.substr(0, 1U << 20);
  head.reason_size = static_cast<std::uint32_t>(reason.size());
  if (!reason.empty()) {
    // The text first: a slot never points to what is not there.
    const std::lock_guard lock(reasons_lock_);
    head.reason_at = static_cast<std::uint64_t>(reasons_end_);
    if (!write_at(reasons_, reason.data(), reason.size(), reasons_end_)) cannot("write");
    reasons_end_ += static_cast<long>(reason.size());
  }
  head.sum = slot_sum(run, head, row.values.data(), values_, reason);
  thread_local std::vector<unsigned char> bytes;
  bytes.resize(static_cast<std::size_t>(slot_size()));
  std::memcpy(bytes.data(), &head, sizeof head);
  if (values_ > 0) std::memcpy(bytes.data() + sizeof head, row.values.data(), 8 * static_cast<std::size_t>(values_));
  if (!write_at(rows_, bytes.data(), bytes.size(), slot_at(run))) cannot("write");
  const std::uint64_t bit = std::uint64_t{1} << (run % 64);
  if ((there_[static_cast<std::size_t>(run / 64)].fetch_or(bit) & bit) == 0) ++present_;
}

void RowsFile::get(long run, SweepRow& row) const {
  thread_local std::vector<unsigned char> bytes;
  bytes.resize(static_cast<std::size_t>(slot_size()));
  if (!read_at(rows_, bytes.data(), bytes.size(), slot_at(run))) cannot("read");
  if (!read_slot(run, bytes, row))
    throw RunError(0.0, fmt::format("another program has changed the row of run {} in {}", run, folder_.string()));
}

void RowsFile::flush() const {
  ::fdatasync(reasons_);
  ::fdatasync(rows_);
}

}  // namespace taut
