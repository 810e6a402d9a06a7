# Compiler settings shared by every target of this project.
function(taut_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           # g++ 12 reports AVX-512 intrinsics and moved strings that are fine
                                           -Wno-maybe-uninitialized -Wno-restrict -Wno-psabi -Wno-free-nonheap-object)
  if(TAUT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # Public: vectors in the headers have the layout of the processor compiled for, so users must compile for the same.
  if(TAUT_NATIVE)
    target_compile_options(${target} PUBLIC -march=native)
  endif()
  # Contraction to fused multiply-add stays on; results must not depend on errno or trapping.
  target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math)
  # Undefined behaviour is looked for in what users run, not in the tests around it: that halves their compilation.
  if(TAUT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address -fno-omit-frame-pointer)
    if(NOT target STREQUAL taut-tests)
      target_compile_options(${target} PRIVATE -fsanitize=undefined -fno-sanitize-recover=all)
    endif()
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  # What nearly every file includes is read once, unless ccache keeps the objects (it cannot together with this) or warnings
  # matter: g++ 12 then suspects the standard library itself.
  if(NOT TAUT_WERROR AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND target MATCHES "^taut(-app|-tests)?$")
    target_compile_options(${target} PRIVATE -w)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <filesystem> <functional> <memory> <string> <vector>
                              <Eigen/Core> <Eigen/Geometry> <Eigen/SparseCore> <fmt/format.h> ${ARGN})
  endif()
endfunction()
