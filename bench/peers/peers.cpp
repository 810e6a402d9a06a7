#include "bench/peers/peer.h"

namespace taut::bench {

std::vector<Peer> peers() {
  return {
#ifdef TAUT_HAVE_MUJOCO
      mujoco_tendons(),
      mujoco_callback(),
#endif
#ifdef TAUT_HAVE_BULLET
      bullet(),
#endif
#ifdef TAUT_HAVE_SIMBODY
      simbody(),
#endif
  };
}

}  // namespace taut::bench
