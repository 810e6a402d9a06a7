#include "taut/solve/sparse/sparse_lu.h"

#include <suitesparse/klu.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "taut/base/stop.h"
#include "taut/solve/sparse/pattern_memory.h"

namespace taut {

struct SparseLu::Content {
  int size = 0;
  std::vector<int> start, row, place;
  std::vector<double> values;
  klu_common common{};
  std::shared_ptr<klu_symbolic> symbolic;  // other matrices of the same pattern have it too
  klu_numeric* numeric = nullptr;

  ~Content() {
    if (numeric != nullptr) klu_free_numeric(&numeric, &common);
  }
};

SparseLu::SparseLu(int size, const std::vector<std::pair<int, int>>& entries) : content_(std::make_unique<Content>()) {
  Content& c = *content_;
  c.size = size;
  // Compressed columns without repeats.
  std::vector<int> order(entries.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    return std::pair(entries[i].second, entries[i].first) < std::pair(entries[j].second, entries[j].first);
  });
  c.start.assign(size + 1, 0);
  c.place.assign(entries.size(), 0);
  std::pair<int, int> last{-1, -1};
  for (int k : order) {
    if (entries[k] != last) {
      c.row.push_back(entries[k].first);
      ++c.start[entries[k].second + 1];
      last = entries[k];
    }
    c.place[k] = static_cast<int>(c.row.size()) - 1;
  }
  std::partial_sum(c.start.begin(), c.start.end(), c.start.begin());
  c.values.assign(c.row.size(), 0.0);
  klu_defaults(&c.common);
  struct Symbolic {};
  c.symbolic = *remembered<Symbolic>(std::pair(c.start, c.row), [&c, size] {
    const auto release = [](klu_symbolic* symbolic) {
      klu_common common;
      klu_defaults(&common);
      klu_free_symbolic(&symbolic, &common);
    };
    return std::shared_ptr<klu_symbolic>(klu_analyze(size, c.start.data(), c.row.data(), &c.common), release);
  });
}

SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

int SparseLu::place(int k) const { return content_->place[k]; }
std::vector<double>& SparseLu::values() { return content_->values; }

bool SparseLu::factorise() {
  Content& c = *content_;
  if (c.symbolic == nullptr) return false;
  stop_if_asked();
  // The old pivots serve while they stay good; otherwise new ones are chosen.
  if (c.numeric != nullptr) {
    const bool same =
        klu_refactor(c.start.data(), c.row.data(), c.values.data(), c.symbolic.get(), c.numeric, &c.common) != 0 &&
        klu_rcond(c.symbolic.get(), c.numeric, &c.common) != 0 && c.common.rcond > 1e-14;
    if (same) return true;
    klu_free_numeric(&c.numeric, &c.common);
  }
  c.numeric = klu_factor(c.start.data(), c.row.data(), c.values.data(), c.symbolic.get(), &c.common);
  return c.numeric != nullptr && c.common.status == KLU_OK;
}

void SparseLu::solve(double* rhs) const {
  Content& c = *content_;
  klu_solve(c.symbolic.get(), c.numeric, c.size, 1, rhs, &c.common);
}

}  // namespace taut
