// A large table of a sweep, counted in bins: what its plots are drawn from. Values are kept as parts of the range of
// their column, part = (value - low) / (high - low), so that single precision does for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "taut/sweep/table/report_sweep.h"
#include "taut/sweep/table/report_sweep_columns.h"

namespace taut {

// Record y against parameter x.
struct PairBins {
  std::size_t x = 0, y = 0;           // columns
  std::vector<std::uint32_t> counts;  // [bins of x, bins of y]
  std::vector<double> sums;           // [bins of x], of the parts of y
  std::vector<float> least, most;     // [bins of x], parts of y
};

// Every record over two parameters.
struct CellBins {
  struct Record {
    std::size_t column = 0;
    std::vector<std::uint32_t> counts;  // [bins of x, bins of y]
    std::vector<double> sums;           // parts of the record
  };
  std::size_t x = 0, y = 0;
  std::vector<Record> records;
};

class SweepBins {
 public:
  // Bins as fine as keeps all pairs and the first means over two parameters within `most_cells` numbers, 100 to 16 a
  // column. What then finds no room is left out, from the end of the table.
  SweepBins(const std::vector<SweepColumn>& columns, const std::vector<ColumnSurvey>& surveys,
            const std::vector<bool>& logs, std::size_t most_cells);

  void take(const std::vector<double>& values, int status);

  const std::vector<ColumnBins>& columns() const { return bins_; }
  const std::vector<std::vector<std::uint32_t>>& counts() const {
    return counts_;
  }                                                                              // per column, of rows that ended well
  const std::vector<std::vector<std::uint32_t>>& lost() const { return lost_; }  // per parameter, of the others
  const std::vector<PairBins>& pairs() const { return pairs_; }
  const std::vector<CellBins>& cells() const { return cells_; }

 private:
  void choose_bins(std::size_t most_cells);
  void lay_out(std::size_t most_cells);

  const std::vector<SweepColumn>& columns_;
  const std::vector<ColumnSurvey>& surveys_;
  const std::vector<bool>& logs_;
  std::vector<std::size_t> parameters_, records_;
  std::vector<ColumnBins> bins_;
  std::vector<std::vector<std::uint32_t>> counts_, lost_;
  std::vector<PairBins> pairs_;
  std::vector<CellBins> cells_;
  std::vector<std::size_t> place_;  // of the row at hand, per column: its bin, or `none`
  std::vector<float> part_;
};

}  // namespace taut
