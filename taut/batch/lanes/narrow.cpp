#define TAUT_LANES lanes_narrow
#include "taut/batch/lanes/body.h"

namespace taut::batch {

extern const Lanes narrow_lanes;
const Lanes narrow_lanes = {"narrow", 2, 4, lanes_narrow::cross<double, taut::lanes_narrow::Pack<double, 2>>,
                            lanes_narrow::cross<float, taut::lanes_narrow::Pack<float, 4>>};

}  // namespace taut::batch
