// NVIDIA's driver and run-time compiler, loaded when a card is first asked for: nothing of them is needed to build or to
// start. What is declared here is what the batch uses of their interfaces.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace taut::batch::cuda {

// libcuda.
struct Driver {
  int (*init)(unsigned);
  int (*driver_version)(int*);
  int (*device_count)(int*);
  int (*device)(int*, int);
  int (*device_name)(char*, int, int);
  int (*device_attribute)(int*, int, int);
  int (*retain_context)(void**, int);
  int (*release_context)(int);
  int (*push_context)(void*);
  int (*pop_context)(void**);
  int (*synchronise)();
  int (*memory_info)(std::size_t*, std::size_t*);
  int (*allocate)(unsigned long long*, std::size_t);
  int (*release)(unsigned long long);
  int (*upload)(unsigned long long, const void*, std::size_t);
  int (*download)(void*, unsigned long long, std::size_t);
  int (*fill)(unsigned long long, unsigned char, std::size_t);
  int (*load_module)(void**, const void*);
  int (*unload_module)(void*);
  int (*function)(void**, void*, const char*);
  int (*set_attribute)(void*, int, int);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  int (*error_text)(int, const char**);
};

// libnvrtc.
struct Compiler {
  int (*version)(int*, int*);
  int (*architecture_count)(int*);
  int (*architectures)(int*);
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*destroy)(void**);
  int (*compile)(void*, int, const char* const*);
  int (*log_size)(void*, std::size_t*);
  int (*log)(void*, char*);
  int (*cubin_size)(void*, std::size_t*);
  int (*cubin)(void*, char*);
  int (*ptx_size)(void*, std::size_t*);
  int (*ptx)(void*, char*);
};

// Loaded once. Throws InputError: no such library, or one that is too old. `names`: file names to try.
const Driver& driver();
const Compiler& compiler();
Driver load_driver(const std::vector<std::string>& names);
Compiler load_compiler(const std::vector<std::string>& names);

// Where NVRTC may lie: the system's path, CUDA_HOME, /usr/local/cuda*, NVIDIA's packages in `python`'s or conda's folders.
std::vector<std::string> compiler_names();

// Throws std::runtime_error with the driver's words where `result` is an error; InputError where memory is short.
void check(const Driver& driver, int result, const char* doing);

}  // namespace taut::batch::cuda
