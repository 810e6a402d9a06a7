// Makes all runs of a sweep file, in memory.  sweep FILE.toml
#include <taut/taut.h>

#include <cstdio>

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const taut::SweepFile sweep = taut::read_sweep_file(argv[1]);
  // A row holds the parameters, then the records.
  for (const taut::TableRow& row : taut::run_rows(sweep, 2, nullptr)) {
    std::printf("run %ld:", row.run);
    for (const double value : row.values) std::printf("  %.6g", value);
    std::printf("  %s\n", row.reason.c_str());
    if (row.status != taut::RowStatus::done) return 1;
  }
  return 0;
} catch (const taut::InputError& error) {
  std::printf("%s\n", error.what());
  return 2;
}
