// run.h5: the rows of a run as HDF5 data sets, for Python, MATLAB, ParaView, and for taut itself (read_hdf5.h).
//
//   t [T] s                               nodes, velocities [T, N, 3] m, m/s    tensions [T, cables] N
//   lengths, rest_lengths [T, cables] m   bar_forces [T, bars] N                energy [T, 7] J
//   constraint_error [T] m                contact_forces [T, N, 3] N, support_forces [T, S, 3] N, where there are any
//                                         (S nodes with a fixed axis, in their order)
//   bar_lengths, bar_rest_lengths [T, driven bars] m, where actuators drive any
//   joints [T, columns] of joints and pulleys (joint_spec.h), where the model has any
//   controls [T, columns] of controllers that steer (control_names.h), where the model has any
//   frames [T, frames, 6] x, y, z, yaw, pitch, roll, m and rad, where the model has any
//   coordinates [T, numbers] q and v of the formulation, where they are not the positions and velocities of nodes
//   memory [T, numbers] what else a run goes on from (run/memory_row.h)
//   model      the model file with everything resolved, one text
//   summary    what summary.json says but for wall time and versions, one text
//
// Attributes: `units` on each array; `names` on nodes, tensions, bar_forces, bar_lengths and frames; `columns` on energy, joints,
// controls and frames; `relative_to` on frames (names, "world"); on the root `format` (hdf5_format), `version` (of
// taut), `model` (its name) and, once finished, `status`, `formulation`, `integrator`. All texts are UTF-8. The same
// run gives the same bytes.
//
// Rows gather in memory until they fill a chunk of their data set (256 KiB, or one row where that is more; never more
// rows than the run will have), so that memory stays bounded and each chunk is written once. Chunks are not compressed:
// doubles of a motion shrink by a quarter at best, and packing them took ten times as long as all the rest. (Rest
// lengths and the memory, which seldom change, are.)
#pragma once

#include <memory>
#include <string>

#include "taut/results/output_dir.h"
#include "taut/results/recorder.h"

namespace taut {

inline constexpr long hdf5_format = 1;  // grows when a reader of today would misread the file

class Hdf5Recorder : public Recorder {
 public:
  // Throws InputError if dir is not writable.
  explicit Hdf5Recorder(OutputDir& dir, const std::string& name = "run.h5");
  ~Hdf5Recorder() override;
  // These throw RunError ("cannot write x/run.h5: No space left on device").
  void begin(const Scenario& scenario) override;  // the scenario must outlive finish()
  void sample(const Sample& sample) override;
  void finish(const Summary& summary) override;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

std::string hdf5_version();

}  // namespace taut
