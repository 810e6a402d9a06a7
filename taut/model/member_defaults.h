// What a member is taken to have when the file does not say: used by the reader, and by the writer to know what
// need not be written.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace taut {

// A slender uniform rod about its centre, m L²/12 (kg m²).
inline double default_inertia(double mass, double length) { return mass * length * length / 12.0; }

// A solid cylinder about its axis, m r²/2 (kg m²): of bars with nodes attached, others are thin.
inline double default_axial_inertia(double mass, double radius) { return 0.5 * mass * radius * radius; }

// Default names of bars and cables: the node names joined by "-", with "-2", "-3", ... after a repeat.
class DefaultNames {
 public:
  explicit DefaultNames(size_t members) { used_.reserve(members); }
  // A name that some member was given by hand; no default will be equal to it.
  void reserve(std::string_view name) { used_.emplace(name); }
  // The default for a member whose joined node names are `joined`.
  std::string take(const std::string& joined);

 private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> next_;  // the number to try next, by joined names
};

}  // namespace taut
