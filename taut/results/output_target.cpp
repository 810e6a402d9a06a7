#include "taut/results/output_target.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/base/inputs.h"
#include "taut/results/hdf5/read_hdf5.h"

namespace taut {
namespace {

namespace fs = std::filesystem;

// /dev/stdout, /dev/fd/1, /proc/self/fd/1: links of the system to what the process has open.
bool is_of_the_system(const fs::path& link) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(link, error).parent_path(), error);
  const auto second = folder.begin() == folder.end() ? folder.end() : std::next(folder.begin());
  return second != folder.end() && (*second == "dev" || *second == "proc");
}

bool is_stream(const fs::file_status& status) { return fs::is_character_file(status) || fs::is_fifo(status); }

}  // namespace

void refuse_output(const fs::path& path, const std::string& why) {
  throw InputError(fmt::format("cannot write {}: {}", path.string(), why));
}

OutputTarget output_target(const fs::path& path) {
  std::error_code error;
  if (!path.has_filename()) refuse_output(path, "it is a folder, a file was expected");
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) refuse_output(path, "it is a folder, a file was expected");
  if (is_input(path)) refuse_output(path, "it is a file that this command reads; expected another name");
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    if (is_stream(status) || (fs::exists(status) && is_of_the_system(path))) return OutputTarget::stream;
    refuse_output(path, fmt::format("it is a link to {}; give the name of the file itself, or another",
                                    fs::read_symlink(path, error).string()));
  }
  if (is_stream(status)) return OutputTarget::stream;
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse_output(path, "it is a device, a file was expected");
  return OutputTarget::file;
}

void keep_other_kinds(const fs::path& path, std::string_view ending) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) return;
  if (ending != "h5" && looks_like_hdf5(path))
    refuse_output(
        path,
        fmt::format("it holds results (HDF5), and a .{} file would take its place; expected another name", ending));
  if (ending == "h5" && is_run_file(path))
    refuse_output(path, "it holds a run, and other numbers would take its place; expected another name");
  if (ending != "toml" && path.extension() == ".toml")
    refuse_output(
        path, fmt::format("it is a model file, and a .{} file would take its place; expected another name", ending));
}

}  // namespace taut
