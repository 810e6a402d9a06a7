// The folder that a run writes into. Its files are written aside, under hidden names in the same folder, and take
// their places together when the last of them is finished: results are whole or absent, and those of an earlier
// run stay as they were until then.
//
//   OutputDir dir("six-bar-run");        // makes the folder, sweeps up what a killed run left behind
//   OutputFile file(dir, "nodes.csv");   // found unwritable here, before anything is computed
//   file.append(text, t);
//   file.finish(t);                      // on disk; renamed once every file of `dir` has come this far
//
// What was not renamed is removed by the destructors, and so is a folder that was made for nothing. One failed
// write fails them all, but for files that may be lost (may_lose): they go, the others stay, and where the disk is full
// they go first to make room. A program that ends at once removes what is in the making (base/unfinished.h). A file in
// the making is locked (flock), which is how a dead one is told from a live one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

class OutputFile;

class OutputDir {
 public:
  // Makes the folder and its parents. Throws InputError if that cannot be, or if `path` is not a folder.
  explicit OutputDir(std::filesystem::path path);
  ~OutputDir();
  OutputDir(const OutputDir&) = delete;
  OutputDir& operator=(const OutputDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The files that are in place, in the order in which they were opened; empty until the last one is finished.
  const std::vector<std::filesystem::path>& written() const { return written_; }
  // Why the files will never be in place ("cannot write x/run.h5: No space left on device"); empty: nothing failed.
  const std::string& failure() const { return failure_; }

  // Files of this name can be made again from the others. Call it before they are opened.
  void may_lose(std::string name) { may_lose_.push_back(std::move(name)); }
  // Why they were lost, one sentence for each, like failure().
  const std::vector<std::string>& lost() const { return lost_; }

 private:
  friend class OutputFile;
  void rename_all(double t);
  void remove_made();
  bool make_room(int error);  // after a failed write: true where it is worth another try

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  // folders that were not there before, outermost first
  std::vector<OutputFile*> files_;
  std::vector<std::filesystem::path> written_;
  std::string failure_;
  std::vector<std::string> may_lose_, lost_;
};

class OutputFile {
 public:
  // Throws InputError if no file can be made in the folder, or if a file may not be there (see output_target.h).
  OutputFile(OutputDir& dir, const std::string& name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }  // its place in the end
  int descriptor() const { return descriptor_; }               // open for reading and writing

  // These throw RunError at time t (s, of the run). finish() flushes to the disk. A file that is lost takes everything
  // and keeps nothing.
  void append(std::string_view bytes, double t);
  void finish(double t);
  [[noreturn]] void fail(const std::string& why, double t);
  // A write at a position of the descriptor; errno, or 0.
  int write_at(const char* bytes, std::size_t size, long long position);

 private:
  friend class OutputDir;
  void close();
  void lose(const std::string& why);

  OutputDir& dir_;
  std::filesystem::path path_, aside_;
  int descriptor_ = -1;
  bool finished_ = false, may_be_lost_ = false, lost_ = false;
};

}  // namespace taut
