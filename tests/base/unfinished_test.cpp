// A program that ends at once takes with it what it has in the making.
#include "taut/base/unfinished.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "taut/results/output_dir.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

using Names = std::vector<std::string>;

// In a process of its own: the lock is never given back.
TEST(Unfinished, GoesAndWhatIsInPlaceStays) {
  const ScratchFolder folder;
  const auto leave = [&] {
    OutputDir done(folder / "done"), dir(folder / "a/b");
    OutputFile first(done, "first.csv"), second(dir, "second.csv"), third(dir, "third.csv");
    first.append("1", 0.0);
    first.finish(0.0);
    second.finish(0.0);
    std::filesystem::create_directory(folder / "pictures");
    note_unfinished(folder / "pictures", Unfinished::folder);
    write_text(folder / "pictures/one.vtp", "1");
    std::_Exit(remove_unfinished() == 1 ? 0 : 1);
  };
  EXPECT_EXIT(leave(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(names_in(folder.path()), Names{"done"});
  EXPECT_EQ(names_in(folder / "done"), Names{"first.csv"});
}

TEST(Unfinished, IsForgottenWhenItIsGone) {
  const ScratchFolder folder;
  const auto leave = [&] {
    {
      OutputDir dir(folder / "gone");
      OutputFile file(dir, "x");
    }
    std::filesystem::create_directory(folder / "gone");
    std::_Exit(remove_unfinished() == 0 ? 0 : 1);
  };
  EXPECT_EXIT(leave(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(names_in(folder.path()), Names{"gone"});
}

}  // namespace
}  // namespace taut::testing
