#include "bench/lane_probe_body.h"

namespace taut::bench {

const ProbeUnit probe_avx512 = {"avx512", 8, 16, advance<double, 8>, advance<float, 16>};

}  // namespace taut::bench
