// Many instances of one model, advanced together: each with its own numbers, start, commands and time.
//
//   Batch batch(Draft::from_file("robot.toml"), 4096, {.step = 1e-3});
//   batch.set("cables.*.stiffness", stiffness);           // one number per robot
//   for (...) {
//     batch.step(commands, 10);                           // rest lengths, m: robots × inputs()
//     observe(batch.nodes(), batch.velocities());
//     batch.reset(batch.done());
//   }
//
// One call of step() is what Simulation::advance(steps * step) does with integrator = "symplectic" in formulation nodal, in
// another order of additions. What a robot does depends on nothing but its own numbers, start and commands: not on how many
// there are, its place among them, threads, or the width of the vector unit.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/file/draft.h"

namespace taut {

inline constexpr long most_robots = 1'000'000'000'000'000'000;

enum class BatchDevice { cpu, cuda };
enum class Precision { double_precision, single_precision };
enum class Done : unsigned char { no = 0, diverged = 1, fallen = 2, outside = 3 };

const char* name(Done done);

struct BatchOptions {
  double step = 1e-3;  // s
  BatchDevice device = BatchDevice::cpu;
  int card = 0;  // which, for cuda
  Precision precision = Precision::double_precision;
  int threads = 0;         // 0: one for each core
  std::string unit = {};   // of the processor: "avx512", "avx2", "narrow", "scalar"; empty: the widest there is
  double speed = 0.0;      // m/s, the most by which a rest length changes; 0: no limit
  double fallen = -1e300;  // m: a robot whose mean node is lower is done
  double bounds = 1e300;   // m: a robot with a node farther from the origin, along x or y, is done
};

// How many cards this machine has; 0 also without a driver.
int card_count();

// A list of numbers per robot, where they lie: number k of robot i is data[k * stride + i]. On the card the address is the
// card's.
struct BatchArray {
  const void* data = nullptr;
  Precision precision = Precision::double_precision;
  bool on_card = false;
  int numbers = 0;  // per robot
  long robots = 0, stride = 0;
  int card = 0;
};

// Values of a key of the model: one for all robots, or one for each; of keys that are vectors (nodes.a1.at) three at a time.
struct BatchValues {
  std::string key;
  std::span<const double> values;
};

// All robots at one time.
struct BatchSnapshot {
  std::vector<unsigned char> bytes;
};

class Batch {
 public:
  // Throws InputError: no robots, more than memory holds, what the kernel cannot take, a device that is not there.
  Batch(Draft model, long robots, const BatchOptions& options = {});
  Batch(const Scenario& scenario, long robots, const BatchOptions& options = {});
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  long robots() const;
  int node_count() const;
  const Draft& draft() const;
  const BatchOptions& options() const;
  const std::string& device() const;  // in words: "avx512, 2 threads", "NVIDIA H200"
  int threads() const;
  const std::vector<std::string>& warnings() const;

  // Values of some keys, judged together, on top of those that were set before; the last one given counts. The robots
  // then start anew. Throws InputError, and changes nothing then.
  void set(std::span<const BatchValues> values);
  void set(const std::string& key, std::span<const double> values);
  // Robots of these models, one for each, instead of all values that were set; they then start anew. Returns for each why it
  // cannot be a robot of this batch, as differences are more than numbers (empty: it can); one that cannot has the numbers of
  // the batch's own model. Before any commands.
  std::vector<std::string> take(std::span<const Model* const> models);
  // The scenario of one robot, with all values that were set.
  Scenario scenario(long robot) const;

  // What can be commanded, by name: the cables that have actuators, or else every cable.
  const std::vector<std::string>& inputs() const;

  // Back to the start: all robots, or those of the mask.
  void reset();
  void reset(std::span<const unsigned char> mask);
  // Other positions and velocities of all nodes, for every robot: 3 numbers per node, robot after robot, in m and m/s. Bars
  // keep the lengths of the model, so the places must fit them; constraint errors are put right by the first step.
  void place(std::span<const double> nodes, std::span<const double> velocities);

  // Goes on by some steps, with the last commands or, before any, the signals of the model.
  void step(int steps);
  // With rest lengths for all robots, robot after robot; `evenly`: reached at the end of the call instead of at once.
  void step(std::span<const double> commands, int steps, bool evenly = false);

  BatchArray nodes() const;                     // m: x, y, z per node
  BatchArray velocities() const;                // m/s
  BatchArray tensions() const;                  // N, per cable of the model
  std::span<const unsigned char> done() const;  // by Done; a robot that is done stays as it is until it is reset
  double time(long robot) const;                // s
  // Copies, from wherever they lie: of one robot; of all, robot after robot.
  std::vector<double> nodes_of(long robot) const;
  std::vector<double> velocities_of(long robot) const;
  std::vector<double> copy(const BatchArray& of) const;  // of this batch
  // The largest relative error of a rigid bar's length, over all robots that are not done.
  double largest_bar_length_error() const;

  BatchSnapshot snapshot() const;
  void restore(const BatchSnapshot& snapshot);  // throws InputError: of another batch

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace taut
