#include "taut/base/error.h"
#include "taut/batch/backend.h"

namespace taut::batch {

std::unique_ptr<Backend> make_cuda_backend(const BatchOptions&) {
  throw InputError("batch: device \"cuda\": not built yet");
}

}  // namespace taut::batch
