// Draws of a sweep: a number in (0, 1) for each run and each parameter that is drawn (a dimension). Every one is a pure
// function of the plan, the run and the dimension: runs can be computed in any order, on any machine, again after a
// break, and nothing is kept whose size depends on the number of runs. Distribution::quantile turns it into a value.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace taut {

enum class DrawMethod {
  random,           // independent; more runs later leave the first ones as they are
  latin_hypercube,  // every one of `runs` equal parts of each dimension once, at a random place inside it
  sobol,            // Sobol points; best for powers of two; more runs later leave the first ones as they are
};

// What the seed does to Sobol points.
enum class Scramble {
  none,   // nothing: the plain sequence, without its point 0, which is the corner of the cube
  shift,  // the same random bits are flipped in all points
  owen,   // nested random flips
};

struct DrawPlan {
  DrawMethod method = DrawMethod::random;
  Scramble scramble = Scramble::owen;
  std::uint64_t seed = 0;
  std::uint64_t runs = 1;
  int dimensions = 1;
};

inline constexpr std::uint64_t most_drawn_runs = std::uint64_t{1} << 40;

// What is wrong with a plan: no runs or too many, more dimensions than there are Sobol numbers for; empty if nothing
// is.
std::string fault_of(const DrawPlan& plan);

// In (0, 1), for run < plan.runs and 0 <= dimension < plan.dimensions of a plan without a fault.
double draw(const DrawPlan& plan, std::uint64_t run, int dimension);

// Full factorial over lists of the given lengths, the last one fastest: how many runs that makes (0 when a list is
// empty, most_drawn_runs + 1 when there are more than most_drawn_runs) and which entry of list `dimension` a run takes.
std::uint64_t grid_runs(std::span<const std::uint64_t> lengths);
std::uint64_t grid_entry(std::span<const std::uint64_t> lengths, std::uint64_t run, int dimension);

}  // namespace taut
