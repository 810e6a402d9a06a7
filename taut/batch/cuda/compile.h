// From source to code for one card, by NVRTC or from the cache.
#pragma once

#include <string>
#include <vector>

#include "taut/batch/cuda/driver.h"

namespace taut::batch::cuda {

// The flag for a card of that compute capability (90 for 9.0): its own machine code where the compiler knows the card, else
// the newest before it, which the driver translates. Throws InputError: the compiler knows only newer ones.
std::string architecture_flag(int capability, const std::vector<int>& known);

// Cubin, or PTX for the driver. Throws std::runtime_error with the compiler's words.
std::string compile(const Compiler& compiler, const std::string& source, int capability, bool single);

// The same by way of the cache; anew: what is there is not read but replaced.
std::string compiled(const std::string& source, int capability, bool single);
std::string compiled_anew(const std::string& source, int capability, bool single);

}  // namespace taut::batch::cuda
