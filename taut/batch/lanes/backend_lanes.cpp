// The processor: packs of robots on threads.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "taut/base/error.h"
#include "taut/batch/backend.h"

namespace taut::batch {

namespace {

// Bytes that may be had without swapping; what the system does not tell counts as a lot.
std::size_t available_memory() {
  std::size_t available = std::size_t{1} << 62;
  if (std::FILE* file = std::fopen("/proc/meminfo", "r")) {
    char line[256];
    unsigned long kilobytes = 0;
    while (std::fgets(line, sizeof line, file) != nullptr)
      if (std::sscanf(line, "MemAvailable: %lu kB", &kilobytes) == 1) available = std::size_t{kilobytes} * 1024;
    std::fclose(file);
  }
  return available;
}

class LanesBackend final : public Backend {
 public:
  explicit LanesBackend(const BatchOptions& options)
      : lanes_(lanes(options.unit.empty() ? nullptr : options.unit.c_str())),
        single_(options.precision == Precision::single_precision),
        threads_(options.threads > 0 ? options.threads
                                     : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
    if (lanes_ == nullptr)
      throw InputError(fmt::format(
          "this processor has no vector unit \"{}\"; expected one of avx512, avx2, narrow, scalar that it has, or none",
          options.unit));
  }

  std::string name() const override { return fmt::format("cpu ({}, {} lanes)", lanes_->unit, width()); }
  int threads() const override { return threads_; }
  long pack() const override { return 16; }
  std::size_t free_memory() const override { return available_memory(); }
  bool on_card() const override { return false; }

  void* allocate(std::size_t bytes) override {
    void* const memory = ::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{64});
    std::memset(memory, 0, bytes);
    return memory;
  }
  void release(void* memory) override { ::operator delete (memory, std::align_val_t{64}); }
  void upload(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }

  void run(const Plan&, const LanesJob& job, long robots) override {
    const LanesFunction cross = single_ ? lanes_->in_single : lanes_->in_double;
    const long packs = (robots + width() - 1) / width(), crew = std::min<long>(threads_, packs);
    std::vector<std::jthread> others;
    const auto share = [&](long k) { return packs * k / crew * width(); };
    for (long k = 1; k < crew; ++k)
      others.emplace_back([&, k] { cross(job, share(k), std::min(share(k + 1), job.stride)); });
    cross(job, 0, share(1));
  }

 private:
  long width() const { return single_ ? lanes_->width_single : lanes_->width_double; }

  const Lanes* lanes_;
  bool single_;
  int threads_;
};

}  // namespace

std::unique_ptr<Backend> make_lanes_backend(const BatchOptions& options) {
  return std::make_unique<LanesBackend>(options);
}

}  // namespace taut::batch
