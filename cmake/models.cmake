# The shipped models as part of the program: ${CMAKE_BINARY_DIR}/shipped_models.cpp, made anew when one changes. Files that
# build on another file (a `model = ...` line) need it beside them and are left out.
file(GLOB shipped_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/models/*.toml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shipped_files})
set(shipped_entries "")
foreach(file ${shipped_files})
  file(READ ${file} text)
  if("${text}" MATCHES "(^|\n)model *=")
    continue()
  endif()
  get_filename_component(name ${file} NAME)
  # A string literal holds 64 kB at most by the standard; pieces of less are joined by the compiler.
  string(LENGTH "${text}" length)
  string(APPEND shipped_entries "      {\"${name}\",\n")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND shipped_entries "       R\"toml(${piece})toml\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  string(APPEND shipped_entries "      },\n")
endforeach()
file(
  GENERATE
  OUTPUT ${CMAKE_BINARY_DIR}/shipped_models.cpp
  CONTENT
    "#include \"apps/taut/shipped_models.h\"\n\nnamespace taut {\n\nconst std::vector<ShippedModel>& shipped_models() {\n  static const std::vector<ShippedModel> list = {\n${shipped_entries}  };\n  return list;\n}\n\n}  // namespace taut\n"
)
