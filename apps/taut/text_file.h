// One text file as the result of a command: whole or not there at all.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace taut {

class OutputDir;
class OutputFile;

class TextFile {
 public:
  // Throws InputError when no file can be written there: found out before anything is computed.
  explicit TextFile(const std::filesystem::path& path);
  ~TextFile();  // without write(), nothing was there and nothing is left
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  void write(const std::string& text);  // throws RunError

 private:
  std::filesystem::path path_;
  std::unique_ptr<OutputDir> folder_;
  std::unique_ptr<OutputFile> file_;  // none for a device or a pipe (/dev/stdout), which has nothing to be renamed over
};

// Throws InputError when a result would take the place of the file that it comes from.
void keep_input(const std::filesystem::path& result, const std::filesystem::path& input);

}  // namespace taut
