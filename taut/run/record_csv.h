// The rows of a run as text, 17 significant digits (which bring back the same number), SI units:
//
//   nodes.csv    t,a1.x,a1.y,a1.z,...
//   cables.csv   t,<cable>.tension,<cable>.length,...
//   energy.csv   t,kinetic,elastic,gravity,contact,dissipated,work,balance
//
// A name with a comma, a quote or a line break is quoted as in RFC 4180.
#pragma once

#include <array>
#include <string>

#include "taut/run/output_dir.h"
#include "taut/run/recorder.h"

namespace taut {

class CsvRecorder : public Recorder {
 public:
  static constexpr std::array<const char*, 3> file_names = {"nodes.csv", "cables.csv", "energy.csv"};

  explicit CsvRecorder(OutputDir& dir);  // throws InputError if dir is not writable
  // These throw RunError.
  void begin(const Scenario& scenario) override;
  void sample(const Sample& sample) override;
  void finish(const Summary& summary) override;

 private:
  struct Table {
    OutputFile file;
    std::string waiting;  // text not yet in the file
  };
  Table nodes_, cables_, energy_;
};

}  // namespace taut
