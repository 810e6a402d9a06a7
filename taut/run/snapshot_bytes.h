// A snapshot as bytes, to be kept in a file or sent to another process of the same build. All of it, to the last bit:
//
//   "taut" | format, 4 bytes | FNV-1a of what follows, 8 bytes | every field in the order of its struct
//
// Numbers are as the processor has them (little endian on all that taut runs on).
#pragma once

#include <string>
#include <string_view>

#include "taut/run/simulation.h"

namespace taut {

std::string bytes_of(const Snapshot& snapshot);
// Throws InputError: bytes that are no snapshot, of another format, or damaged.
Snapshot snapshot_of(std::string_view bytes);

}  // namespace taut
