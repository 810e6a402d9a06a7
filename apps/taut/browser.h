// Opens a file in the user's browser.
#pragma once

#include <filesystem>
#include <string>

namespace taut {

// $BROWSER (programs divided by ':', a file for %s or at the end), else, where there is a display, xdg-open,
// sensible-browser or a known browser; started directly, never through a shell, and not waited for. The name of what
// was started; empty when there is nothing that can show the file.
std::string open_in_browser(const std::filesystem::path& file);

}  // namespace taut
