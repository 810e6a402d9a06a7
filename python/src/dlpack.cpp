#include "python/src/dlpack.h"

#include <memory>

namespace taut::python {

namespace {

constexpr const char* fresh = "dltensor";
constexpr int on_processor = 1, on_cuda = 2;
constexpr std::uint8_t real = 2;

struct Device {
  std::int32_t kind, number;
};
struct Kind {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t dimensions;
  Kind kind;
  std::int64_t* shape;
  std::int64_t* steps;
  std::uint64_t offset;
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*release)(Managed* self);
};
static_assert(sizeof(Tensor) == 48 && sizeof(Managed) == 64, "as in dlpack.h, where pointers have 8 bytes");

// What a handed over array keeps alive.
struct Handed {
  Managed managed;
  std::vector<std::int64_t> shape, steps;
  py::object owner;
};

// Called from any thread, perhaps without the interpreter's lock.
void release(Managed* managed) {
  const py::gil_scoped_acquire held;
  delete static_cast<Handed*>(managed->context);
}

}  // namespace

int dlpack_kind(const DlpackArray& array) { return array.on_card ? on_cuda : on_processor; }

py::capsule dlpack_capsule(const DlpackArray& array, const py::object& /*stream*/) {
  auto handed = std::make_unique<Handed>();
  handed->shape.assign(array.shape.begin(), array.shape.end());
  handed->steps.assign(array.steps.begin(), array.steps.end());
  handed->owner = array.owner;
  Managed& managed = handed->managed;
  managed.tensor = {const_cast<void*>(array.data),
                    {dlpack_kind(array), 0},
                    static_cast<std::int32_t>(array.shape.size()),
                    {real, static_cast<std::uint8_t>(8 * array.size), 1},
                    handed->shape.data(),
                    handed->steps.data(),
                    0};
  managed.context = handed.get();
  managed.release = release;
  // One that nobody took still has its first name.
  PyObject* const capsule = PyCapsule_New(&managed, fresh, [](PyObject* self) {
    if (PyCapsule_IsValid(self, fresh) == 0) return;
    auto* const kept = static_cast<Managed*>(PyCapsule_GetPointer(self, fresh));
    kept->release(kept);
  });
  if (capsule == nullptr) throw py::error_already_set();
  handed.release();
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace taut::python
