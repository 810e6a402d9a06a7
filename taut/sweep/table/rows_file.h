// The rows of a sweep on disk, each in a place of its own from the moment it is known:
//
//   rows      header | slot 0 | slot 1 | ...     slot: checksum, status, where its reason is, values
//   reasons   texts, one after the other
//
// A slot whose checksum does not fit (never written, or torn by a crash) is a run that is still to be done. Any number
// of threads may put rows at once; one process at a time has the file (it is locked). Memory: one bit for each run.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace taut {

enum class RowStatus : std::uint32_t { done, failed, refused, stopped };
const char* name(RowStatus status);

struct SweepRow {
  RowStatus status = RowStatus::done;
  std::string reason;          // why it is not done, or a remark
  std::vector<double> values;  // one per record; NaN: none
};

class RowsFile {
 public:
  // Opens the rows in `folder` (which exists), or begins them. `identity` is all that the rows depend on, in text:
  // the sweep file, the model, the version. Throws InputError when the rows there are of another sweep or version, when
  // another process has them, or when they cannot be written. `advice`: what to do about rows of another sweep.
  RowsFile(std::filesystem::path folder, const std::string& identity, long runs, int values,
           const std::string& advice = "take another folder with -o, or remove it");
  ~RowsFile();
  RowsFile(const RowsFile&) = delete;
  RowsFile& operator=(const RowsFile&) = delete;

  long runs() const { return runs_; }
  long present() const { return present_; }
  bool has(long run) const;
  // Throws RunError when the disk does not take it.
  void put(long run, const SweepRow& row);
  // Only of a run that is there. Throws RunError when it cannot be read back.
  void get(long run, SweepRow& row) const;
  void flush() const;  // to the disk itself

 private:
  void begin(const std::string& identity, const std::string& advice);
  void compare(const std::string& found, const std::string& identity, const std::string& advice) const;
  void look();
  [[noreturn]] void cannot(const char* what) const;
  bool read_slot(long run, const std::vector<unsigned char>& bytes, SweepRow& row) const;
  long slot_size() const;
  long slot_at(long run) const;

  std::filesystem::path folder_;
  long runs_;
  int values_;
  int rows_ = -1, reasons_ = -1;  // descriptors
  long header_ = 0;               // bytes before the first slot
  std::mutex reasons_lock_;
  long reasons_end_ = 0;
  std::vector<std::atomic<std::uint64_t>> there_;  // a bit per run
  std::atomic<long> present_{0};
};

}  // namespace taut
