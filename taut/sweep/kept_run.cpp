#include "taut/sweep/kept_run.h"

#include <mutex>
#include <optional>

#include "taut/base/error.h"
#include "taut/report/record_scene.h"
#include "taut/report/report.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/output_dir.h"
#include "taut/results/record_summary.h"

namespace taut {

namespace {

// HDF5 serves one thread at a time.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

class LockedHdf5 : public Recorder {
 public:
  explicit LockedHdf5(OutputDir& dir) {
    const std::lock_guard lock(one_at_a_time());
    inner_.emplace(dir);
  }
  ~LockedHdf5() override {
    const std::lock_guard lock(one_at_a_time());
    inner_.reset();
  }
  LockedHdf5(const LockedHdf5&) = delete;
  LockedHdf5& operator=(const LockedHdf5&) = delete;
  void begin(const Scenario& scenario) override {
    const std::lock_guard lock(one_at_a_time());
    inner_->begin(scenario);
  }
  void sample(const Sample& sample) override {
    const std::lock_guard lock(one_at_a_time());
    inner_->sample(sample);
  }
  void other(const std::string& name, const Sample& sample) override {
    const std::lock_guard lock(one_at_a_time());
    inner_->other(name, sample);
  }
  void finish(const Summary& summary) override {
    const std::lock_guard lock(one_at_a_time());
    inner_->finish(summary);
  }

 private:
  std::optional<Hdf5Recorder> inner_;
};

}  // namespace

struct KeptRun::Files {
  explicit Files(const std::filesystem::path& folder) : dir(folder), hdf5(dir), summary(dir) {
    if (reports_possible()) scene.emplace(dir, folder.filename().string());
  }
  OutputDir dir;
  LockedHdf5 hdf5;
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
