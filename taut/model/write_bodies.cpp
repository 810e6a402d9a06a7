// Bodies: resolved, so their inertia is written as numbers whatever shape it came from.
#include "taut/model/toml_writer.h"

namespace taut {

void write_bodies(TomlWriter& w) {
  for (const Body& body : w.model().bodies) {
    w.header("[[bodies]]");
    w.line("name", toml_string(body.name));
    w.line("nodes", w.list(body.nodes));
    w.number("mass", body.mass);
    w.line("centre", vector_text(body.centre));
    if (body.mass == 0.0) continue;
    const Mat3& I = body.inertia;
    const bool diagonal = I(0, 1) == 0.0 && I(0, 2) == 0.0 && I(1, 2) == 0.0;
    w.line("inertia",
           diagonal ? vector_text(I.diagonal()) : numbers_text({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
    if (body.velocity) w.line("velocity", vector_text(*body.velocity));
    if (body.angular_velocity) w.line("angular_velocity", vector_text(*body.angular_velocity));
    if (!body.outline.empty()) w.line("outline", w.list(body.outline));
  }
}

}  // namespace taut
