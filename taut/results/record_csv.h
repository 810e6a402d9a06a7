// The rows of a run as text, 17 significant digits (which bring back the same number), SI units:
//
//   nodes.csv    t,a1.x,a1.y,a1.z,...
//   cables.csv   t,<cable>.tension,<cable>.length,...
//   energy.csv   t,kinetic,elastic,gravity,contact,dissipated,work,balance
//   rods.csv     t,<bar>.vx,<bar>.vy,<bar>.vz,<bar>.wx,<bar>.wy,<bar>.wz,...
//   joints.csv   t,<joint>.angle,<joint>.angle_rate,<joint>.torque,...   where there are joints or pulleys
//   controls.csv t,<controller>.<input>,<controller>.<target>.wanted,<controller>.<target>.error,...   where
//   controllers
//                steer
//   frames.csv   t,<frame>.x,<frame>.y,<frame>.z,<frame>.yaw,<frame>.pitch,<frame>.roll,...   where there are frames
//   driven_bars.csv t,<bar>.length,<bar>.rest_length,...   where actuators drive bars
//
// Of a bar with ends a, b and centre of mass at the part c from a to b: v = (1 - c) v_a + c v_b, and the rotation
// across its axis ω = (b - a) × (v_b - v_a)/|b - a|², rad/s (a bar may turn about its axis besides).
//
// A name with a comma, a quote or a line break is quoted as in RFC 4180.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "taut/base/text/csv.h"
#include "taut/results/output_dir.h"
#include "taut/results/recorder.h"

namespace taut {

class CsvRecorder : public Recorder {
 public:
  // The last four only where the model has what they tell of.
  static constexpr std::array<const char*, 8> file_names = {"nodes.csv",    "cables.csv",     "energy.csv",
                                                            "rods.csv",     "frames.csv",     "joints.csv",
                                                            "controls.csv", "driven_bars.csv"};

  CsvRecorder(OutputDir& dir, const Model& model);  // throws InputError if dir is not writable
  // These throw RunError.
  void begin(const Scenario& scenario) override;
  void sample(const Sample& sample) override;
  void finish(const Summary& summary) override;

 private:
  struct Table {
    Table(OutputDir& dir, const char* name) : file(dir, name) {}
    OutputFile file;
    Csv csv;  // rows not yet in the file
  };
  std::deque<Table> tables_;                                                               // in the order of file_names
  Table *frames_ = nullptr, *joints_ = nullptr, *controls_ = nullptr, *driven_ = nullptr;  // where there are any
  std::vector<Bar> bars_;
};

}  // namespace taut
