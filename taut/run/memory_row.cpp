#include "taut/run/memory_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

// Numbers into a row.
class Writer {
 public:
  explicit Writer(std::vector<double>& row) : row_(row) { row_.clear(); }
  void number(double value) { row_.push_back(value); }
  void whole(int value) { row_.push_back(value); }
  void list(const std::vector<double>& values) { row_.insert(row_.end(), values.begin(), values.end()); }
  void list_if_any(const std::vector<double>& values, std::size_t size) {
    if (values.size() == size)
      list(values);
    else
      row_.resize(row_.size() + size, std::numeric_limits<double>::quiet_NaN());
  }

 private:
  std::vector<double>& row_;
};

// And back.
class Reader {
 public:
  explicit Reader(const std::vector<double>& row) : row_(row) {}
  void number(double& value) { value = next(); }
  void whole(int& value) {
    const double read = next();
    const bool is_whole = std::abs(read) < 1e9 && read == std::floor(read);
    value = is_whole ? static_cast<int>(read) : -1;
    damaged_ |= !is_whole;
  }
  void list(std::vector<double>& values) {
    for (double& value : values) value = next();
  }
  void list_if_any(std::vector<double>& values, std::size_t size) {
    values.resize(size);
    list(values);
    if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) values.clear();
  }
  bool fits() const { return at_ == row_.size() && !damaged_; }

 private:
  double next() { return at_++ < row_.size() ? row_[at_ - 1] : 0.0; }

  const std::vector<double>& row_;
  std::size_t at_ = 0;
  bool damaged_ = false;
};

template <class Stream, class AnyState>
void pass(const Dynamics& dynamics, AnyState& state, Stream& stream) {
  auto& memory = state.memory;
  stream.number(state.y[state.nq + state.nv]);
  stream.number(state.y[state.nq + state.nv + 1]);
  stream.number(memory.yielded);
  stream.number(memory.crossed);
  stream.number(memory.next_step);
  stream.whole(memory.slack);
  stream.number(memory.pulleys_seen);
  stream.list(memory.permanent);
  for (auto& first : memory.first_yields) {
    stream.number(first.time);
    stream.whole(first.slot);
  }
  for (auto& winch : memory.winches) {
    stream.whole(winch.cable);
    for (auto* value : {&winch.from, &winch.rate, &winch.since, &winch.until}) stream.number(*value);
  }
  stream.list(memory.torques);
  stream.list(memory.control);
  stream.list(memory.pressed);
  const auto slots = static_cast<std::size_t>(dynamics.cables().slots());
  stream.list_if_any(memory.taut, slots);
  stream.list_if_any(memory.stretched, slots);
  stream.list_if_any(memory.pulley_switch, dynamics.model().pulleys.size());
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// Whether numbers of a file can be trusted as indices and as terms of sums.
bool is_sound(const Dynamics& dynamics, const Memory& start, const State& state) {
  const Memory& memory = state.memory;
  bool sound = all_finite({state.dissipated(), state.work(), memory.yielded, memory.crossed, memory.next_step,
                           memory.pulleys_seen}) &&
               all_finite(memory.permanent) && all_finite(memory.pressed) && memory.next_step >= 0.0;
  for (const FirstYield& first : memory.first_yields)
    sound &= first.slot >= -1 && first.slot < dynamics.cables().slots() && std::isfinite(first.time);
  for (std::size_t i = 0; i < memory.winches.size(); ++i) {
    const Winch& winch = memory.winches[i];
    sound &= winch.cable == start.winches[i].cable && all_finite({winch.from, winch.rate, winch.since}) &&
             !std::isnan(winch.until);
  }
  for (const std::vector<double>* flags : {&memory.taut, &memory.stretched})
    sound &= std::all_of(flags->begin(), flags->end(), [](double flag) { return flag == 0.0 || flag == 1.0; });
  return sound;
}

}  // namespace

void put_memory(const Dynamics& dynamics, const State& state, std::vector<double>& row) {
  Writer writer(row);
  writer.whole(memory_layout);
  pass(dynamics, state, writer);
}

std::string take_memory(const Dynamics& dynamics, const std::vector<double>& row, State& state) {
  Reader reader(row);
  int layout = 0;
  reader.whole(layout);
  if (layout != memory_layout)
    return fmt::format("its memory has the layout {}, of another taut; this one reads layout {}: compute the run again",
                       layout, memory_layout);
  const Memory start = state.memory;
  pass(dynamics, state, reader);
  if (!reader.fits()) return fmt::format("its memory has {} numbers, which are not those of this model", row.size());
  return is_sound(dynamics, start, state) ? "" : "its memory holds impossible numbers";
}

}  // namespace taut
