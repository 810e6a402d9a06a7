#include "taut/results/record_csv.h"

#include <Eigen/Geometry>

#include "taut/model/control_names.h"
#include "taut/results/columns.h"

namespace taut {
namespace {

constexpr std::size_t block = 64 * 1024;  // text is handed to the file in pieces of about this size

void add_heading(Csv& csv, const std::string& name, const char* part) { csv.cell(name + "." + part); }

}  // namespace

CsvRecorder::CsvRecorder(OutputDir& dir, const Model& model) {
  for (std::size_t i = 0; i < 4; ++i) tables_.emplace_back(dir, file_names[i]);
  if (!model.frames.empty()) frames_ = &tables_.emplace_back(dir, file_names[4]);
  if (has_joints(model)) joints_ = &tables_.emplace_back(dir, file_names[5]);
  if (!control_columns(model).empty()) controls_ = &tables_.emplace_back(dir, file_names[6]);
  if (!model.bar_drives.empty()) driven_ = &tables_.emplace_back(dir, file_names[7]);
}

void CsvRecorder::begin(const Scenario& scenario) {
  Table &nodes = tables_[0], &cables = tables_[1], &energy = tables_[2], &rods = tables_[3];
  for (Table& table : tables_) table.csv.cell("t");
  for (const Node& node : scenario.model.nodes)
    for (const char* axis : {"x", "y", "z"}) add_heading(nodes.csv, node.name, axis);
  for (const Cable& cable : scenario.model.cables)
    for (const char* what : {"tension", "length"}) add_heading(cables.csv, cable.name, what);
  for (const char* name : energy_names) energy.csv.cell(name);
  bars_ = scenario.model.bars;
  for (const Bar& bar : bars_)
    for (const char* what : {"vx", "vy", "vz", "wx", "wy", "wz"}) add_heading(rods.csv, bar.name, what);
  for (const Frame& frame : scenario.model.frames)
    for (const char* what : frame_names) add_heading(frames_->csv, frame.name, what);
  for (const std::string& column : joint_columns(scenario.model)) joints_->csv.cell(column);
  for (const std::string& column : control_columns(scenario.model)) controls_->csv.cell(column);
  for (const BarDrive& drive : scenario.model.bar_drives)
    for (const char* what : {"length", "rest_length"}) add_heading(driven_->csv, bars_[drive.bar].name, what);
  for (Table& table : tables_) table.csv.end_row();
}

void CsvRecorder::sample(const Sample& sample) {
  Table &nodes = tables_[0], &cables = tables_[1], &energy = tables_[2], &rods = tables_[3];
  for (Table& table : tables_) table.csv.cell(sample.t);
  for (const double x : sample.nodes) nodes.csv.cell(x);
  for (std::size_t i = 0; i < sample.tensions.size(); ++i) {
    cables.csv.cell(sample.tensions[i]);
    cables.csv.cell(sample.lengths[i]);
  }
  for (const double e : sample.energy) energy.csv.cell(e);
  for (const Bar& bar : bars_) {
    const auto at = [](const std::vector<double>& of, int node) { return Vec3(of.data() + 3 * node); };
    const Vec3 along = at(sample.nodes, bar.b) - at(sample.nodes, bar.a);
    const Vec3 va = at(sample.velocities, bar.a), vb = at(sample.velocities, bar.b);
    const Vec3 v = (1.0 - bar.com) * va + bar.com * vb, w = along.cross(vb - va) / along.squaredNorm();
    for (const Vec3& vector : {v, w})
      for (const double part : vector) rods.csv.cell(part);
  }
  for (const double number : sample.frames) frames_->csv.cell(number);
  for (const double number : sample.joints) joints_->csv.cell(number);
  if (controls_)
    for (const double number : sample.controls) controls_->csv.cell(number);
  for (std::size_t i = 0; i < sample.bar_lengths.size(); ++i) {
    driven_->csv.cell(sample.bar_lengths[i]);
    driven_->csv.cell(sample.bar_rest_lengths[i]);
  }
  for (Table& table : tables_) {
    table.csv.end_row();
    if (table.csv.text().size() < block) continue;
    table.file.append(table.csv.text(), sample.t);
    table.csv.clear();
  }
}

void CsvRecorder::finish(const Summary& summary) {
  for (Table& table : tables_) table.file.append(table.csv.text(), summary.simulated_s);
  for (Table& table : tables_) {
    table.csv.clear();
    table.file.finish(summary.simulated_s);
  }
}

}  // namespace taut
