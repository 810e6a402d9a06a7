// Arrays for other libraries without a copy, by DLPack: the C structures of its version 0.8, in which an array is handed over
// as a capsule named "dltensor". Who takes it renames the capsule and calls the deleter when done.
#pragma once

#include <cstdint>

#include "python/src/bindings.h"

namespace taut::python {

// Lies in memory that `owner` keeps; `steps` in numbers, not bytes.
struct DlpackArray {
  const void* data;
  bool on_card;
  std::size_t size;  // bytes of a number: 4 or 8
  std::vector<py::ssize_t> shape, steps;
  py::object owner;
};

int dlpack_kind(const DlpackArray& array);  // of the device
// All work on the array is done when this returns, whatever the stream.
py::capsule dlpack_capsule(const DlpackArray& array, const py::object& stream);

}  // namespace taut::python
