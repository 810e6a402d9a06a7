# Compiler settings shared by every target of this project.

# One level of instructions for all machines of a kind, so that a program built here runs there: AVX2 and fused
# multiply-add, which every x86-64 processor since about 2015 has. -DTAUT_ARCH=native takes all that this one has.
set(arch "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND PROJECT_IS_TOP_LEVEL)
  set(arch x86-64-v3)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo has_avx2 REGEX "^flags.* avx2 " LIMIT_COUNT 1)
    if(NOT has_avx2)
      set(arch x86-64-v2)
    endif()
  endif()
endif()
set(TAUT_ARCH "${arch}" CACHE STRING "-march= of every target: x86-64-v3, native, ...; empty: the compiler's own")

# Vectors of Eigen cross the library's border. With these, their layout and their memory are the same for every -march, so
# users may compile for any processor. Sums do not depend on where malloc puts a vector: all begin on 64 bytes.
set(taut_layout EIGEN_MAX_ALIGN_BYTES=64 EIGEN_MAX_STATIC_ALIGN_BYTES=16)

# Those warnings of g++ 12 that come from following values differ between processors and levels of optimisation, and most
# are wrong about the standard library or Eigen: they are off. All others are errors.
function(taut_options target)
  target_compile_definitions(${target} PRIVATE ${taut_layout})
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-psabi -Wno-uninitialized
                      -Wno-maybe-uninitialized -Wno-restrict -Wno-free-nonheap-object -Wno-array-bounds
                      -Wno-stringop-overflow -Wno-stringop-overread -Wno-nonnull -Wno-dangling-pointer)
  if(TAUT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(TAUT_ARCH)
    target_compile_options(${target} PRIVATE -march=${TAUT_ARCH})
  endif()
  # g++ collects its garbage later: a tenth of the time for a tenth more memory.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE --param=ggc-min-expand=1000 --param=ggc-min-heapsize=524288)
  endif()
  # Contraction to fused multiply-add stays on; results must not depend on errno or trapping.
  target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math -fno-semantic-interposition)
endfunction()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
function(taut_optimise target level)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${target} PRIVATE ${level})
  endif()
endfunction()

# What nearly every file includes is read once, unless ccache keeps the objects (it cannot together with this).
function(taut_precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <filesystem> <functional> <memory> <string> <vector>
                              <Eigen/Core> <Eigen/Geometry> <Eigen/SparseCore> <fmt/format.h>
                              ${PROJECT_SOURCE_DIR}/taut/solve/product_kernels.h ${ARGN})
  endif()
endfunction()

# Address and undefined-behaviour sanitizers, assertions on, and other roundings (no fused multiply-add). What the address
# sanitizer or Eigen's assertions find anyway is not looked for twice: that halves the compilation.
function(taut_sanitize target)
  target_compile_options(
    ${target} PRIVATE -O1 -g1 -UNDEBUG -ffp-contract=off -fno-omit-frame-pointer -fsanitize=address,undefined
                      -fno-sanitize-recover=all
                      -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow,nonnull-attribute)
  target_link_options(${target} PUBLIC -fsanitize=address,undefined)
endfunction()
