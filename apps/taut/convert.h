// SVG to PNG by a program that is installed.
#pragma once

#include <string>

namespace taut {

// 300 dots per inch, by rsvg-convert, inkscape, magick or convert, whichever is there; started directly, without a
// shell. Throws InputError when none is there, RunError when it fails.
std::string png_of_svg(const std::string& svg);

}  // namespace taut
