// A run as one binary glTF 2.0 file (.glb) for Blender and others: bars and the pieces of cables as cylinders, moved by
// an animation of their translations, rotations and, where lengths change, scales. Cables are coloured by their mean
// tension, in eight steps from slack to the largest. Names are those of the members. The file's y axis is up, as glTF
// has it; in the root node taut's own axes hold, with z up.
#pragma once

#include <cstddef>
#include <string>

#include "taut/run/run_result.h"

namespace taut {

// Every `every`-th row and the last. Throws InputError when the file would exceed 2 GB.
std::string glb(const RunResult& result, std::size_t every = 1);

// The smallest `every` that keeps the animation within `bytes`.
std::size_t gltf_stride(const RunResult& result, double bytes);

}  // namespace taut
