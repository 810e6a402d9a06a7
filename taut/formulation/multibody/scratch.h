// The multibody formulation's part of Terms: empty for all others, copied with its contents.
#pragma once

#include <memory>

namespace taut::multibody {

struct SystemTerms;

class Scratch {
 public:
  Scratch();
  explicit Scratch(SystemTerms terms);
  Scratch(const Scratch& other);
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(const Scratch& other);
  Scratch& operator=(Scratch&&) noexcept;
  ~Scratch();

  SystemTerms& operator*() { return *terms_; }
  const SystemTerms& operator*() const { return *terms_; }

 private:
  std::unique_ptr<SystemTerms> terms_;
};

}  // namespace taut::multibody
