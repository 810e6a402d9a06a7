// Which bodies of a machine are connected, the ground among them.
#pragma once

#include "taut/base/connected.h"
#include "taut/formulation/multibody/system/machine.h"

namespace taut::multibody {

class ConnectedBodies {
 public:
  explicit ConnectedBodies(std::size_t bodies) : all_(bodies + 1) {}

  bool joined(int a, int b) { return all_.joined(number(a), number(b)); }
  bool join(int a, int b) { return all_.join(number(a), number(b)); }  // false: they already were

 private:
  static int number(int body) { return body - ground; }  // the ground is -1

  Connected all_;
};

}  // namespace taut::multibody
