// HDF5 identifiers that close themselves, and HDF5 kept to one thread at a time and from printing.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace taut {

// An HDF5 identifier with the function that closes it.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

// Whoever calls HDF5 holds it. HDF5 may have a lock of its own, but that one does not serve who copies the process to read
// in the copy: made while another thread was in HDF5, the copy would wait for that thread for ever.
inline std::recursive_mutex& hdf5_lock() {
  static std::recursive_mutex mutex;
  return mutex;
}

// Holds the lock, and keeps HDF5 from printing its own errors, while in scope.
class Hdf5Quiet {
 public:
  Hdf5Quiet() : alone_(hdf5_lock()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Hdf5Quiet(const Hdf5Quiet&) = delete;
  Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> alone_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// What HDF5 says went wrong, in its innermost words.
inline std::string hdf5_error() {
  std::string text = "unknown error";
  const auto first = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    *static_cast<std::string*>(to) = error->desc;
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &text);
  return text;
}

}  // namespace taut
