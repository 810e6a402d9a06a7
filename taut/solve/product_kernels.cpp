#include "taut/solve/product_kernels.h"

namespace Eigen::internal {
TAUT_PRODUCT_KERNELS()
}  // namespace Eigen::internal
