// [environment]: gravity, the ground with its height field, collisions of bars.
#include <fmt/format.h>

#include <cmath>

#include "taut/file/keys.h"
#include "taut/file/read/parse_toml.h"
#include "taut/file/read/read_sections.h"

namespace taut {

namespace {

[[noreturn]] void refuse_cell(const std::string& file, int line, int column, std::string message) {
  throw InputError(std::vector<Problem>{{{file, line, column}, "", std::move(message)}});
}

// One row of a height file, appended to the grid. Throws InputError with line and column (the number of the cell).
void read_height_row(const std::string& file, int line, std::string_view row, HeightGrid& grid) {
  int column = 0;
  for (size_t begin = 0; begin <= row.size();) {
    const size_t end = std::min(row.find(',', begin), row.size());
    const std::string_view cell = row.substr(begin, end - begin);
    begin = end + 1;
    ++column;
    double value = 0.0;
    if (cell.find_first_not_of(" \t\r") == std::string_view::npos)
      refuse_cell(file, line, column, "is empty: expected a height in m; a height field must have no holes");
    if (!parse_cell(cell, value))
      refuse_cell(file, line, column, fmt::format("is {}: expected a height in m", in_quotes(cell)));
    if (!std::isfinite(value))
      refuse_cell(file, line, column,
                  fmt::format("is {}: expected a height in m; a height field must have no holes", value));
    grid.heights.push_back(value);
  }
  if (grid.rows++ == 0) grid.columns = column;
  if (column != grid.columns)
    refuse_cell(file, line, std::min(column, grid.columns) + 1,
                fmt::format("the row has {} heights, the first one has {}: expected as many", column, grid.columns));
}

// Rows of heights separated by commas, from the lowest y up; lines that start with # are left out.
void read_height_file(const std::string& file, HeightGrid& grid) {
  const std::string text = read_text_file(file);
  int line = 0, blank = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (row.starts_with('#')) continue;
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) {
      if (blank == 0) blank = line;
      continue;
    }
    if (blank > 0 && grid.rows > 0) refuse_cell(file, blank, 1, "the line is empty: a height field must have no holes");
    blank = 0;
    read_height_row(file, line, row, grid);
  }
  if (grid.rows == 0) refuse_cell(file, 0, 0, "has no rows of heights");
}

// [[...], [...]] in the model file itself.
void read_height_rows(const Fields& table, HeightGrid& grid) {
  const Value& node = *table.find("rows");
  const List* rows = node.list();
  if (!rows) return table.say("rows", fmt::format("expected a list of rows of heights, got {}", describe(node)));
  for (size_t i = 0; i < rows->size(); ++i) {
    const std::string key = fmt::format("{}[{}]", table.path().text("rows"), i);
    const List* row = (*rows)[i].list();
    if (!row)
      return table.problems().add((*rows)[i].at, key,
                                  fmt::format("expected a row of heights, got {}", describe((*rows)[i])));
    if (i > 0 && static_cast<int>(row->size()) != grid.columns)
      return table.problems().add(
          (*rows)[i].at, key,
          fmt::format("has {} heights, the first row has {}: expected as many", row->size(), grid.columns));
    grid.columns = static_cast<int>(row->size());
    for (size_t j = 0; j < row->size(); ++j) {
      const auto value = to_number(table.problems(), (*row)[j], fmt::format("{}[{}]", key, j));
      if (!value) return;
      grid.heights.push_back(*value);
    }
    ++grid.rows;
  }
}

// Two numbers, or one for both.
void read_pair(const Fields& table, const char* key, bool one_will_do, double& first, double& second) {
  if (!table.has(key)) return;
  const Value& node = *table.find(key);
  if (one_will_do && node.number()) {
    first = second = table.number(key).value_or(first);
    return;
  }
  const std::optional<std::vector<double>> pair = node.list() ? table.numbers(key) : std::nullopt;
  if (node.list() && !pair) return;
  if (!pair || pair->size() != 2)
    return table.say(
        key, fmt::format("expected {}two numbers [x, y], got {}", one_will_do ? "a number or " : "", describe(node)));
  first = (*pair)[0], second = (*pair)[1];
}

void read_heights(const Fields& table, const std::string& model_file, HeightGrid& grid) {
  table.refuse_unknown(keys::heights);
  read_pair(table, "origin", false, grid.x0, grid.y0);
  read_pair(table, "spacing", true, grid.dx, grid.dy);
  const std::string_view source = table.one_of({"file", "rows"});
  const size_t before = table.problems().size();
  if (source.empty()) {
    table.say("file", "is missing: expected file or rows");
  } else if (source == "rows") {
    read_height_rows(table, grid);
  } else if (const std::optional<std::string> file = table.text("file")) {
    const std::string path = path_of_file(table, "file", *file, model_file);
    try {
      read_height_file(path, grid);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) {
        const std::string place =
            problem.place.line > 0 ? fmt::format(", line {}, column {}", problem.place.line, problem.place.column) : "";
        table.say("file", fmt::format("{}{}: {}", in_quotes(path), place, problem.message));
      }
    }
  }
  // A faulty field stands in as a flat one, so that nothing more is said about it.
  if (table.problems().size() > before || source.empty()) grid.rows = grid.columns = 2, grid.heights.assign(4, 0.0);
}

// Standard numbers follow the law: units and sensible sizes differ.
Ground standard_ground(PressKind law) {
  Ground ground;
  ground.law = law;
  if (law == PressKind::smooth) ground.beta = 1e-3;
  if (law == PressKind::hunt_crossley) ground.stiffness = 1e6, ground.damping = 0.5;
  return ground;
}

void read_surface(const Fields& table, const std::string& model_file, Ground& ground) {
  ground.normal = table.vector("normal").value_or(ground.normal);
  if (!table.has("heights")) return;
  if (table.has("normal")) table.say("normal", "is given beside heights: expected one or the other");
  read_heights(table.table("heights"), model_file, ground.heights);
}

// Hard ground has nothing that gives. Where an option makes the ground of a file hard, what the file says of how it gave
// is left aside.
void read_rigid_ground(const Fields& table, const std::string& model_file, Ground& ground) {
  const auto of_option = [&](const char* key) {
    const Source* source = table.find(key)->at.source;
    return source && source->kind == Source::Kind::option;
  };
  for (const char* key : {"stiffness", "damping", "beta", "exponent", "slip_speed", "viscous"}) {
    if (!table.has(key) || (of_option("law") && !of_option(key))) continue;
    table.say(key, "means nothing with law = \"rigid\", which neither gives nor creeps: leave it out");
  }
  for (const auto& [key, value] : {std::pair{"height", &ground.height},
                                   {"friction", &ground.friction},
                                   {"radius", &ground.radius},
                                   {"restitution", &ground.restitution}})
    *value = table.number(key).value_or(*value);
  read_surface(table, model_file, ground);
}

void read_ground(const Fields& table, const std::string& model_file, Ground& ground) {
  table.refuse_unknown(keys::ground);
  ground = standard_ground(table
                               .word<PressKind>("law", {{"linear", PressKind::linear},
                                                        {"smooth", PressKind::smooth},
                                                        {"hunt_crossley", PressKind::hunt_crossley},
                                                        {"rigid", PressKind::rigid}})
                               .value_or(PressKind::linear));
  if (ground.law == PressKind::rigid) return read_rigid_ground(table, model_file, ground);
  if (table.has("restitution")) table.say("restitution", "belongs to law = \"rigid\" only");
  for (const auto& [key, value] : {std::pair{"height", &ground.height},
                                   {"stiffness", &ground.stiffness},
                                   {"damping", &ground.damping},
                                   {"friction", &ground.friction},
                                   {"beta", &ground.beta},
                                   {"exponent", &ground.exponent},
                                   {"slip_speed", &ground.slip_speed},
                                   {"viscous", &ground.viscous},
                                   {"radius", &ground.radius}})
    *value = table.number(key).value_or(*value);
  if (table.has("exponent") && ground.law != PressKind::hunt_crossley)
    table.say("exponent", "belongs to law = \"hunt_crossley\" only");
  read_surface(table, model_file, ground);
}

void read_collision(const Fields& table, Collision& collision) {
  table.refuse_unknown(keys::collision);
  collision.law = table.word<PressKind>("law", {{"linear", PressKind::linear}, {"exponential", PressKind::exponential}})
                      .value_or(collision.law);
  collision.stiffness = table.number("stiffness").value_or(collision.stiffness);
  collision.damping = table.number("damping").value_or(collision.damping);
  collision.beta = table.number("beta").value_or(collision.beta);
  collision.length = table.number("length").value_or(collision.length);
  collision.friction = table.number("friction").value_or(collision.friction);
  collision.slip_speed = table.number("slip_speed").value_or(collision.slip_speed);
  if (table.has("length") && collision.law != PressKind::exponential)
    table.say("length", "belongs to law = \"exponential\" only");
}

}  // namespace

void read_environment(Reading& reading) {
  const Fields fields = reading.top.table("environment");
  fields.refuse_unknown(keys::environment);
  Model& model = reading.scenario.model;
  model.gravity = fields.vector("gravity", model.gravity).value_or(model.gravity);
  if (fields.has("ground"))
    read_ground(fields.table("ground"), reading.documents.back().file(), model.ground.emplace());
  if (fields.has("collision")) read_collision(fields.table("collision"), model.collision.emplace());
}

}  // namespace taut
