// A report: what a command found, as data for the browser (docs/report-format.md). A command fills in the parts that it
// has; the page shows whatever is there.
//
//   Report report{.title = "3-bar prism", .kind = "modes"};
//   report.structure = describe(model);
//   report.modes.push_back({"1", 12.5, 0.02, report_array(shape, {nodes, 3})});
//   OutputFile file(dir, "report.html");
//   write_report(report, [&](std::string_view text) { file.append(text, 0.0); });
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/model/model.h"
#include "taut/results/summary.h"

namespace taut {

// Numbers with a shape, time first. One of the lists holds them: seven digits do for nearly everything. An array
// without a shape is absent.
struct ReportArray {
  std::vector<std::size_t> shape;
  std::vector<float> f4;
  std::vector<double> f8;

  bool empty() const { return shape.empty(); }
};
ReportArray report_array(std::vector<double> values, std::vector<std::size_t> shape = {});  // {}: one dimension
ReportArray report_array(std::vector<float> values, std::vector<std::size_t> shape = {});

struct ReportPlate {
  std::string name;
  std::vector<int> nodes;
};

// A shape in the frame of a body: cylinders and tubes stand along z.
struct ReportShape {
  BodyShape::Kind kind = BodyShape::Kind::none;
  std::vector<double> size;
  std::array<double, 3> at{};
  std::array<double, 4> rotation{1.0, 0.0, 0.0, 0.0};  // w, x, y, z
};

// Whatever moves by itself and is drawn, or carries what is drawn.
struct ReportBody {
  std::string name;
  ReportShape shape{};
  std::array<double, 7> pose{0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};  // at the start: position, quaternion
  bool clear = false;                                             // something inside shows through
  std::string color{};
};

// What rides on a body: the pin of a joint, an arm to a node.
struct ReportSolid {
  std::string name;                  // of the joint; of an arm: of the body
  std::optional<JointType> joint{};  // none: an arm
  int body = -1;                     // -1: fixed in space
  ReportShape shape{};
};

// A drum, and the cable that winds on it.
struct ReportPulley {
  struct Wheel {
    int body = -1;
    std::array<double, 3> at{};
    double radius = 0.0;
  };
  std::string name;
  Wheel wheel{};
  std::array<double, 3> axis{0.0, 0.0, 1.0};  // along × outward where the cable leaves, in the frame of the body
  double width = 0.0;
  int cable = -1;                 // index; its path has only the node where it ends
  std::optional<Wheel> second{};  // where it ends else
  bool crossed = false;
  double length = 0.0;  // of the whole cable, m; 0: more than is ever unwound
};

struct ReportStructure {
  Model model;  // nodes, bars, cables, loads, frames, gravity, ground
  std::vector<ReportPlate> plates;
  std::vector<ReportBody> bodies{};
  std::vector<ReportSolid> solids{};
  std::vector<ReportPulley> pulleys{};
};
ReportStructure describe(Model model);  // bodies with an outline are plates; cables of pulleys come after the others

// Named columns over the time of a run.
struct ReportChannels {
  std::vector<std::string> names;
  std::string unit;
  ReportArray values;  // [T, names]
};

// A motion. N nodes, S of them with a fixed axis. Units as in Sample.
struct ReportRun {
  std::string label;
  ReportArray t;                   // [T] s
  ReportArray nodes;               // [T, N, 3] m
  ReportArray tensions, lengths;   // [T, cables]
  ReportArray rest_lengths;        // [T, cables], where they change
  ReportArray bar_forces;          // [T, bars]
  ReportArray energy;              // [T, 7] J
  ReportArray constraint_error;    // [T] m
  ReportArray contact_forces;      // [T, N, 3] N
  std::vector<int> support_nodes;  // S indices
  ReportArray support_forces;      // [T, S, 3] N
  ReportArray bodies;              // [T, bodies, 7]
  ReportArray frames;              // [T, frames, 6]
  std::optional<ReportChannels> inputs, targets;
  std::vector<SlackEvent> slack_events;
};

struct ReportMode {
  std::string label;
  double frequency_hz = 0.0, damping_ratio = 0.0;
  ReportArray shape;     // [N, 3]
  ReportArray bodies{};  // [bodies, 6]: displacement of the position, rotation vector
};

struct ReportSeries {
  std::string name;
  ReportArray x, y;
  std::string style = "line";  // line | dashed | points
  bool published = false;      // points of the literature
};

struct ReportPlot {
  std::string title, x_label, y_label;
  bool x_log = false, y_log = false;
  bool time = false;  // the abscissa is the time of the runs
  std::vector<ReportSeries> series;
};

struct ReportTable {
  std::string title;
  std::vector<std::string> columns;  // empty: no heading
  std::vector<std::vector<std::string>> rows;
};

struct Report {
  std::string title, subtitle;
  std::string kind = "run";  // run | model | modes | form | sweep | reproduce
  std::optional<ReportStructure> structure;
  std::vector<ReportRun> runs;  // the first is the main one
  std::vector<ReportMode> modes;
  std::vector<ReportPlot> plots;
  std::vector<ReportTable> tables;  // the first is the summary
  std::vector<std::string> warnings, notes;
};

// The viewer's page with its mark for the data; empty where taut was built without it (TAUT_VIEWER=OFF).
std::string_view report_page();
inline bool reports_possible() { return !report_page().empty(); }
inline constexpr const char* no_viewer = "this taut was built without its viewer (cmake -DTAUT_VIEWER=ON)";

// The page with the report in it, piece by piece. Arrays of many rows are rounded to 16 bits per column when together
// they exceed 4 MB: a step of the column's range / 65534. Throws std::logic_error when `page` has no mark or the shape
// of an array does not fit its numbers, and what `sink` throws.
using ReportSink = std::function<void(std::string_view)>;
void write_report(const Report& report, const ReportSink& sink, std::string_view page = report_page());

}  // namespace taut
