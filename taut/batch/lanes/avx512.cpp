#ifdef __x86_64__

#define TAUT_LANES lanes_avx512
#include "taut/batch/lanes/body.h"

namespace taut::batch {

extern const Lanes avx512_lanes;
const Lanes avx512_lanes = {"avx512", 8, 16, lanes_avx512::cross<double, taut::lanes_avx512::Pack<double, 8>>,
                            lanes_avx512::cross<float, taut::lanes_avx512::Pack<float, 16>>};

}  // namespace taut::batch

#endif
