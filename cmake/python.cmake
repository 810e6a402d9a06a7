# The Python module: taut._taut from python/src, beside the package's own files. In the build folder
# PYTHONPATH=build/python finds the package: links to python/taut, so that a change of them needs no build.
# It is made for Debian's Python, which has Debian's numpy; -DPython_EXECUTABLE names another.
set(PYBIND11_FINDPYTHON ON)
if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python that the module is made for")
endif()
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 CONFIG REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cpp)
pybind11_add_module(taut-python MODULE NO_EXTRAS ${python_sources} ${taut_objects})
target_compile_features(taut-python PRIVATE cxx_std_20)
target_include_directories(taut-python PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(taut-python PRIVATE Eigen3::Eigen ${taut_needs} nlohmann_json::nlohmann_json)
set_target_properties(taut-python PROPERTIES OUTPUT_NAME _taut
                                             LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/taut)
taut_options(taut-python)
taut_optimise(taut-python -O2)
taut_precompile(taut-python <pybind11/numpy.h> <pybind11/pybind11.h>)
# Only the module's entry is seen from outside: two copies of a library in one process do not meet.
target_link_options(taut-python PRIVATE LINKER:--exclude-libs,ALL LINKER:--as-needed)

file(GLOB_RECURSE python_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python python/taut/*.py
     python/taut/*.pyi python/taut/py.typed)
foreach(file ${python_files})
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/${file} ${PROJECT_BINARY_DIR}/python/${file} SYMBOLIC)
  install(FILES python/${file} DESTINATION ${folder} COMPONENT python EXCLUDE_FROM_ALL)
endforeach()
install(TARGETS taut-python LIBRARY DESTINATION taut COMPONENT python EXCLUDE_FROM_ALL)
