// Where a batch lives and who advances it: the processor (lanes/) or a card (cuda/). All arrays have a stride
// of robots; what one robot does never depends on another.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "taut/batch/batch.h"
#include "taut/batch/lanes/job.h"
#include "taut/batch/plan/plan.h"

namespace taut::batch {

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string name() const = 0;
  virtual int threads() const = 0;
  virtual long pack() const = 0;                // strides are multiples of this
  virtual std::size_t free_memory() const = 0;  // bytes
  virtual bool on_card() const = 0;

  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;

  // All pointers of the job but shape and numbers are this backend's memory; the tables of job.steps too. `plan` is that of
  // job.shape and stays the same for the same shape.
  virtual void run(const Plan& plan, const LanesJob& job, long robots) = 0;
};

// Throws InputError: a unit that this machine has not.
std::unique_ptr<Backend> make_lanes_backend(const BatchOptions& options);
// Throws InputError: no card, a driver that is too old.
std::unique_ptr<Backend> make_cuda_backend(const BatchOptions& options);

// Memory of a backend, released with it.
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(Backend& backend, std::size_t bytes)
      : backend_(&backend), data_(backend.allocate(bytes)), bytes_(bytes) {}
  ~DeviceArray() {
    if (data_ != nullptr) backend_->release(data_);
  }
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }
  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }
  void upload(const void* from) { backend_->upload(data_, from, bytes_); }
  void download(void* to) const { backend_->download(to, data_, bytes_); }

 private:
  void swap(DeviceArray& other) {
    std::swap(backend_, other.backend_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  Backend* backend_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace taut::batch
