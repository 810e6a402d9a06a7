#include <fmt/format.h>

#include "taut/model/toml_writer.h"

namespace taut {

namespace {

// Keys of an inline table; the law first, then those that differ from its standard values or say something anyway.
class InlineTable {
 public:
  void add(std::string_view key, const std::string& value) {
    text_ += fmt::format("{}{} = {}", text_.empty() ? "" : ", ", key, value);
  }
  void add(std::string_view key, double value) { add(key, toml_number(value)); }
  std::string text() const { return text_.empty() ? "{}" : "{ " + text_ + " }"; }

 private:
  std::string text_;
};

std::string heights_text(const HeightGrid& grid) {
  InlineTable table;
  table.add("origin", numbers_text({grid.x0, grid.y0}));
  table.add("spacing", numbers_text({grid.dx, grid.dy}));
  std::string rows;
  for (int r = 0; r < grid.rows; ++r) {
    const auto begin = grid.heights.begin() + static_cast<std::ptrdiff_t>(r) * grid.columns;
    rows += (r > 0 ? ", " : "") + numbers_text({begin, begin + grid.columns});
  }
  table.add("rows", "[" + rows + "]");
  return table.text();
}

std::string ground_text(const Ground& g) {
  const Ground standard;
  InlineTable table;
  table.add("height", g.height);
  table.add("stiffness", g.stiffness);
  table.add("damping", g.damping);
  table.add("friction", g.friction);
  if (g.law != standard.law) table.add("law", toml_string(name(g.law)));
  if (g.law != standard.law || g.beta != standard.beta) table.add("beta", g.beta);
  if (g.law == PressKind::hunt_crossley) table.add("exponent", g.exponent);
  if (g.slip_speed != standard.slip_speed) table.add("slip_speed", g.slip_speed);
  if (g.viscous != standard.viscous) table.add("viscous", g.viscous);
  if (g.radius != standard.radius) table.add("radius", g.radius);
  if (g.heights.heights.empty() && g.normal != standard.normal) table.add("normal", vector_text(g.normal));
  if (!g.heights.heights.empty()) table.add("heights", heights_text(g.heights));
  return table.text();
}

std::string collision_text(const Collision& c) {
  InlineTable table;
  table.add("law", toml_string(name(c.law)));
  table.add("stiffness", c.stiffness);
  table.add("damping", c.damping);
  table.add("beta", c.beta);
  if (c.law == PressKind::exponential) table.add("length", c.length);
  return table.text();
}

}  // namespace

const char* name(PressKind kind) {
  switch (kind) {
    case PressKind::linear:
      return "linear";
    case PressKind::smooth:
      return "smooth";
    case PressKind::hunt_crossley:
      return "hunt_crossley";
    case PressKind::exponential:
      return "exponential";
  }
  return "";
}

void write_environment(TomlWriter& w) {
  w.header("[environment]");
  w.line("gravity", vector_text(w.model().gravity));
  if (w.model().ground) w.line("ground", ground_text(*w.model().ground));
  if (w.model().collision) w.line("collision", collision_text(*w.model().collision));
}

}  // namespace taut
