// Tables as text: quotes where they are needed, numbers that come back as they were.
#include "taut/base/text/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace taut {
namespace {

TEST(Csv, RowsOfCells) {
  Csv csv;
  csv.row("t", "a,b", "say \"x\"", "two\nlines", "");
  csv.cell(1);
  csv.cell(2.5);
  csv.quoted("plain");
  csv.end_row();
  EXPECT_EQ(csv.text(), "t,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\n1,2.5,\"plain\"\n");
}

TEST(Csv, GoesOnAfterItIsEmptied) {
  Csv csv;
  csv.row("a", "b");
  csv.cell(1);
  csv.clear();
  csv.cell(2);
  csv.end_row();
  EXPECT_EQ(csv.take(), ",2\n");
}

// The same text as printf's, and the same number back.
TEST(Csv, NumbersComeBack) {
  for (const double number : {0.0, -0.0, 0.1, 1.0 / 3.0, 1e300, -2.2250738585072014e-308, 5e-324, 123456789.0, 1e16,
                              1e17, 1e-5, HUGE_VAL, std::numeric_limits<double>::max()}) {
    Csv csv;
    csv.cell(number);
    char printed[64];
    std::snprintf(printed, sizeof printed, "%.17g", number);
    EXPECT_EQ(csv.text(), printed);
    EXPECT_EQ(std::strtod(csv.text().c_str(), nullptr), number);
  }
}

}  // namespace
}  // namespace taut
