// What the methods of `taut form` share.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "apps/taut/text_file.h"
#include "taut/analysis/relax.h"
#include "taut/model/scenario.h"

namespace taut {

struct FormOptions {
  std::string file, method = "relax", output;
  std::vector<std::string> set;
  long steps = RelaxOptions{}.steps;
  double tolerance = RelaxOptions{}.tolerance;
  double reach = 0.0;          // m; 0: the method's own
  double least_tension = 0.0;  // N
  bool json = false;
};

// One line on a terminal that says how far it is; nothing elsewhere.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void operator()(long steps, double residual);

 private:
  bool live_, drawn_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
};

int form_prestress(const FormOptions& options, Scenario& scenario, TextFile& file, const std::string& output);

}  // namespace taut
