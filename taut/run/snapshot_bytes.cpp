#include "taut/run/snapshot_bytes.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "taut/base/error.h"

namespace taut {

namespace {

constexpr std::string_view snapshot_magic = "taut";
constexpr std::uint32_t snapshot_format = 2;  // grows when a field comes or goes
constexpr std::size_t snapshot_header = snapshot_magic.size() + sizeof(std::uint32_t) + sizeof(std::uint64_t);

template <class T>
constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

struct SnapshotWriter {
  std::string bytes;

  void raw(const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); }
  void count(std::size_t n) {
    const std::uint64_t wide = n;
    raw(&wide, sizeof wide);
  }
};

struct SnapshotReader {
  std::string_view left;

  void raw(void* data, std::size_t size) {
    if (size > left.size()) throw InputError("a snapshot: the bytes end too early");
    if (size > 0) std::memcpy(data, left.data(), size);
    left.remove_prefix(size);
  }
  std::size_t count() {
    std::uint64_t wide = 0;
    raw(&wide, sizeof wide);
    // Every entry takes a byte at least, so that no length can ask for more memory than there are bytes.
    if (wide > left.size()) throw InputError("a snapshot: the bytes end too early");
    return wide;
  }
};

// One list of fields per struct, for both ways.
template <class Archive, class T>
void put(Archive& a, T& item);

template <class Archive, class... Fields>
void all(Archive& a, Fields&... fields) {
  (put(a, fields), ...);
}

template <class Archive, class T>
void fields(Archive& a, T& s) {
  using Type = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Type, FirstYield>) {
    all(a, s.time, s.slot);
  } else if constexpr (std::is_same_v<Type, Winch>) {
    all(a, s.cable, s.from, s.rate, s.since, s.until);
  } else if constexpr (std::is_same_v<Type, Memory>) {
    all(a, s.permanent, s.first_yields, s.yielded, s.winches, s.torques, s.control, s.next_step, s.taut, s.slack,
        s.stretched, s.pulley_switch, s.pulleys_seen, s.pressed, s.crossed);
  } else if constexpr (std::is_same_v<Type, State>) {
    all(a, s.t, s.nq, s.nv, s.y, s.memory);
  } else if constexpr (std::is_same_v<Type, Switch>) {
    all(a, s.time, s.slot, s.taut);
  } else if constexpr (std::is_same_v<Type, WindingEvent>) {
    all(a, s.time, s.pulley, s.off);
  } else if constexpr (std::is_same_v<Type, BarPass>) {
    all(a, s.time, s.a, s.b);
  } else if constexpr (std::is_same_v<Type, Counts>) {
    all(a, s.steps, s.rejected, s.rhs);
  } else if constexpr (std::is_same_v<Type, IntegratorLog>) {
    all(a, s.counts, s.switches, s.switches_dropped, s.windings, s.passes, s.contact_residual, s.contact_sweeps);
  } else if constexpr (std::is_same_v<Type, ControlEvent>) {
    all(a, s.time, s.controller, s.what);
  } else if constexpr (std::is_same_v<Type, InputUse>) {
    all(a, s.saturations, s.saturated_s, s.limit, s.free, s.free_since);
  } else if constexpr (std::is_same_v<Type, ControlLog>) {
    all(a, s.events, s.dropped, s.uses, s.axes, s.last_row);
  } else if constexpr (std::is_same_v<Type, Pose>) {
    all(a, s.origin, s.axes);
  } else {
    static_assert(std::is_same_v<Type, Snapshot>);
    all(a, s.state, s.integrator, s.control, s.chart_switches, s.frames);
  }
}

template <class Archive, class T>
void put(Archive& a, T& item) {
  using Type = std::remove_const_t<T>;
  constexpr bool writes = std::is_same_v<Archive, SnapshotWriter>;
  if constexpr (is_number<Type>) {
    a.raw(&item, sizeof item);
  } else if constexpr (std::is_same_v<Type, Vec3> || std::is_same_v<Type, Mat3>) {
    a.raw(item.data(), static_cast<std::size_t>(item.size()) * sizeof(double));
  } else if constexpr (requires { item.begin(); }) {  // std::vector, std::string, Eigen::VectorXd
    if constexpr (writes)
      a.count(static_cast<std::size_t>(item.size()));
    else
      item.resize(static_cast<decltype(item.size())>(a.count()));
    for (auto& entry : item) put(a, entry);
  } else {
    fields(a, item);
  }
}

// FNV-1a: every change of a single byte changes it.
std::uint64_t snapshot_sum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}

}  // namespace

std::string bytes_of(const Snapshot& snapshot) {
  SnapshotWriter body;
  put(body, snapshot);
  const std::uint64_t sum = snapshot_sum(body.bytes);
  SnapshotWriter whole;
  whole.raw(snapshot_magic.data(), snapshot_magic.size());
  whole.raw(&snapshot_format, sizeof snapshot_format);
  whole.raw(&sum, sizeof sum);
  return std::move(whole.bytes) + body.bytes;
}

Snapshot snapshot_of(std::string_view bytes) {
  if (bytes.size() < snapshot_header || !bytes.starts_with(snapshot_magic))
    throw InputError("these bytes are no snapshot");
  std::uint32_t written = 0;
  std::uint64_t sum = 0;
  std::memcpy(&written, bytes.data() + snapshot_magic.size(), sizeof written);
  std::memcpy(&sum, bytes.data() + snapshot_magic.size() + sizeof written, sizeof sum);
  if (written != snapshot_format)
    throw InputError(fmt::format("a snapshot of format {}; this taut reads format {}", written, snapshot_format));
  SnapshotReader body{bytes.substr(snapshot_header)};
  if (snapshot_sum(body.left) != sum) throw InputError("a snapshot: the bytes are damaged");
  Snapshot snapshot;
  put(body, snapshot);
  if (!body.left.empty()) throw InputError("a snapshot: there are bytes left over");
  return snapshot;
}

}  // namespace taut
