#ifdef __x86_64__

#define TAUT_LANES lanes_avx2
#include "taut/batch/lanes/body.h"

namespace taut::batch {

extern const Lanes avx2_lanes;
const Lanes avx2_lanes = {"avx2", 4, 8, lanes_avx2::cross<double, taut::lanes_avx2::Pack<double, 4>>,
                          lanes_avx2::cross<float, taut::lanes_avx2::Pack<float, 8>>};

}  // namespace taut::batch

#endif
