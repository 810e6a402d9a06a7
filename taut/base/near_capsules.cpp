#include "taut/base/near_capsules.h"

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// The longest box may span this many cells along an axis: bounds the work for one long capsule among short ones.
constexpr double most_cells = 8.0;
constexpr double farthest_cell = 1e9;

std::uint64_t hash(std::int64_t i, std::int64_t j, std::int64_t k) {
  std::uint64_t h = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
  h = (h ^ (h >> 29)) + static_cast<std::uint64_t>(j) * 0xBF58476D1CE4E5B9u;
  h = (h ^ (h >> 31)) + static_cast<std::uint64_t>(k) * 0x94D049BB133111EBu;
  return h ^ (h >> 32);
}

// Boxes of the capsules, and the size of a cell: the mean box, or more where one is much longer.
double make_boxes(const std::vector<Capsule>& capsules, const double* x, double margin, NearRoom& room) {
  double sum = 0.0, longest = 0.0;
  room.boxes.resize(6 * capsules.size());
  for (std::size_t i = 0; i < capsules.size(); ++i) {
    double extent = 0.0;
    const double reach = capsules[i].radius + 0.5 * margin;
    for (int axis = 0; axis < 3; ++axis) {
      const double a = x[4 * capsules[i].a + axis], b = x[4 * capsules[i].b + axis];
      room.boxes[6 * i + axis] = std::min(a, b) - reach;
      room.boxes[6 * i + 3 + axis] = std::max(a, b) + reach;
      extent = std::max(extent, std::abs(a - b) + 2.0 * reach);
    }
    if (!std::isfinite(extent)) continue;
    sum += extent;
    longest = std::max(longest, extent);
  }
  return std::max(sum / static_cast<double>(std::max<std::size_t>(1, capsules.size())), longest / most_cells);
}

bool overlap(const double* a, const double* b) {
  bool apart = false;
  for (int axis = 0; axis < 3; ++axis) apart |= a[axis] > b[3 + axis] || b[axis] > a[3 + axis];
  return !apart;
}

// Cells of every capsule; an empty range for one that is nowhere.
void find_cells(std::size_t n, double cell, NearRoom& room) {
  room.low.resize(3 * n);
  room.high.resize(3 * n);
  for (std::size_t i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const double from = std::floor(room.boxes[6 * i + axis] / cell),
                   to = std::floor(room.boxes[6 * i + 3 + axis] / cell);
      const bool placed = std::abs(from) < farthest_cell && std::abs(to) < farthest_cell;
      room.low[3 * i + axis] = placed ? static_cast<std::int64_t>(from) : 0;
      room.high[3 * i + axis] = placed ? static_cast<std::int64_t>(to) : -1;
    }
}

// Calls visit(bucket) for each cell of capsule i.
template <class Visit>
void each_cell(const NearRoom& room, int i, std::size_t buckets, Visit visit) {
  const std::int64_t *low = &room.low[3 * i], *high = &room.high[3 * i];
  for (std::int64_t cx = low[0]; cx <= high[0]; ++cx)
    for (std::int64_t cy = low[1]; cy <= high[1]; ++cy)
      for (std::int64_t cz = low[2]; cz <= high[2]; ++cz) visit(hash(cx, cy, cz) & (buckets - 1));
}

// Counting sort of the capsules into buckets; a capsule with two cells in one bucket stands there twice.
void sort_into_buckets(int n, std::size_t buckets, NearRoom& room) {
  room.start.assign(buckets + 1, 0);
  for (int i = 0; i < n; ++i) each_cell(room, i, buckets, [&](std::size_t bucket) { ++room.start[bucket + 1]; });
  for (std::size_t b = 0; b < buckets; ++b) room.start[b + 1] += room.start[b];
  room.entries.resize(room.start[buckets]);
  room.count.assign(buckets, 0);
  for (int i = 0; i < n; ++i)
    each_cell(room, i, buckets,
              [&](std::size_t bucket) { room.entries[room.start[bucket] + room.count[bucket]++] = i; });
}

// A pair belongs to the lowest cell that both share, so it is reported from one bucket only.
void pairs_in_bucket(std::size_t bucket, std::size_t buckets, NearRoom& room) {
  for (int e = room.start[bucket]; e < room.start[bucket + 1]; ++e) {
    const int i = room.entries[e];
    if (e > room.start[bucket] && room.entries[e - 1] == i) continue;
    for (int f = e + 1; f < room.start[bucket + 1]; ++f) {
      const int j = room.entries[f];
      if (j == i || room.entries[f - 1] == j) continue;
      ++room.box_tests;
      if (!overlap(&room.boxes[6 * i], &room.boxes[6 * j])) continue;
      const std::int64_t *a = &room.low[3 * i], *b = &room.low[3 * j];
      if ((hash(std::max(a[0], b[0]), std::max(a[1], b[1]), std::max(a[2], b[2])) & (buckets - 1)) == bucket)
        room.pairs.emplace_back(i, j);
    }
  }
}

}  // namespace

void near_pairs(const std::vector<Capsule>& capsules, const double* x, double margin, NearRoom& room) {
  room.pairs.clear();
  const double cell = make_boxes(capsules, x, margin, room);
  if (!(cell > 0.0) || !std::isfinite(cell)) return;
  find_cells(capsules.size(), cell, room);
  std::size_t buckets = 16;
  while (buckets < 4 * capsules.size()) buckets *= 2;
  sort_into_buckets(static_cast<int>(capsules.size()), buckets, room);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) pairs_in_bucket(bucket, buckets, room);
}

}  // namespace taut
