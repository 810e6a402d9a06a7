# HDF5 (serial, C), SUNDIALS and KLU as targets; their own CMake files are incomplete on Debian. Installed beside
# taut-config.cmake, so that a project which uses taut finds them in the same way.
find_package(ZLIB REQUIRED)

if(NOT TARGET taut_hdf5)
  find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
  find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5 REQUIRED)
  add_library(taut_hdf5 INTERFACE IMPORTED)
  target_include_directories(taut_hdf5 INTERFACE ${HDF5_INCLUDE_DIR})
  target_link_libraries(taut_hdf5 INTERFACE ${HDF5_LIBRARY})
endif()

if(NOT TARGET taut_sundials)
  find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h REQUIRED)
  add_library(taut_sundials INTERFACE IMPORTED)
  target_include_directories(taut_sundials INTERFACE ${SUNDIALS_INCLUDE_DIR})
  foreach(part cvode nvecserial)
    find_library(SUNDIALS_${part} sundials_${part} REQUIRED)
    target_link_libraries(taut_sundials INTERFACE ${SUNDIALS_${part}})
  endforeach()
endif()

if(NOT TARGET taut_klu)
  find_path(KLU_INCLUDE_DIR suitesparse/klu.h REQUIRED)
  find_library(KLU_LIBRARY klu REQUIRED)
  add_library(taut_klu INTERFACE IMPORTED)
  target_include_directories(taut_klu INTERFACE ${KLU_INCLUDE_DIR})
  target_link_libraries(taut_klu INTERFACE ${KLU_LIBRARY})
endif()
