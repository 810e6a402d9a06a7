// What surrounds the kernel on a card: the libraries that may be missing, the flag for the card, the cache on disk.
#include <gtest/gtest.h>

#include <fstream>

#include "taut/batch/batch.h"
#include "taut/batch/cuda/cache.h"
#include "taut/batch/cuda/compile.h"
#include "taut/generators/generators.h"
#include "tests/support/complaint.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {

namespace cuda = batch::cuda;

TEST(BatchCudaLoading, SaysWhatIsMissing) {
  expect_says(complaint([] { cuda::load_driver({"libnothing.so.1"}); }), "no NVIDIA driver on this machine");
  expect_says(complaint([] { cuda::load_compiler({"libnothing.so.1"}); }), "set CUDA_HOME");
  // A library that is another one, or too old.
  expect_says(complaint([] { cuda::load_driver({"libc.so.6"}); }), "this NVIDIA driver has no cuInit: it is too old");
}

TEST(BatchCudaLoading, TakesTheCardsOwnCodeOrTheNewestBefore) {
  const std::vector<int> known = {75, 80, 90, 100};
  EXPECT_EQ(cuda::architecture_flag(90, known), "--gpu-architecture=sm_90");
  EXPECT_EQ(cuda::architecture_flag(89, known), "--gpu-architecture=compute_80");
  EXPECT_EQ(cuda::architecture_flag(120, known), "--gpu-architecture=compute_100");
  expect_says(complaint([&] { cuda::architecture_flag(61, known); }), "compute capability 6.1");
}

TEST(BatchCudaLoading, KeepsKernelsOnDisk) {
  const ScratchFolder folder;
  const std::filesystem::path at = folder.path() / "deep" / "taut";
  const std::string name = cuda::cache_name({"source", "flags"}), code("co\0de\n", 6);
  EXPECT_EQ(name.size(), 32U);
  EXPECT_NE(name, cuda::cache_name({"sourcef", "lags"}));
  EXPECT_FALSE(cuda::read_cache(at, name));
  cuda::write_cache(at, name, code);
  EXPECT_EQ(cuda::read_cache(at, name), code);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(at), {}), 1);  // no half of a file is left
}

TEST(BatchCudaLoading, TakesNoBrokenFileFromTheCache) {
  const ScratchFolder folder;
  const std::string name = cuda::cache_name({"source"}), code = "the code of a kernel";
  cuda::write_cache(folder.path(), name, code);
  const auto size = std::filesystem::file_size(folder.path() / name);
  std::filesystem::resize_file(folder.path() / name, size - 1);
  EXPECT_FALSE(cuda::read_cache(folder.path(), name));
  cuda::write_cache(folder.path(), name, code);
  {
    std::fstream file(folder.path() / name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('X');
  }
  EXPECT_FALSE(cuda::read_cache(folder.path(), name));
  std::ofstream(folder.path() / name) << "";
  EXPECT_FALSE(cuda::read_cache(folder.path(), name));
  cuda::write_cache(folder.path(), name, code);
  EXPECT_EQ(cuda::read_cache(folder.path(), name), code);
}

// A folder that cannot be is one that keeps nothing.
TEST(BatchCudaLoading, DoesWithoutAFolder) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "file") << "in the way";
  for (const std::filesystem::path& no : {folder.path() / "file" / "taut", std::filesystem::path()}) {
    cuda::write_cache(no, cuda::cache_name({"source"}), "code");
    EXPECT_FALSE(cuda::read_cache(no, cuda::cache_name({"source"})));
  }
}

}  // namespace taut::testing
