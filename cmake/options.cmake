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
endfunction()

# What nearly every file includes is read once, unless ccache keeps the objects (it cannot together with this) or warnings
# matter: g++ 12 then suspects the standard library itself.
function(taut_precompile target)
  if(NOT TAUT_WERROR AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_compile_options(${target} PRIVATE -w)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <filesystem> <functional> <memory> <string> <vector>
                              <Eigen/Core> <Eigen/Geometry> <Eigen/SparseCore> <fmt/format.h> ${ARGN})
  endif()
endfunction()

# Address and undefined-behaviour sanitizers, assertions on, and other roundings (no fused multiply-add). Warnings are errors
# but for those that come from following values, which differ between processors. What the address sanitizer or Eigen's
# assertions find anyway is not looked for twice: that halves the compilation.
function(taut_sanitize target)
  target_compile_options(
    ${target} PRIVATE -O1 -g1 -UNDEBUG -ffp-contract=off -Werror -Wno-uninitialized -Wno-error=array-bounds
                      -Wno-error=stringop-overflow -Wno-error=stringop-overread -Wno-error=nonnull -Wno-error=dangling-pointer
                      -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow,nonnull-attribute)
  target_link_options(${target} PUBLIC -fsanitize=address,undefined)
endfunction()
