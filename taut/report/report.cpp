#include "taut/report/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "taut/base/text/enum_name.h"
#include "taut/base/version.h"
#include "taut/report/picture.h"
#include "taut/report/report_arrays.h"
#include "taut/report/report_document.h"

namespace taut {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t compact_above = 4'000'000;  // bytes of float arrays

template <class Parts>
Json names_of(const Parts& parts) {
  Json names = Json::array();
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

Json vector_json(const Vec3& v) { return {v[0], v[1], v[2]}; }

Json node_json(const Model& model, ArrayPack& pack) {
  std::vector<double> positions;
  Json fixed = Json::array();
  for (const Node& node : model.nodes) {
    positions.insert(positions.end(), node.position.begin(), node.position.end());
    fixed.push_back((node.fixed[0] ? 1 : 0) + (node.fixed[1] ? 2 : 0) + (node.fixed[2] ? 4 : 0));
  }
  Json json;
  json["names"] = names_of(model.nodes);
  json["positions"] = pack.enter(report_array(std::move(positions), {model.nodes.size(), 3}));
  json["fixed"] = std::move(fixed);
  return json;
}

Json bar_json(const Model& model) {
  Json a = Json::array(), b = Json::array(), radius = Json::array();
  for (const Bar& bar : model.bars) a.push_back(bar.a), b.push_back(bar.b), radius.push_back(bar.radius);
  return {{"names", names_of(model.bars)}, {"a", std::move(a)}, {"b", std::move(b)}, {"radius", std::move(radius)}};
}

Json cable_json(const Model& model) {
  Json paths = Json::array(), rest = Json::array();
  for (const Cable& cable : model.cables) paths.push_back(cable.path), rest.push_back(cable.rest_length);
  return {{"names", names_of(model.cables)}, {"paths", std::move(paths)}, {"rest_lengths", std::move(rest)}};
}

// A plane through (0, 0, height), or heights on a grid.
Json ground_json(const Ground& ground, ArrayPack& pack) {
  const HeightGrid& grid = ground.heights;
  if (grid.heights.empty()) return {{"height", ground.height}, {"normal", vector_json(ground.normal)}};
  std::vector<double> heights = grid.heights;
  for (double& height : heights) height += ground.height;
  const std::vector<std::size_t> shape{static_cast<std::size_t>(grid.rows), static_cast<std::size_t>(grid.columns)};
  Json json;
  json["grid"] = {{"x0", grid.x0}, {"y0", grid.y0},      {"dx", grid.dx},
                  {"dy", grid.dy}, {"nx", grid.columns}, {"ny", grid.rows}};
  json["grid"]["heights"] = pack.enter(report_array(std::move(heights), shape));
  return json;
}

void put_shape(Json& json, const ReportShape& shape) {
  if (shape.kind == BodyShape::Kind::none) return;
  json["shape"] = enum_name<BodyShape::Kind::sphere>(shape.kind, {"none", "box", "cylinder", "tube", "sphere"});
  json["size"] = shape.size;
  json["at"] = shape.at;
  json["rotation"] = shape.rotation;
}

Json pulley_json(const ReportPulley& pulley) {
  const auto wheel = [](const ReportPulley::Wheel& w) {
    return Json{{"body", w.body}, {"at", w.at}, {"radius", w.radius}};
  };
  Json json = wheel(pulley.wheel);
  json["name"] = pulley.name;
  json["axis"] = pulley.axis;
  json["width"] = pulley.width;
  if (pulley.cable < 0) return json;
  json["cable"] = pulley.cable;
  if (pulley.second) json["second"] = wheel(*pulley.second);
  if (pulley.crossed) json["crossed"] = true;
  if (pulley.length > 0.0) json["length"] = pulley.length;
  return json;
}

Json structure_json(const ReportStructure& structure, ArrayPack& pack) {
  const Model& model = structure.model;
  Json json;
  json["nodes"] = node_json(model, pack);
  json["bars"] = bar_json(model);
  json["cables"] = cable_json(model);
  for (const Load& load : model.loads)
    json["loads"].push_back(
        {{"node", load.node}, {"force", vector_json(load.force)}, {"from", load.from}, {"to", load.to}});
  for (const ReportPlate& plate : structure.plates)
    json["plates"].push_back({{"name", plate.name}, {"nodes", plate.nodes}});
  for (const ReportBody& body : structure.bodies) {
    Json entry{{"name", body.name}, {"pose", body.pose}};
    put_shape(entry, body.shape);
    if (body.clear) entry["clear"] = true;
    if (!body.color.empty()) entry["color"] = body.color;
    json["bodies"].push_back(std::move(entry));
  }
  for (const ReportSolid& solid : structure.solids) {
    Json entry{{"name", solid.name}, {"kind", solid.joint ? name(*solid.joint) : "arm"}, {"body", solid.body}};
    put_shape(entry, solid.shape);
    json["solids"].push_back(std::move(entry));
  }
  for (const ReportPulley& pulley : structure.pulleys) json["pulleys"].push_back(pulley_json(pulley));
  for (const Frame& frame : model.frames)
    json["frames"].push_back({{"name", frame.name}, {"nodes", frame.nodes}, {"relative_to", frame.relative_to}});
  json["gravity"] = vector_json(model.gravity);
  if (model.ground) json["ground"] = ground_json(*model.ground, pack);
  return json;
}

// The mean of the nodes, row by row, when it travels farther than the structure is large (a robot that flies or rolls
// away): 16 bits are then better spent on the nodes about it. Nothing otherwise.
std::vector<float> moving_origin(const ReportArray& nodes) {
  if (nodes.f4.empty() || nodes.shape.size() != 3 || nodes.shape[1] == 0) return {};
  const std::size_t rows = nodes.shape[0], count = nodes.shape[1];
  std::vector<float> origin(3 * rows);
  double extent = 0.0, travel = 0.0;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float* x = nodes.f4.data() + 3 * count * row + axis;
      double sum = 0.0;
      for (std::size_t i = 0; i < count; ++i) sum += x[3 * i];
      const double mean = sum / static_cast<double>(count);
      if (!std::isfinite(mean)) return {};
      origin[3 * row + axis] = static_cast<float>(mean);
      travel = std::max(travel, std::abs(mean - origin[axis]));
      for (std::size_t i = 0; row == 0 && i < count; ++i) extent = std::max(extent, std::abs(x[3 * i] - mean));
    }
  return travel > 2.0 * extent ? origin : std::vector<float>{};
}

// Nodes and poses of bodies, both about the origin.
void put_places(Json& json, const ReportRun& run, ArrayPack& pack, bool compact) {
  const ReportArray &nodes = run.nodes, &bodies = run.bodies;
  std::vector<float> origin = compact ? moving_origin(nodes) : std::vector<float>{};
  if (origin.empty()) {
    if (!nodes.empty()) json["nodes"] = pack.enter(nodes, compact);
    if (!bodies.empty()) json["bodies"] = pack.enter(bodies, compact);
    return;
  }
  ReportArray about = nodes, poses = bodies;
  const std::size_t rows = nodes.shape[0], width = 3 * nodes.shape[1];
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < width; ++i) about.f4[row * width + i] -= origin[3 * row + i % 3];
  for (std::size_t i = 0; i < poses.f4.size(); ++i)
    if (const std::size_t column = i % 7; column < 3) poses.f4[i] -= origin[3 * (i / (7 * bodies.shape[1])) + column];
  if (!bodies.empty()) json["bodies"] = pack.enter(std::move(poses), compact);
  // The origin itself stays as it is.
  const std::vector<double> exact(origin.begin(), origin.end());
  json["origin"] = pack.enter(report_array(exact, {rows, 3}));
  json["nodes"] = pack.enter(std::move(about), compact);
}

Json run_json(const ReportRun& run, ArrayPack& pack, bool compact) {
  Json json;
  json["label"] = run.label;
  const auto put = [&](const char* key, const ReportArray& array) {
    if (!array.empty()) json[key] = pack.enter(array, compact);
  };
  const auto put_channels = [&](const char* key, const std::optional<ReportChannels>& channels) {
    if (channels)
      json[key] = {{"names", channels->names}, {"unit", channels->unit}, {"values", pack.enter(channels->values)}};
  };
  put("t", run.t);
  put_places(json, run, pack, compact);
  put("tensions", run.tensions);
  put("lengths", run.lengths);
  put("rest_lengths", run.rest_lengths);
  put("bar_forces", run.bar_forces);
  put("energy", run.energy);
  put("constraint_error", run.constraint_error);
  put("contact_forces", run.contact_forces);
  if (!run.support_forces.empty()) json["support_nodes"] = run.support_nodes;
  put("support_forces", run.support_forces);
  put("frames", run.frames);
  put_channels("inputs", run.inputs);
  put_channels("targets", run.targets);
  for (const SlackEvent& event : run.slack_events)
    json["slack_events"].push_back(
        {{"time", event.time}, {"cable", event.cable}, {"kind", event.taut ? "taut" : "slack"}});
  return json;
}

Json mode_json(const ReportMode& mode, ArrayPack& pack) {
  Json json{{"label", mode.label},
            {"frequency_hz", mode.frequency_hz},
            {"damping_ratio", mode.damping_ratio},
            {"shape", pack.enter(mode.shape)}};
  if (!mode.bodies.empty()) json["bodies"] = pack.enter(mode.bodies);
  return json;
}

Json plot_json(const ReportPlot& plot, ArrayPack& pack) {
  Json json{{"title", plot.title}, {"x_label", plot.x_label}, {"y_label", plot.y_label},
            {"x_log", plot.x_log}, {"y_log", plot.y_log},     {"time", plot.time}};
  json["series"] = Json::array();
  for (const ReportSeries& series : plot.series)
    json["series"].push_back({{"name", series.name},
                              {"x", pack.enter(series.x)},
                              {"y", pack.enter(series.y)},
                              {"style", series.style},
                              {"published", series.published}});
  return json;
}

Json document_of(const Report& report, ArrayPack& pack, bool compact) {
  Json json;
  json["format"] = 1;
  json["generator"] = program_version();
  json["title"] = report.title;
  json["subtitle"] = report.subtitle;
  json["kind"] = report.kind;
  if (report.structure) json["structure"] = structure_json(*report.structure, pack);
  for (const char* key : {"runs", "modes", "plots", "tables"}) json[key] = Json::array();
  for (const ReportRun& run : report.runs) json["runs"].push_back(run_json(run, pack, compact));
  for (const ReportMode& mode : report.modes) json["modes"].push_back(mode_json(mode, pack));
  for (const ReportPlot& plot : report.plots) json["plots"].push_back(plot_json(plot, pack));
  for (const ReportTable& table : report.tables) {
    Json entry{{"title", table.title}, {"rows", table.rows}};
    if (!table.columns.empty()) entry["columns"] = table.columns;
    json["tables"].push_back(std::move(entry));
  }
  json["warnings"] = report.warnings;
  json["notes"] = report.notes;
  return json;
}

std::size_t float_bytes(const Report& report) {
  std::size_t count = 0;
  for (const ReportRun& run : report.runs)
    for (const ReportArray* array : {&run.nodes, &run.tensions, &run.lengths, &run.rest_lengths, &run.bar_forces,
                                     &run.contact_forces, &run.support_forces, &run.bodies, &run.frames})
      count += array->f4.size();
  return sizeof(float) * count;
}

}  // namespace

ReportStructure describe(Model model) {
  std::vector<ReportPlate> plates;
  for (const Body& body : model.bodies)
    if (!body.outline.empty()) plates.push_back({body.name, body.outline});
  const Picture picture(model);
  picture.add_to(model);
  const BodyPicture& drawn = picture.bodies();
  return {std::move(model), std::move(plates), drawn.bodies, drawn.solids, drawn.pulleys};
}

void write_report(const Report& report, const ReportSink& sink, std::string_view page) {
  const bool compact = float_bytes(report) > compact_above;
  ArrayPack pack;
  const Json document = document_of(report, pack, compact);
  write_document(document, pack, sink, page);
}

}  // namespace taut
