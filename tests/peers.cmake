# The outside check against MuJoCo, Simbody and Bullet: links what bench/peers found installed. Include after taut_test_needs.
if(NOT TARGET taut_peers)
  add_subdirectory(${PROJECT_SOURCE_DIR}/bench/peers ${PROJECT_BINARY_DIR}/bench/peers)
endif()
target_link_libraries(taut_test_needs INTERFACE taut_peers)
