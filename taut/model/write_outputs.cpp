#include "taut/model/toml_writer.h"

namespace taut {

void write_outputs(TomlWriter& w) {
  for (const Frame& frame : w.model().frames) {
    w.header("[[outputs]]");
    w.line("frame", toml_string(frame.name));
    w.line("nodes", w.list({frame.nodes.begin(), frame.nodes.end()}));
    if (frame.relative_to >= 0) w.line("relative_to", toml_string(w.model().frames[frame.relative_to].name));
  }
}

}  // namespace taut
