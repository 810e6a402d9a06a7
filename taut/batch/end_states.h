// The states of all robots as files: a table for people and spreadsheets, HDF5 for programs.
//
//   end.csv  robot, a1.x, a1.y, a1.z, ... m; a1.vx, a1.vy, a1.vz, ... m/s; the values that vary; t, s; done
//   end.h5   nodes, velocities [robots, N, 3] m, m/s; t [robots] s; done [robots], by Done; varied [robots, K]
//
// In end.h5 `names` of nodes and velocities are those of the nodes, of varied the keys; `units`; on the root `format`,
// `version`, `model`. `done` of the table is a word: no, diverged, fallen, outside.
#pragma once

#include <string>
#include <vector>

#include "taut/batch/batch.h"
#include "taut/results/output_dir.h"

namespace taut::batch {

// Values of a key by which robots differ.
struct VariedValues {
  std::string key;
  std::vector<double> values;  // one for each robot
};

struct EndStates {
  std::string model;               // its name
  std::vector<std::string> nodes;  // names
  long robots = 0;
  std::vector<double> x, v;  // 3 per node, robot after robot, m and m/s
  std::vector<double> t;     // s
  std::vector<unsigned char> done;
  std::vector<VariedValues> varied;
};

EndStates end_states(const Batch& batch, std::vector<VariedValues> varied);

// Each finishes its file. They throw RunError when the disk does not take it.
void write_end_csv(OutputFile& file, const EndStates& states);
void write_end_hdf5(OutputFile& file, const EndStates& states);

}  // namespace taut::batch
