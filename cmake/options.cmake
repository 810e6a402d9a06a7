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
  if(TAUT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()
