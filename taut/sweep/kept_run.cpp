#include "taut/sweep/kept_run.h"

#include <optional>

#include "taut/base/error.h"
#include "taut/report/record_scene.h"
#include "taut/report/report.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/output_dir.h"
#include "taut/results/record_summary.h"

namespace taut {

struct KeptRun::Files {
  explicit Files(const std::filesystem::path& folder) : dir(folder), hdf5(dir), summary(dir) {
    if (reports_possible()) scene.emplace(dir, folder.filename().string());
  }
  OutputDir dir;
  Hdf5Recorder hdf5;
  std::optional<SceneRecorder> scene;
  SummaryRecorder summary;
};

KeptRun::KeptRun(const std::filesystem::path& folder, std::vector<Recorder*>& recorders) {
  try {
    files_ = std::make_unique<Files>(folder);
  } catch (const InputError& error) {
    throw RunError(0.0, error.what());  // it is not the run's values that are wrong
  }
  recorders.push_back(&files_->hdf5);
  if (files_->scene) recorders.push_back(&*files_->scene);
  recorders.push_back(&files_->summary);  // in place last: where it is, everything is
}

KeptRun::~KeptRun() = default;

void KeptRun::check() const {
  if (!files_->dir.failure().empty()) throw RunError(0.0, files_->dir.failure());
}

}  // namespace taut
