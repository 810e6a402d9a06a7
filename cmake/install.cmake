# `cmake --install`: the program, the library, the headers, the models, and taut::taut for find_package(taut).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(taut_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/taut)

install(TARGETS taut-app RUNTIME)
install(TARGETS taut EXPORT taut-targets ARCHIVE LIBRARY)
install(DIRECTORY taut DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/taut)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DATADIR}/taut)

install(EXPORT taut-targets NAMESPACE taut:: DESTINATION ${taut_cmake_dir})
configure_package_config_file(cmake/taut-config.cmake.in ${PROJECT_BINARY_DIR}/taut-config.cmake
                              INSTALL_DESTINATION ${taut_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/taut-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/taut-config.cmake ${PROJECT_BINARY_DIR}/taut-config-version.cmake
              cmake/libraries.cmake DESTINATION ${taut_cmake_dir})
