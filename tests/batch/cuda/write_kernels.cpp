// write-kernels FOLDER NAME...: the sources of those kernel cases, one file each, and kernels.cpp, the list of their
// entries, for the tests to compile.
#include <fmt/core.h>

#include <fstream>
#include <set>

#include "tests/batch/cuda/kernel_cases.h"

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const std::set<std::string> wanted(argv + 2, argv + argc);
  std::string list = "#include \"taut/batch/kernel/room.h\"\n#include \"tests/batch/cuda/kernel_entries.h\"\n\n",
              entries;
  std::set<std::string> written;
  for (const taut::testing::KernelCase& one : taut::testing::kernel_cases()) {
    std::ofstream file(folder + "/kernel_" + one.name + ".cpp");
    file << "#include \"tests/batch/cuda/one_thread.h\"\n\n"
         << taut::batch::kernel_source(one.plan, one.varied, one.kernel);
    if (!file) return fmt::print(stderr, "write-kernels: cannot write {} to {}\n", one.name, folder), 1;
    list += fmt::format("extern \"C\" void {}(taut::batch::Crossing, const double*, long);\n", one.kernel.entry);
    std::string numbers;
    for (const double number : one.plan.numbers) numbers += fmt::format("{:a}, ", number);
    entries += fmt::format("    {{\"{}\", {}, {{{}}}}},\n", one.name, one.kernel.entry, numbers);
    written.insert(one.name);
  }
  if (written != wanted) return fmt::print(stderr, "write-kernels: tests/CMakeLists.txt lists other kernel cases\n"), 1;
  std::ofstream file(folder + "/kernels.cpp");
  file << list << "\nnamespace taut::testing {\n\nconst std::vector<KernelEntry> kernel_entries = {\n"
       << entries << "};\n\n}  // namespace taut::testing\n";
}
