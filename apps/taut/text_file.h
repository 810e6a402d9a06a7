// One text file as the result of a command: whole or not there at all.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace taut {

class OutputDir;
class OutputFile;

class TextFile {
 public:
  // `ending`: what is written, "csv". Throws InputError when no file can be written there, or none may (see
  // results/output_target.h), or another result of this command goes there: found out before anything is computed.
  TextFile(const std::filesystem::path& path, std::string_view ending);
  ~TextFile();  // without write(), nothing was there and nothing is left
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  void write(const std::string& text);  // throws RunError

 private:
  std::filesystem::path path_;
  std::unique_ptr<OutputDir> folder_;
  std::unique_ptr<OutputFile> file_;  // none for a device or a pipe (/dev/stdout), which has nothing to be renamed over
};

}  // namespace taut
