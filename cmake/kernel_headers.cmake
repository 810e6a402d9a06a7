# The headers of the batch kernel as part of the library, for NVRTC: ${CMAKE_BINARY_DIR}/kernel_headers.cpp, made anew when
# one changes.
file(GLOB kernel_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} taut/batch/kernel.h taut/batch/kernel/*.h
     taut/base/number.h taut/forces/rigid_contact.h taut/forces/rigid_rod.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernel_headers})
set(kernel_entries "")
foreach(file ${kernel_headers})
  file(READ ${file} text)
  # A string literal holds 64 kB at most by the standard; pieces of less are joined by the compiler.
  string(LENGTH "${text}" length)
  string(APPEND kernel_entries "      {\"${file}\",\n")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND kernel_entries "       R\"header(${piece})header\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  string(APPEND kernel_entries "      },\n")
endforeach()
file(
  GENERATE
  OUTPUT ${CMAKE_BINARY_DIR}/kernel_headers.cpp
  CONTENT
    "#include \"taut/batch/cuda/source.h\"\n\nnamespace taut::batch {\n\nconst std::vector<KernelHeader>& kernel_headers() {\n  static const std::vector<KernelHeader> list = {\n${kernel_entries}  };\n  return list;\n}\n\n}  // namespace taut::batch\n"
)
