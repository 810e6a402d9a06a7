// The whole result of one run of a sweep, as `taut run` writes it.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "taut/results/recorder.h"

namespace taut {

class KeptRun {
 public:
  // Adds its recorders. Throws RunError when the folder cannot be made.
  KeptRun(const std::filesystem::path& folder, std::vector<Recorder*>& recorders);
  ~KeptRun();
  KeptRun(const KeptRun&) = delete;
  KeptRun& operator=(const KeptRun&) = delete;

  void check() const;  // throws RunError when the disk has not taken it

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace taut
