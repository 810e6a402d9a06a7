# libtaut_c: taut/taut_c.h for C and for what calls C. A shared library of the same objects as the program; its functions
# alone are seen from outside, with the version in which they came.
option(TAUT_C "Build the C library" ON)
if(NOT TAUT_C)
  return()
endif()

file(GLOB taut_c_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/taut/c/*.cpp)
set(taut_c_map ${PROJECT_SOURCE_DIR}/cmake/taut_c.map)
# Without sweeps, and so without MPI, and without what stands on their expressions.
foreach(objects IN LISTS taut_objects)
  list(APPEND taut_c_objects "$<FILTER:${objects},EXCLUDE,/taut/(sweep|gradient)/>")
endforeach()
add_library(taut-c SHARED ${taut_c_objects} ${taut_c_sources})
add_library(taut::c ALIAS taut-c)
set_target_properties(
  taut-c PROPERTIES OUTPUT_NAME taut_c EXPORT_NAME c VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                    LINK_DEPENDS ${taut_c_map})
target_compile_features(taut-c PRIVATE cxx_std_20)
target_include_directories(taut-c PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
target_link_libraries(taut-c PRIVATE $<BUILD_INTERFACE:Eigen3::Eigen> "$<BUILD_INTERFACE:${taut_needs}>")
taut_options(taut-c)
taut_optimise(taut-c -O2)
taut_precompile(taut-c)
target_link_options(taut-c PRIVATE LINKER:--version-script=${taut_c_map} LINKER:--no-undefined LINKER:--as-needed
                    LINKER:--gc-sections)

include(GNUInstallDirs)
# Found by find_package(taut COMPONENTS c) and by pkg-config taut-c, without what taut::taut needs.
install(TARGETS taut-c EXPORT taut-c-targets LIBRARY)
install(FILES ${PROJECT_SOURCE_DIR}/taut/taut_c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/taut)
install(EXPORT taut-c-targets NAMESPACE taut:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/taut)
file(RELATIVE_PATH taut_include_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/taut-c.pc.in ${PROJECT_BINARY_DIR}/taut-c.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/taut-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# MATLAB's package, to be built where it is used (docs/matlab.md).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/matlab DESTINATION ${CMAKE_INSTALL_DATADIR}/taut PATTERN tests EXCLUDE
        PATTERN "*.mex*" EXCLUDE)
