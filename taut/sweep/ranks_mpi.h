// Ranks of an MPI launcher (mpirun, srun). Rank 0 hands out runs and keeps the rows; the others ask it for runs and
// send their rows, each as soon as it is there. On every rank any number of threads works.
#pragma once

#include <functional>
#include <vector>

#include "taut/sweep/table/rows_file.h"

namespace taut {

class Ranks {
 public:
  // Whether a launcher has started this process as one of several; MPI is not touched.
  static bool launched();

  Ranks();
  ~Ranks();  // ends MPI
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int size() const { return size_; }
  bool first() const { return rank_ == 0; }

  // Rank 0 says to all whether they begin; returns what it said.
  bool agree(bool go) const;

  // Rank 0, in the thread that made this: answers the others until all of them have left and `working` says that the
  // threads of this rank are done as well.
  void serve(const std::function<std::vector<long>()>& take, const std::function<void(long, const SweepRow&)>& put,
             const std::function<bool()>& working) const;

  // The other ranks, from any thread.
  std::vector<long> ask() const;
  void send(long run, const SweepRow& row) const;
  void leave() const;  // the last word

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace taut
