#include "taut/sweep/draw/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "taut/sweep/draw/counter_random.h"
#include "taut/sweep/draw/permutation.h"
#include "taut/sweep/draw/sobol.h"

namespace taut {

namespace {

double latin_draw(const DrawPlan& plan, std::uint64_t run, std::uint32_t dimension) {
  const std::uint64_t part = permuted(run, plan.runs, plan.seed, dimension);
  // As many bits for the place inside the part as keep the sum exact and the quotient inside, with two to spare.
  const int bits = 50 - static_cast<int>(std::bit_width(plan.runs));
  const std::uint64_t random = random_bits(plan.seed, RandomStream::jitter, run, dimension) >> (64 - bits);
  const double place = std::ldexp(static_cast<double>(random) + 0.5, -bits);
  return (static_cast<double>(part) + place) / static_cast<double>(plan.runs);
}

double sobol_draw(const DrawPlan& plan, std::uint64_t run, int dimension) {
  if (plan.scramble == Scramble::none) return unit_from_bits(sobol_bits(run + 1, dimension));
  const std::uint64_t bits = sobol_bits(run, dimension);
  return unit_from_bits(plan.scramble == Scramble::shift ? digitally_shifted(bits, plan.seed, dimension)
                                                         : owen_scrambled(bits, plan.seed, dimension));
}

}  // namespace

std::string fault_of(const DrawPlan& plan) {
  if (plan.runs == 0) return "at least one run is needed";
  if (plan.runs > most_drawn_runs)
    return fmt::format("{} runs are too many: at most {} are possible", plan.runs, most_drawn_runs);
  if (plan.dimensions < 0) return "the number of drawn parameters must not be negative";
  if (plan.method == DrawMethod::sobol && plan.dimensions > sobol_dimensions)
    return fmt::format(
        "{} parameters are drawn: Sobol points have at most {} dimensions; use \"latin_hypercube\" or "
        "\"random\"",
        plan.dimensions, sobol_dimensions);
  return {};
}

double draw(const DrawPlan& plan, std::uint64_t run, int dimension) {
  const std::uint32_t d = static_cast<std::uint32_t>(dimension);
  switch (plan.method) {
    case DrawMethod::random:
      return unit_from_bits(random_bits(plan.seed, RandomStream::value, run, d));
    case DrawMethod::latin_hypercube:
      return latin_draw(plan, run, d);
    case DrawMethod::sobol:
      return sobol_draw(plan, run, dimension);
  }
  return 0.5;
}

std::uint64_t grid_runs(std::span<const std::uint64_t> lengths) {
  if (std::find(lengths.begin(), lengths.end(), 0) != lengths.end()) return 0;
  std::uint64_t runs = 1;
  for (const std::uint64_t length : lengths) {
    if (length > most_drawn_runs / runs) return most_drawn_runs + 1;
    runs *= length;
  }
  return runs;
}

std::uint64_t grid_entry(std::span<const std::uint64_t> lengths, std::uint64_t run, int dimension) {
  for (std::size_t faster = lengths.size() - 1; faster > static_cast<std::size_t>(dimension); --faster)
    run /= lengths[faster];
  return run % lengths[dimension];
}

}  // namespace taut
