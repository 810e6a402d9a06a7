// Names of the values of an enumeration, listed in their order.
#pragma once

#include <cstddef>

namespace taut {

// enum_name<Fruit::pear>(fruit, {"apple", "pear"}): a name for every value from the first to `last`.
template <auto last, std::size_t count>
constexpr const char* enum_name(decltype(last) value, const char* const (&names)[count]) {
  static_assert(count == static_cast<std::size_t>(last) + 1);
  return value <= last ? names[static_cast<std::size_t>(value)] : "?";
}

}  // namespace taut
