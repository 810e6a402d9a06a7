#include "bench/lane_probe_body.h"

namespace taut::bench {

const ProbeUnit probe_avx2 = {"avx2", 4, 8, advance<double, 4>, advance<float, 8>};

}  // namespace taut::bench
