// Broad phase: which capsules (segments between nodes, with a radius) may come within a margin of each other. Their
// boxes go into the cells of a uniform grid, found by hashing, so that only capsules of one cell meet.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace taut {

struct Capsule {
  int a = 0, b = 0;  // nodes
  double radius = 0.0;
};

// Room that is kept between calls.
struct NearRoom {
  std::vector<double> boxes;               // 6 per capsule: low, high
  std::vector<std::int64_t> low, high;     // 3 per capsule: cells
  std::vector<int> start, count;           // per bucket
  std::vector<int> entries;                // capsules, bucket by bucket
  std::vector<std::pair<int, int>> pairs;  // the answer, first < second
  long box_tests = 0;                      // since the beginning
};

// Fills room.pairs with every pair whose boxes, grown by margin / 2 on every side, overlap; each once. x holds node
// positions with stride 4. Capsules that are not at finite places are left out.
void near_pairs(const std::vector<Capsule>& capsules, const double* x, double margin, NearRoom& room);

}  // namespace taut
