// Compiled kernels on disk, under $XDG_CACHE_HOME/taut or ~/.cache/taut: one file each, named by the hash of all that it
// depends on. A file that is not whole counts as none; a folder that cannot be used, too.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace taut::batch::cuda {

std::filesystem::path cache_folder();  // empty: none

// 32 hexadecimal digits, other ones for other parts.
std::string cache_name(std::initializer_list<std::string_view> parts);

std::optional<std::string> read_cache(const std::filesystem::path& folder, const std::string& name);
void write_cache(const std::filesystem::path& folder, const std::string& name, std::string_view code);

}  // namespace taut::batch::cuda
