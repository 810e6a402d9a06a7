// A run as one binary glTF 2.0 file (.glb) for Blender and others: bars and the pieces of cables as cylinders, moved by
// an animation of their translations, rotations and, where lengths change, scales. Cables are coloured by their mean
// tension, in eight steps from slack to the largest. Bodies are nodes of their own that carry their shapes, the pins of
// joints, drums, and what of a cable stays wound throughout. Names are those of the model. The file's y axis is up, as glTF
// has it; in the root node taut's own axes hold, with z up.
#pragma once

#include <cstddef>
#include <string>

#include "taut/results/run.h"

namespace taut {

// Every `every`-th row and the last. Throws InputError when the file would exceed 2 GB.
std::string glb(const Run& result, std::size_t every = 1);

// The smallest `every` that keeps the animation within `bytes`.
std::size_t gltf_stride(const Run& result, double bytes);

}  // namespace taut
