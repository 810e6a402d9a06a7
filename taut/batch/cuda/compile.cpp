#include "taut/batch/cuda/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "taut/base/error.h"
#include "taut/batch/cuda/cache.h"
#include "taut/batch/cuda/source.h"

namespace taut::batch::cuda {

namespace {

std::vector<std::string> flags(bool single) {
  std::vector<std::string> list = {"--std=c++17", "-default-device", "-fmad=true", "-w"};
  if (single) list.insert(list.end(), {"-ftz=true", "-prec-div=false", "-prec-sqrt=false"});
  return list;
}

std::vector<int> known_architectures(const Compiler& compiler) {
  int count = 0;
  compiler.architecture_count(&count);
  std::vector<int> known(static_cast<std::size_t>(std::max(count, 0)));
  if (!known.empty()) compiler.architectures(known.data());
  return known;
}

using Size = int (*)(void*, std::size_t*);
using Text = int (*)(void*, char*);
std::string text_of(void* program, Size size, Text text) {
  std::size_t n = 0;
  size(program, &n);
  std::string out(n, '\0');
  if (n > 0) text(program, out.data());
  return out;
}

// All that the code depends on. Whose compiler made it is no part: any serves.
std::string name_of(const std::string& source, int capability, bool single) {
  std::string all;
  for (const KernelHeader& header : kernel_headers()) all += header.text;
  for (const std::string& flag : flags(single)) all += flag;
  return cache_name({source, all, fmt::format("{}", capability)});
}

}  // namespace

std::string architecture_flag(int capability, const std::vector<int>& known) {
  int best = 0;
  for (const int one : known)
    if (one <= capability) best = std::max(best, one);
  if (best == 0)
    throw InputError(
        fmt::format("batch: device \"cuda\": NVRTC does not compile for cards of compute capability {}.{}; install one "
                    "that fits the card",
                    capability / 10, capability % 10));
  return fmt::format("--gpu-architecture={}_{}", best == capability ? "sm" : "compute", best);
}

std::string compile(const Compiler& compiler, const std::string& source, int capability, bool single) {
  std::vector<const char*> texts, names;
  for (const KernelHeader& header : kernel_headers())
    texts.push_back(header.text.data()), names.push_back(header.name.data());
  void* program = nullptr;
  if (compiler.create(&program, source.c_str(), "taut_batch.cu", static_cast<int>(texts.size()), texts.data(),
                      names.data()) != 0)
    throw std::runtime_error("batch: device \"cuda\": NVRTC does not take the kernel");
  std::vector<std::string> list = flags(single);
  list.push_back(architecture_flag(capability, known_architectures(compiler)));
  std::vector<const char*> options;
  for (const std::string& flag : list) options.push_back(flag.c_str());
  const int result = compiler.compile(program, static_cast<int>(options.size()), options.data());
  const bool own = list.back().find("=sm_") != std::string::npos;
  const std::string log = text_of(program, compiler.log_size, compiler.log);
  const std::string code = result != 0 ? ""
                           : own       ? text_of(program, compiler.cubin_size, compiler.cubin)
                                       : text_of(program, compiler.ptx_size, compiler.ptx);
  compiler.destroy(&program);
  if (result != 0)
    throw std::runtime_error("batch: device \"cuda\": NVRTC cannot compile the kernel: " + log.substr(0, 2000));
  return code;
}

std::string compiled(const std::string& source, int capability, bool single) {
  std::optional<std::string> code = read_cache(cache_folder(), name_of(source, capability, single));
  return code ? *code : compiled_anew(source, capability, single);
}

std::string compiled_anew(const std::string& source, int capability, bool single) {
  const std::string code = compile(compiler(), source, capability, single);
  write_cache(cache_folder(), name_of(source, capability, single), code);
  return code;
}

}  // namespace taut::batch::cuda
