#include <cstring>
#include <initializer_list>

#include "taut/batch/lanes/job.h"

namespace taut::batch {

extern const Lanes avx512_lanes, avx2_lanes, narrow_lanes, scalar_lanes;

namespace {

// Whether this machine has the unit.
bool has(const Lanes& lanes) {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (&lanes == &avx512_lanes)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
  if (&lanes == &avx2_lanes) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return true;
}

}  // namespace

const Lanes* lanes(const char* unit) {
  for (const Lanes* known : {
#ifdef __x86_64__
           &avx512_lanes, &avx2_lanes,
#endif
           &narrow_lanes, &scalar_lanes})
    if (has(*known) && (unit == nullptr || std::strcmp(unit, known->unit) == 0)) return known;
  return nullptr;
}

}  // namespace taut::batch
