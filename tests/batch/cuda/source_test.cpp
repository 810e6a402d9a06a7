// The source that is made for cards, compiled for the processor and run one thread at a time: every robot moves as in the
// lanes, one robot at a time, to the last bit. So what a card computes differs by its roundings alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "taut/batch/cuda/compile.h"
#include "taut/batch/cuda/driver.h"
#include "taut/batch/lanes/job.h"
#include "taut/batch/plan/signal_rows.h"
#include "tests/batch/cuda/kernel_cases.h"
#include "tests/batch/cuda/kernel_entries.h"
#include "tests/batch/cuda/one_thread.h"

OneThread blockIdx, threadIdx;
extern "C" {
double shared_memory[1 << 16];
}

namespace taut::testing {

namespace {

constexpr long robots = 150, stride = 160;  // more than a block

// The arrays of a batch in a number type, filled at random; one robot is done, and one has no numbers.
template <class T>
struct Arrays {
  std::vector<T> x, v, tension;
  std::vector<double> varied, rest, target;
  std::vector<int> time;
  std::vector<unsigned char> done;

  explicit Arrays(const KernelCase& one)
      : x(one.plan.start_x.size() * stride),
        v(x.size()),
        tension(static_cast<std::size_t>(one.plan.sizes.slots) * stride),
        varied(one.varied.size() * stride),
        rest(static_cast<std::size_t>(one.plan.sizes.drives) * stride),
        target(rest.size()),
        time(stride),
        done(stride) {
    std::mt19937 bits(7);
    const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(bits); };
    for (std::size_t i = 0; i < stride; ++i) {
      for (std::size_t k = 0; k < one.plan.start_x.size(); ++k) {
        x[k * stride + i] = static_cast<T>(one.plan.start_x[k]);
        v[k * stride + i] = static_cast<T>(one.plan.start_v[k] * draw(0.0, 1.0));
      }
      for (std::size_t k = 0; k < one.varied.size(); ++k)
        varied[k * stride + i] = one.plan.numbers[static_cast<std::size_t>(one.varied[k])] * draw(0.9, 1.1);
      for (std::size_t k = 0; k < one.plan.drive_cable.size(); ++k) {
        const double length = one.scenario.model.cables[static_cast<std::size_t>(one.plan.drive_cable[k])].rest_length;
        rest[k * stride + i] = length * draw(0.9, 1.1);
        target[k * stride + i] = i % 3 == 0 && one.plan.drive_signal[k] >= 0 ? std::nan("") : length * draw(0.9, 1.1);
      }
      time[i] = static_cast<int>(i) % 4 * 5;
    }
    done[3] = 2;
    x[5] = static_cast<T>(std::nan(""));
  }
  bool operator==(const Arrays& other) const {
    const auto same = [](const auto& a, const auto& b) {
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
    };
    return same(x, other.x) && same(v, other.v) && same(tension, other.tension) && same(rest, other.rest) &&
           time == other.time && done == other.done;
  }
};

template <class T>
void by_lanes(const KernelCase& one, batch::LanesJob job) {
  const batch::Shape shape = one.plan.shape();
  job.shape = &shape;
  job.numbers = one.plan.numbers.data();
  job.number_count = static_cast<int>(one.plan.numbers.size());
  job.varied = one.varied.data();
  job.varied_count = static_cast<int>(one.varied.size());
  const batch::Lanes& scalar = *batch::lanes("scalar");
  (sizeof(T) == 4 ? scalar.in_single : scalar.in_double)(job, 0, robots);
}

void by_threads(const KernelCase& one, const batch::Crossing& job) {
  for (const KernelEntry& entry : kernel_entries) {
    if (entry.name != one.name) continue;
    const auto block = static_cast<unsigned>(one.kernel.block);
    for (blockIdx.x = 0; blockIdx.x * block < robots; ++blockIdx.x)
      for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x) entry.run(job, one.plan.heights.data(), robots);
  }
}

// The numbers of the source, which another compilation has drawn: the same, but for their last bits.
void take_numbers(KernelCase& one) {
  for (const KernelEntry& entry : kernel_entries) {
    if (entry.name != one.name) continue;
    ASSERT_EQ(entry.numbers.size(), one.plan.numbers.size());
    for (std::size_t k = 0; k < entry.numbers.size(); ++k)
      EXPECT_NEAR(one.plan.numbers[k], entry.numbers[k], 1e-13 * std::max(1.0, std::abs(entry.numbers[k]))) << one.name << " " << k;
    one.plan.numbers = entry.numbers;
  }
}

template <class T>
void compare(const KernelCase& one) {
  for (const bool evenly : {false, true})
    for (const double speed : {0.0, 0.3}) {
      Arrays<T> lanes(one), threads(one);
      const Arrays<T> start = lanes;
      const batch::SignalRows rows = batch::signal_rows(one.scenario.model, one.plan, one.kernel.step, 0, 40);
      const auto job_of = [&](Arrays<T>& of) {
        batch::LanesJob job;
        job.varied_values = of.varied.data();
        job.x = of.x.data(), job.v = of.v.data();
        job.rest = of.rest.data(), job.target = of.target.data();
        job.winding = {evenly, speed};
        job.time = of.time.data(), job.done = of.done.data();
        if (one.kernel.tensions) job.tension = of.tension.data();
        job.steps.h = one.kernel.step;
        job.steps.count = one.kernel.tensions ? 0 : 9;
        job.steps.commands = one.plan.commands;
        job.steps.before = rows.before.data(), job.steps.after = rows.after.data(), job.steps.jumps = rows.jumps.data();
        job.steps.first = rows.first, job.steps.row = rows.row;
        job.stride = stride;
        return job;
      };
      for (int call = 0; call < 2; ++call) {
        by_lanes<T>(one, job_of(lanes));
        by_threads(one, job_of(threads));
      }
      EXPECT_TRUE(lanes == threads) << one.name << (evenly ? ", evenly" : "") << ", speed " << speed;
      EXPECT_FALSE(threads == start) << one.name;
      if (!one.kernel.tensions) {
        EXPECT_EQ(threads.done[5], 1);
        EXPECT_EQ(threads.done[3], 2);
        EXPECT_EQ(threads.time[3], start.time[3]);
        EXPECT_EQ(threads.time[4], start.time[4] + 18);
      }
    }
}

}  // namespace

TEST(BatchCudaSource, MovesEveryRobotAsTheLanesDoToTheLastBit) {
  ASSERT_EQ(kernel_entries.size(), kernel_cases().size());
  for (KernelCase one : kernel_cases()) {
    take_numbers(one);
    one.kernel.single ? compare<float>(one) : compare<double>(one);
  }
}

// Where NVIDIA's compiler is at hand, without a card: it takes the source, for cards old and new.
TEST(BatchCudaSource, IsTakenByNvidiasCompiler) {
  batch::cuda::Compiler compiler{};
  try {
    compiler = batch::cuda::load_compiler(batch::cuda::compiler_names());
  } catch (const std::exception& none) {
    GTEST_SKIP() << none.what();
  }
  for (const KernelCase& one : kernel_cases()) {
    if (one.name != "six_bar_single" && one.name != "everything" && one.name != "large") continue;
    const std::string source = batch::kernel_source(one.plan, one.varied, one.kernel);
    EXPECT_EQ(batch::cuda::compile(compiler, source, 90, one.kernel.single).substr(0, 4), "\177ELF") << one.name;
  }
}

}  // namespace taut::testing
