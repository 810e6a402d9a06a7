#include "taut/batch/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "taut/base/error.h"

namespace taut::batch::cuda {

namespace {

namespace fs = std::filesystem;

// The first of the libraries that opens; null: none does. It stays open: what is compiled or allocated may outlive everyone.
void* open_first(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <class F>
void find(void* library, const char* what, const char* name, F& f) {
  void* const address = dlsym(library, name);
  if (address == nullptr)
    throw InputError(fmt::format("batch: device \"cuda\": this {} has no {}: it is too old", what, name));
  f = reinterpret_cast<F>(address);
}

// Entries of a folder whose names begin so, the last name first; none where there is no folder.
std::vector<fs::path> entries(const fs::path& folder, const std::string& begin) {
  std::vector<fs::path> found;
  std::error_code none;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
    if (at->path().filename().string().starts_with(begin)) found.push_back(at->path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

void add_folder(std::vector<std::string>& names, const fs::path& folder) {
  for (const fs::path& library : entries(folder, "libnvrtc.so")) names.push_back(library.string());
}

// NVIDIA's packages for Python: nvidia/cu13/lib, nvidia/cuda_nvrtc/lib.
void add_environment(std::vector<std::string>& names, const fs::path& environment) {
  for (const char* const lib : {"lib", "lib64"}) {
    add_folder(names, environment / lib);
    for (const fs::path& python : entries(environment / lib, "python3"))
      for (const fs::path& package : entries(python / "site-packages" / "nvidia", "cu"))
        add_folder(names, package / "lib");
  }
}

std::string complaint(const Driver& driver, int result, const char* doing) {
  const char* words = nullptr;
  driver.error_text(result, &words);
  return fmt::format("batch: device \"cuda\": {}: {} ({})", doing, words != nullptr ? words : "unknown error", result);
}

}  // namespace

std::vector<std::string> compiler_names() {
  std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const home = std::getenv(variable)) {
      add_folder(names, fs::path(home) / "lib64");
      add_folder(names, fs::path(home) / "lib");
    }
  for (const fs::path& home : entries("/usr/local", "cuda")) {
    add_folder(names, home / "lib64");
    add_folder(names, home / "lib");
  }
  for (const char* const variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* const home = std::getenv(variable)) add_environment(names, home);
  // Those of the Python that is called first.
  const char* const path = std::getenv("PATH");
  for (std::string_view rest = path != nullptr ? path : ""; !rest.empty();) {
    const fs::path folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.native().size() + 1));
    std::error_code none;
    if (!fs::exists(folder / "python3", none)) continue;
    add_environment(names, folder.parent_path());
    break;
  }
  return names;
}

Driver load_driver(const std::vector<std::string>& names) {
  void* const library = open_first(names);
  if (library == nullptr)
    throw InputError(
        "batch: device \"cuda\": no NVIDIA driver on this machine (libcuda.so.1 is not found); device \"cpu\" runs on "
        "the "
        "processor");
  Driver d{};
  const auto get = [&](const char* name, auto& f) { find(library, "NVIDIA driver", name, f); };
  get("cuInit", d.init);
  get("cuDriverGetVersion", d.driver_version);
  get("cuDeviceGetCount", d.device_count);
  get("cuDeviceGet", d.device);
  get("cuDeviceGetName", d.device_name);
  get("cuDeviceGetAttribute", d.device_attribute);
  get("cuDevicePrimaryCtxRetain", d.retain_context);
  get("cuDevicePrimaryCtxRelease_v2", d.release_context);
  get("cuCtxPushCurrent_v2", d.push_context);
  get("cuCtxPopCurrent_v2", d.pop_context);
  get("cuCtxSynchronize", d.synchronise);
  get("cuMemGetInfo_v2", d.memory_info);
  get("cuMemAlloc_v2", d.allocate);
  get("cuMemFree_v2", d.release);
  get("cuMemcpyHtoD_v2", d.upload);
  get("cuMemcpyDtoH_v2", d.download);
  get("cuMemsetD8_v2", d.fill);
  get("cuModuleLoadData", d.load_module);
  get("cuModuleUnload", d.unload_module);
  get("cuModuleGetFunction", d.function);
  get("cuFuncSetAttribute", d.set_attribute);
  get("cuLaunchKernel", d.launch);
  get("cuGetErrorString", d.error_text);
  return d;
}

Compiler load_compiler(const std::vector<std::string>& names) {
  void* const library = open_first(names);
  if (library == nullptr)
    throw InputError(
        "batch: device \"cuda\": the model's kernel is not in the cache, and NVIDIA's run-time compiler to make it is "
        "not found "
        "(libnvrtc.so of CUDA 11.2 or newer); install it, or set CUDA_HOME to the folder whose lib64 has it");
  Compiler c{};
  const auto get = [&](const char* name, auto& f) { find(library, "NVRTC", name, f); };
  get("nvrtcVersion", c.version);
  get("nvrtcGetNumSupportedArchs", c.architecture_count);
  get("nvrtcGetSupportedArchs", c.architectures);
  get("nvrtcCreateProgram", c.create);
  get("nvrtcDestroyProgram", c.destroy);
  get("nvrtcCompileProgram", c.compile);
  get("nvrtcGetProgramLogSize", c.log_size);
  get("nvrtcGetProgramLog", c.log);
  get("nvrtcGetCUBINSize", c.cubin_size);
  get("nvrtcGetCUBIN", c.cubin);
  get("nvrtcGetPTXSize", c.ptx_size);
  get("nvrtcGetPTX", c.ptx);
  return c;
}

const Driver& driver() {
  static const Driver loaded = [] {
    const Driver d = load_driver({"libcuda.so.1", "libcuda.so"});
    if (const int result = d.init(0); result != 0)
      throw InputError(complaint(d, result, "starting the driver") + "; device \"cpu\" runs on the processor");
    return d;
  }();
  return loaded;
}

const Compiler& compiler() {
  static const Compiler loaded = load_compiler(compiler_names());
  return loaded;
}

void check(const Driver& driver, int result, const char* doing) {
  constexpr int out_of_memory = 2;
  if (result == 0) return;
  const std::string text = complaint(driver, result, doing);
  if (result == out_of_memory) throw InputError(text + "; take fewer robots, or free the card's memory");
  throw std::runtime_error(text);
}

}  // namespace taut::batch::cuda
