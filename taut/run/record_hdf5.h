// run.h5: the rows of a run as HDF5 data sets, for Python, MATLAB, ParaView.
//
//   t [T] s                      nodes, velocities [T, N, 3] m, m/s    tensions [T, cables] N
//   bar_forces [T, bars] N       energy [T, 7] J                       constraint_error [T] m
//
// Attributes: `units` on each; `names` on nodes, tensions and bar_forces; `columns` on energy; on the root `model` (its
// name), `version` (of taut) and, once finished, `status`, `formulation`, `integrator`. All texts are UTF-8.
//
// Rows gather in memory until they fill a chunk of their data set (256 KiB, or one row where that is more; never more
// rows than the run will have), so that memory stays bounded and each chunk is written once. Chunks are not compressed:
// doubles of a motion shrink by a quarter at best, and packing them took ten times as long as all the rest.
#pragma once

#include <memory>
#include <string>

#include "taut/run/output_dir.h"
#include "taut/run/recorder.h"

namespace taut {

class Hdf5Recorder : public Recorder {
 public:
  explicit Hdf5Recorder(OutputDir& dir);  // throws InputError if dir is not writable
  ~Hdf5Recorder() override;
  // These throw RunError ("cannot write x/run.h5: No space left on device").
  void begin(const Scenario& scenario) override;
  void sample(const Sample& sample) override;
  void finish(const Summary& summary) override;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

std::string hdf5_version();

}  // namespace taut
