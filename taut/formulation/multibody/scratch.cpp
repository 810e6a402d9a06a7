#include "taut/formulation/multibody/scratch.h"

#include "taut/formulation/multibody/system.h"

namespace taut::multibody {

Scratch::Scratch() = default;
Scratch::Scratch(SystemTerms terms) : terms_(std::make_unique<SystemTerms>(std::move(terms))) {}
Scratch::Scratch(const Scratch& other)
    : terms_(other.terms_ ? std::make_unique<SystemTerms>(*other.terms_) : nullptr) {}
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(const Scratch& other) { return *this = Scratch(other); }
Scratch& Scratch::operator=(Scratch&&) noexcept = default;
Scratch::~Scratch() = default;

}  // namespace taut::multibody
