// An elastic bar pulls and pushes by the law of a spring, T = EA (l - L0)/L0 up to its yield.
#pragma once

#include "taut/model/model.h"

namespace taut {

inline CableLaw law_of(const Bar& bar) {
  CableLaw law;
  law.kind = LawKind::spring;
  law.by_EA = true;
  law.stiffness = bar.EA;
  law.yield = bar.yield;
  law.hardening = bar.hardening;
  return law;
}

}  // namespace taut
