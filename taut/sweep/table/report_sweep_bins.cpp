#include "taut/sweep/table/report_sweep_bins.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t finenesses[] = {100, 64, 48, 32, 24, 16};  // bins of a column
constexpr std::size_t first_means = 60;                          // means over two parameters that must find room

// Halves: the range itself may exceed what a double holds.
float part_of(const ColumnSurvey& survey, double value) {
  const double range = 0.5 * survey.high - 0.5 * survey.low;
  return range > 0.0 ? static_cast<float>((0.5 * value - 0.5 * survey.low) / range) : 0.0F;
}

}  // namespace

SweepBins::SweepBins(const std::vector<SweepColumn>& columns, const std::vector<ColumnSurvey>& surveys,
                     const std::vector<bool>& logs, std::size_t most_cells)
    : columns_(columns), surveys_(surveys), logs_(logs), place_(columns.size()), part_(columns.size()) {
  for (std::size_t c = 0; c < columns.size(); ++c) (columns[c].parameter ? parameters_ : records_).push_back(c);
  choose_bins(most_cells);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    counts_.emplace_back(bins_[c].size());
    lost_.emplace_back(columns[c].parameter ? bins_[c].size() : 0);
  }
  lay_out(most_cells);
}

void SweepBins::choose_bins(std::size_t most_cells) {
  for (const std::size_t fineness : finenesses) {
    bins_.clear();
    for (std::size_t c = 0; c < columns_.size(); ++c) bins_.push_back(make_bins(surveys_[c], logs_[c], fineness));
    std::size_t needed = 0, means = 0;
    for (std::size_t j = 0; j < parameters_.size(); ++j) {
      const std::size_t n = bins_[parameters_[j]].size();
      for (const std::size_t r : records_) needed += n * bins_[r].size();
      for (std::size_t i = 0; i < j && means < first_means; ++i, means += records_.size())
        needed += n * bins_[parameters_[i]].size() * records_.size();
    }
    if (needed <= most_cells) return;
  }
}

void SweepBins::lay_out(std::size_t most_cells) {
  std::size_t used = 0;
  const auto room_for = [&](std::size_t cells) {
    if (cells == 0 || used + cells > most_cells) return false;
    used += cells;
    return true;
  };
  for (const std::size_t y : records_)
    for (const std::size_t x : parameters_) {
      const std::size_t nx = bins_[x].size(), cells = nx * bins_[y].size();
      if (!room_for(cells)) continue;
      pairs_.push_back({x, y, std::vector<std::uint32_t>(cells), std::vector<double>(nx),
                        std::vector<float>(nx, INFINITY), std::vector<float>(nx, -INFINITY)});
    }
  for (std::size_t j = 0; j < parameters_.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      CellBins table{parameters_[i], parameters_[j], {}};
      const std::size_t cells = bins_[table.x].size() * bins_[table.y].size();
      for (const std::size_t r : records_)
        if (room_for(cells))
          table.records.push_back({r, std::vector<std::uint32_t>(cells), std::vector<double>(cells)});
      if (!table.records.empty()) cells_.push_back(std::move(table));
    }
}

void SweepBins::take(const std::vector<double>& values, int status) {
  const bool well = status != sweep_failed && status != sweep_refused;
  // Where each value lies.
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool there = std::isfinite(values[c]) && (well || columns_[c].parameter);
    place_[c] = there ? bins_[c].find(values[c]) : none;
    if (!there) continue;
    part_[c] = part_of(surveys_[c], values[c]);
    ++(well ? counts_ : lost_)[c][place_[c]];
  }
  if (!well) return;
  for (PairBins& pair : pairs_) {
    const std::size_t x = place_[pair.x], y = place_[pair.y];
    if (x == none || y == none) continue;
    const float part = part_[pair.y];
    ++pair.counts[x * bins_[pair.y].size() + y];
    pair.sums[x] += part;
    pair.least[x] = std::min(pair.least[x], part);
    pair.most[x] = std::max(pair.most[x], part);
  }
  for (CellBins& table : cells_) {
    const std::size_t x = place_[table.x], y = place_[table.y];
    if (x == none || y == none) continue;
    const std::size_t cell = x * bins_[table.y].size() + y;
    for (CellBins::Record& record : table.records) {
      if (place_[record.column] == none) continue;
      ++record.counts[cell];
      record.sums[cell] += part_[record.column];
    }
  }
}

}  // namespace taut
