#include "taut/batch/cuda/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "taut/batch/kernel/group_press.h"

namespace taut::batch {

namespace {

// Floating-point operations of a step, roughly: cables, bars, what is coupled, ground.
long work(const Plan& plan) {
  const Plan::Sizes& s = plan.sizes;
  const auto pieces = static_cast<long>(plan.tables.piece_a.size());
  const auto updates = static_cast<long>(plan.tables.update_place.size());
  return 30L * s.plain + 60L * pieces + 80L * s.bars + 12L * s.lone + 24L * s.mass_entries + 60L * s.rows +
         6L * s.factor_entries + 8L * s.coupling_entries + 2L * updates + 40L * s.touching + 20L * s.dragged;
}

template <class List, class F>
std::string joined(const List& list, const F& f) {
  std::string text;
  int column = 0;
  for (const auto& entry : list) {
    text += f(entry);
    text += ++column % 16 == 0 ? ",\n    " : ", ";
  }
  return text;
}

std::string whole(int n) { return fmt::format("{}", n); }
std::string exact(double n) { return fmt::format("{:a}", n); }

template <class List, class F>
std::string table(const char* type, const std::string& name, const List& list, const F& f) {
  return fmt::format("TAUT_TABLE {} {}[] = {{{}}};\n", type, name, list.empty() ? "0" : joined(list, f));
}

// Tables and the struct that looks into them.
std::string shape_text(const Plan& plan, const CardKernel& kernel) {
  std::string tables, members;
  const auto constant = [&](const char* type, const char* name, const std::string& value) {
    members += fmt::format("  static constexpr {} {}() {{ return {}; }}\n", type, name, value);
  };
#define X(name)                                                    \
  tables += table("int", #name "_table", plan.tables.name, whole); \
  members += "  TAUT_KERNEL static int " #name "(int i) { return " #name "_table[i]; }\n";
  TAUT_BATCH_TABLES(X)
#undef X
#define X(name) constant("int", #name, whole(plan.sizes.name));
  TAUT_BATCH_SIZES(X)
#undef X
#define X(name) constant("double", #name, exact(plan.reals.name));
  TAUT_BATCH_REALS(X)
#undef X
  constant("double", "step", exact(kernel.step));
  constant("bool", "commands", plan.commands ? "true" : "false");
  constant("bool", "for_tensions", kernel.tensions ? "true" : "false");
  constant("bool", "past_is_own", kernel.shares_past ? "false" : "true");
  return fmt::format(
      "{}\nstruct CardShape {{\n{}  const double* heights;\n"
      "  TAUT_KERNEL double height(int i) const {{ return heights[i]; }}\n}};\n\n",
      tables, members);
}

std::string numbers_text(const Plan& plan, const std::vector<int>& varied) {
  std::vector<int> row(plan.numbers.size(), -1);
  for (std::size_t k = 0; k < varied.size(); ++k) row[static_cast<std::size_t>(varied[k])] = static_cast<int>(k);
  std::string text = table("double", "number_table", plan.numbers, exact);
  std::string own;
  if (!varied.empty()) {
    text += table("int", "varied_row", row, whole);
    own = "    if (varied_row[k] >= 0) return static_cast<Real>(values[varied_row[k] * stride + at]);\n";
  }
  return text + fmt::format(
                    "\nstruct CardNumbers {{\n  const double* values;\n  long stride, at;\n"
                    "  TAUT_KERNEL Real operator()(int k) const {{\n{}    return static_cast<Real>(number_table[k]);\n "
                    " }}\n}};\n",
                    own);
}

}  // namespace

CardKernel choose_kernel(const Plan& plan, bool single, double step, bool tensions, int shared_memory) {
  CardKernel kernel;
  kernel.single = single;
  kernel.step = step;
  kernel.tensions = tensions;
  kernel.unrolled = work(plan) <= 6000;
  kernel.shares_past = plan.sizes.damped != 0 && !tensions;
  kernel.blocks = single ? 3 : 2;
  constexpr int reserved = 1024;  // by the driver, of each block
  const auto fits = [&] { return (shared_bytes(plan, kernel) + reserved) * kernel.blocks <= shared_memory; };
  if (!fits()) kernel.shares_past = false;
  return kernel;
}

int shared_bytes(const Plan& plan, const CardKernel& kernel) {
  return kernel.shares_past ? 4 * plan.sizes.slots * (kernel.single ? 4 : 8) * kernel.block : 0;
}

long thread_bytes(const Plan& plan, const CardKernel& kernel) {
  const Plan::Sizes& s = plan.sizes;
  const long numbers =
      s.group_nodes > 0 ? 3L * s.nodes + 5L * s.rows + s.factor_entries + press_numbers(plan.shape()) : 0;
  return numbers * (kernel.single ? 4 : 8);
}

std::string kernel_source(const Plan& plan, const std::vector<int>& varied, const CardKernel& kernel) {
  std::string text = "// Made for one model; see taut/batch/cuda/source.h.\n";
  if (kernel.unrolled) text += "#define TAUT_UNROLL _Pragma(\"unroll\")\n";
  if (kernel.shares_past) text += fmt::format("#define TAUT_PAST_STRIDE {}\n", kernel.block);
  text += "#include \"taut/batch/kernel/thread.h\"\n\n";
  text += fmt::format("namespace {{\n\nusing Real = {};\n\n", kernel.single ? "float" : "double");
  text += shape_text(plan, kernel) + numbers_text(plan, varied) + "\n}  // namespace\n\n";
  text += fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({0}, {1})\n"
      "{2}(const taut::batch::Crossing job, const double* heights, long robots) {{\n"
      "  extern __shared__ double shared_memory[];\n"
      "  const long at = static_cast<long>(blockIdx.x) * {0} + threadIdx.x;\n"
      "  if (at >= robots) return;\n"
      "  Real* const past = reinterpret_cast<Real*>(shared_memory) + threadIdx.x;\n"
      "  taut::batch::robot_on_thread<Real>(CardShape{{heights}}, CardNumbers{{job.varied_values, job.stride, at}}, "
      "job, at, past);\n"
      "}}\n",
      kernel.block, kernel.blocks, kernel.entry);
  return text;
}

}  // namespace taut::batch
