// A vector of doubles on 64-byte boundaries, so that packs of four and eight load without splitting lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace taut {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

using AlignedDoubles = std::vector<double, AlignedAllocator<double>>;

}  // namespace taut
