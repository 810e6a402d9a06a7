#include "apps/taut/text_file.h"

#include <fmt/format.h>

#include <cstdio>

#include "taut/base/error.h"
#include "taut/run/output_dir.h"

namespace taut {

namespace fs = std::filesystem;

namespace {

bool is_stream(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

TextFile::TextFile(const fs::path& path) : path_(path) {
  std::error_code ignored;
  if (!path.has_filename() || fs::is_directory(path, ignored))
    throw InputError(fmt::format("cannot write {}: it is a folder, a file was expected", path.string()));
  if (is_stream(path)) return;
  folder_ = std::make_unique<OutputDir>(path.has_parent_path() ? path.parent_path() : fs::path("."));
  file_ = std::make_unique<OutputFile>(*folder_, path.filename().string());
}

TextFile::~TextFile() = default;

void TextFile::write(const std::string& text) {
  if (file_) {
    file_->append(text, 0.0);
    file_->finish(0.0);
    return;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path_.c_str(), "w"), std::fclose);
  const bool written = file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (!written || std::fflush(file.get()) != 0) throw RunError(0.0, fmt::format("cannot write {}", path_.string()));
}

void keep_input(const fs::path& result, const fs::path& input) {
  std::error_code ignored;
  if (fs::equivalent(result, input, ignored))
    throw InputError(
        fmt::format("cannot write {}: it is the model file itself; expected another name", result.string()));
}

}  // namespace taut
