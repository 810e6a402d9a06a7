// What may be written where. Every file of results asks here before anything is computed, whatever the command.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace taut {

// Throws InputError: "cannot write PATH: WHY".
[[noreturn]] void refuse_output(const std::filesystem::path& path, const std::string& why);

// file: nothing is there, or a plain file that the result replaces. stream: a terminal, a pipe or one's own standard
// output, written into and never replaced.
enum class OutputTarget { file, stream };

// Throws InputError for what a result must not replace: a folder, a disk, a link (neither it nor what it leads to), and
// a file that was read (see base/inputs.h).
OutputTarget output_target(const std::filesystem::path& path);

// Throws InputError where a result of another kind would replace a run (HDF5) or a model file (.toml); `ending` is that
// of the result, "html".
void keep_other_kinds(const std::filesystem::path& path, std::string_view ending);

}  // namespace taut
