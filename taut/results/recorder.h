// A recorder sees samples as they come and the summary at the end. Files are written aside and renamed in
// finish(), so that a result is whole or absent; a recorder destroyed without finish() removes what it wrote.
#pragma once

#include <string>

#include "taut/model/scenario.h"
#include "taut/results/sample.h"
#include "taut/results/summary.h"

namespace taut {

class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void begin(const Scenario& scenario) = 0;
  virtual void sample(const Sample& sample) = 0;
  // A row of another run that is compared with this one, after the rows of this one; `name` tells them apart.
  virtual void other(const std::string& /*name*/, const Sample& /*sample*/) {}
  virtual void finish(const Summary& summary) = 0;
};

}  // namespace taut
