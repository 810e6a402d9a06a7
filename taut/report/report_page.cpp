// The viewer's page, bundled by the build into one file and taken into the library as it is.
#include "taut/report/report.h"

#ifdef TAUT_VIEWER_PAGE

__asm__(
    ".pushsection .rodata\n"
    ".globl taut_viewer_page\n"
    ".globl taut_viewer_page_end\n"
    "taut_viewer_page:\n"
    ".incbin \"" TAUT_VIEWER_PAGE
    "\"\n"
    "taut_viewer_page_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char taut_viewer_page[];
extern const char taut_viewer_page_end[];
}

namespace taut {

std::string_view report_page() {
  return {taut_viewer_page, static_cast<std::size_t>(taut_viewer_page_end - taut_viewer_page)};
}

}  // namespace taut

#else

namespace taut {

std::string_view report_page() { return {}; }

}  // namespace taut

#endif
