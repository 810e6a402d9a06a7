// Bytes as base64 text (RFC 4648), without line breaks.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace taut {

// Four characters for three bytes; '=' stands for what the last group lacks.
std::string base64(std::span<const std::byte> bytes);

}  // namespace taut
