// A card: one thread per robot. The driver's primary context is used, which the frameworks of one process share.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "taut/base/error.h"
#include "taut/batch/backend.h"
#include "taut/batch/cuda/compile.h"
#include "taut/batch/cuda/driver.h"
#include "taut/batch/cuda/source.h"

namespace taut::batch {

namespace {

using Address = unsigned long long;

Address address_of(const void* memory) { return reinterpret_cast<Address>(memory); }

// The driver's names of what is asked for here.
enum DeviceAttribute {
  shared_of_multiprocessor = 81,
  capability_major = 75,
  capability_minor = 76,
  shared_of_block = 97
};
constexpr int dynamic_shared_of_function = 8;

// The card's context is the thread's while one of these lives.
class InContext {
 public:
  InContext(const cuda::Driver& driver, void* context) : driver_(driver) {
    cuda::check(driver, driver.push_context(context), "entering the card's context");
  }
  ~InContext() {
    void* context = nullptr;
    driver_.pop_context(&context);
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  const cuda::Driver& driver_;
};

// A model's kernel on the card.
struct Built {
  Plan plan;
  std::vector<int> varied;
  CardKernel kernel;
  void *module = nullptr, *function = nullptr;
  Address heights = 0;

  bool fits(const Plan& other, const std::vector<int>& others, const CardKernel& asked) const {
    return kernel == asked && plan.same_shape(other) && plan.commands == other.commands &&
           plan.numbers == other.numbers && varied == others;
  }
};

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(const BatchOptions& options)
      : driver_(cuda::driver()), single_(options.precision == Precision::single_precision), threads_(options.threads) {
    int count = 0;
    cuda::check(driver_, driver_.device_count(&count), "counting cards");
    if (options.card < 0 || options.card >= count)
      throw InputError(count == 0
                           ? "batch: device \"cuda\": no card; device \"cpu\" runs on the processor"
                           : fmt::format("batch: card {}; this machine has {}, the first is 0", options.card, count));
    cuda::check(driver_, driver_.device(&device_, options.card), "opening the card");
    char name[128] = "";
    driver_.device_name(name, sizeof name, device_);
    name_ = name;
    capability_ = 10 * attribute(capability_major) + attribute(capability_minor);
    shared_ = attribute(shared_of_multiprocessor);
    shared_of_block_ = attribute(shared_of_block);
    cuda::check(driver_, driver_.retain_context(&context_, device_), "opening the card");
  }
  ~CudaBackend() override {
    {
      const InContext here(driver_, context_);
      for (const std::unique_ptr<Built>& one : built_) discard(*one);
    }
    driver_.release_context(device_);
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  std::string name() const override { return name_; }
  int threads() const override {
    return threads_ > 0 ? threads_ : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  long pack() const override { return 32; }
  std::size_t free_memory() const override {
    const InContext here(driver_, context_);
    std::size_t free = 0, all = 0;
    cuda::check(driver_, driver_.memory_info(&free, &all), "asking for free memory");
    return free;
  }
  bool on_card() const override { return true; }

  void* allocate(std::size_t bytes) override {
    const InContext here(driver_, context_);
    Address address = 0;
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    cuda::check(driver_, driver_.allocate(&address, size), "taking memory");
    cuda::check(driver_, driver_.fill(address, 0, size), "clearing memory");
    return reinterpret_cast<void*>(address);
  }
  void release(void* memory) override {
    const InContext here(driver_, context_);
    driver_.release(address_of(memory));
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    const InContext here(driver_, context_);
    cuda::check(driver_, driver_.upload(address_of(to), from, bytes), "copying to the card");
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    const InContext here(driver_, context_);
    cuda::check(driver_, driver_.download(to, address_of(from), bytes), "copying from the card");
  }

  void run(const Plan& plan, const LanesJob& job, long robots) override {
    const InContext here(driver_, context_);
    const Built& built = kernel_for(plan, job);
    const auto block = static_cast<unsigned>(built.kernel.block);
    const auto blocks = static_cast<unsigned>((robots + block - 1) / block);
    Crossing crossing = job;
    Address heights = built.heights;
    void* arguments[] = {&crossing, &heights, &robots};
    const int shared = shared_bytes(plan, built.kernel);
    cuda::check(driver_,
                driver_.launch(built.function, blocks, 1, 1, block, 1, 1, static_cast<unsigned>(shared), nullptr,
                               arguments, nullptr),
                "starting the kernel");
    cuda::check(driver_, driver_.synchronise(), "running the kernel");
  }

 private:
  int attribute(int which) const {
    int value = 0;
    cuda::check(driver_, driver_.device_attribute(&value, which, device_), "asking for the card's limits");
    return value;
  }

  const Built& kernel_for(const Plan& plan, const LanesJob& job) {
    const std::vector<int> varied(job.varied, job.varied + job.varied_count);
    const CardKernel wanted =
        choose_kernel(plan, single_, job.steps.h, job.tension != nullptr, std::min(shared_, shared_of_block_));
    for (const std::unique_ptr<Built>& one : built_)
      if (one->fits(plan, varied, wanted)) return *one;
    if (const long bytes = thread_bytes(plan, wanted); bytes > most_of_thread)
      throw InputError(
          fmt::format("batch: each robot of this model needs {} kB of a card's memory for its coupled bars, and a card "
                      "gives it {}: "
                      "device \"cpu\" takes it",
                      bytes / 1000, most_of_thread / 1000));
    auto made = std::make_unique<Built>(Built{plan, varied, wanted});
    load(*made);
    // A batch has few kernels at a time; a robot whose numbers are set again and again leaves old ones behind.
    if (built_.size() >= 8) {
      discard(*built_.front());
      built_.erase(built_.begin());
    }
    built_.push_back(std::move(made));
    return *built_.back();
  }

  void load(Built& built) {
    const std::string source = kernel_source(built.plan, built.varied, built.kernel);
    std::string code = cuda::compiled(source, capability_, single_);
    // What an older or newer driver left in the cache may not fit this one.
    if (driver_.load_module(&built.module, code.data()) != 0) {
      code = cuda::compiled_anew(source, capability_, single_);
      cuda::check(driver_, driver_.load_module(&built.module, code.data()), "loading the kernel");
    }
    cuda::check(driver_, driver_.function(&built.function, built.module, built.kernel.entry.c_str()),
                "finding the kernel");
    cuda::check(
        driver_,
        driver_.set_attribute(built.function, dynamic_shared_of_function, shared_bytes(built.plan, built.kernel)),
        "asking for shared memory");
    if (built.plan.heights.empty()) return;
    const std::size_t bytes = built.plan.heights.size() * sizeof(double);
    cuda::check(driver_, driver_.allocate(&built.heights, bytes), "taking memory for the ground");
    cuda::check(driver_, driver_.upload(built.heights, built.plan.heights.data(), bytes),
                "copying the ground to the card");
  }
  void discard(Built& built) const {
    if (built.heights != 0) driver_.release(built.heights);
    if (built.module != nullptr) driver_.unload_module(built.module);
  }

  const cuda::Driver& driver_;
  bool single_;
  int threads_, device_ = 0, capability_ = 0, shared_ = 0, shared_of_block_ = 0;
  void* context_ = nullptr;
  std::string name_;
  std::vector<std::unique_ptr<Built>> built_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const BatchOptions& options) {
  return std::make_unique<CudaBackend>(options);
}

}  // namespace taut::batch

int taut::card_count() {
  try {
    int count = 0;
    return batch::cuda::driver().device_count(&count) == 0 ? count : 0;
  } catch (const InputError&) {
    return 0;
  }
}
