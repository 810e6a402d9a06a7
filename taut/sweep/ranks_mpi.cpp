#include "taut/sweep/ranks_mpi.h"

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "taut/base/error.h"

namespace taut {

namespace {

enum Tag { ask_tag = 1, runs_tag, row_tag, leave_tag };

// One thread at a time speaks to MPI.
std::mutex& speaking() {
  static std::mutex mutex;
  return mutex;
}

int variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : 0;
}

// run, status, values, then the reason up to the end
std::vector<char> packed(long run, const SweepRow& row) {
  const auto status = static_cast<std::uint32_t>(row.status);
  const auto count = static_cast<std::uint32_t>(row.values.size());
  std::vector<char> bytes(sizeof run + sizeof status + sizeof count + row.values.size() * sizeof(double) +
                          row.reason.size());
  char* to = bytes.data();
  const auto put = [&to](const void* from, std::size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    to += size;
  };
  put(&run, sizeof run);
  put(&status, sizeof status);
  put(&count, sizeof count);
  put(row.values.data(), row.values.size() * sizeof(double));
  put(row.reason.data(), row.reason.size());
  return bytes;
}

long unpack(const std::vector<char>& bytes, SweepRow& row) {
  long run = 0;
  std::uint32_t status = 0, count = 0;
  const char* from = bytes.data();
  const auto get = [&from](void* to, std::size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    from += size;
  };
  get(&run, sizeof run);
  get(&status, sizeof status);
  get(&count, sizeof count);
  row.status = static_cast<RowStatus>(status);
  row.values.resize(count);
  get(row.values.data(), count * sizeof(double));
  row.reason.assign(from, bytes.data() + bytes.size());
  return run;
}

}  // namespace

bool Ranks::launched() {
  return variable("OMPI_COMM_WORLD_SIZE") > 0 || variable("PMI_SIZE") > 0 || std::getenv("PMIX_RANK") != nullptr ||
         (std::getenv("SLURM_STEP_ID") != nullptr && variable("SLURM_STEP_NUM_TASKS") > 1);
}

Ranks::Ranks() {
  int got = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &got);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  const int asked = std::max(variable("OMPI_COMM_WORLD_SIZE"), variable("SLURM_STEP_NUM_TASKS"));
  if (got < MPI_THREAD_SERIALIZED || (size_ == 1 && asked > 1)) {
    MPI_Finalize();
    throw InputError(got < MPI_THREAD_SERIALIZED
                         ? "this MPI does not let threads send messages: it was built without MPI_THREAD_SERIALIZED"
                         : "the launcher has started several processes that do not know of each other: with Slurm, "
                           "take srun --mpi=pmix, or mpirun");
  }
}

Ranks::~Ranks() { MPI_Finalize(); }

bool Ranks::agree(bool go) const {
  int word = go ? 1 : 0;
  MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return word == 1;
}

void Ranks::serve(const std::function<std::vector<long>()>& take, const std::function<void(long, const SweepRow&)>& put,
                  const std::function<bool()>& working) const {
  int left = size_ - 1;
  SweepRow row;
  std::vector<char> bytes;
  auto pause = std::chrono::microseconds(1);
  while (left > 0 || working()) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there == 0) {
      // Longer and longer, up to a millisecond, so that waiting leaves the processor to those who compute.
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::microseconds(1000));
      continue;
    }
    pause = std::chrono::microseconds(1);
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    bytes.resize(static_cast<std::size_t>(size));
    MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (status.MPI_TAG == row_tag) {
      const long run = unpack(bytes, row);
      put(run, row);
    } else if (status.MPI_TAG == ask_tag) {
      const std::vector<long> runs = take();
      MPI_Send(runs.data(), static_cast<int>(runs.size() * sizeof(long)), MPI_BYTE, status.MPI_SOURCE, runs_tag,
               MPI_COMM_WORLD);
    } else {
      --left;
    }
  }
}

std::vector<long> Ranks::ask() const {
  const std::lock_guard lock(speaking());
  MPI_Send(nullptr, 0, MPI_BYTE, 0, ask_tag, MPI_COMM_WORLD);
  MPI_Status status;
  MPI_Probe(0, runs_tag, MPI_COMM_WORLD, &status);
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::vector<long> runs(static_cast<std::size_t>(size) / sizeof(long));
  MPI_Recv(runs.data(), size, MPI_BYTE, 0, runs_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return runs;
}

void Ranks::send(long run, const SweepRow& row) const {
  const std::vector<char> bytes = packed(run, row);
  const std::lock_guard lock(speaking());
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, row_tag, MPI_COMM_WORLD);
}

void Ranks::leave() const {
  const std::lock_guard lock(speaking());
  MPI_Send(nullptr, 0, MPI_BYTE, 0, leave_tag, MPI_COMM_WORLD);
}

}  // namespace taut
