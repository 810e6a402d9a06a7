# The browser viewer: `viewer` bundles viewer/ into ${CMAKE_BINARY_DIR}/viewer/page.html, one file with script and style
# inlined; a source that changed bundles it anew. With TAUT_TESTS also the tests labelled `viewer`.
option(TAUT_VIEWER "Bundle the browser viewer into the library (needs nodejs and npm); OFF: no reports" ON)
if(NOT TAUT_VIEWER)
  return()
endif()

find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM npm PATHS ${CMAKE_CURRENT_SOURCE_DIR}/viewer/.npm)
if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
  message(FATAL_ERROR "The viewer for reports is bundled by Node.js, and node or npm is not here. On Debian: "
                      "apt-get install nodejs npm. Or build without reports: -DTAUT_VIEWER=OFF")
endif()
execute_process(COMMAND ${NODE_PROGRAM} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX REPLACE "^v" "" node_version "${node_version}")
if(node_version VERSION_LESS 18)
  message(FATAL_ERROR "The viewer needs Node.js 18 or newer; ${NODE_PROGRAM} is ${node_version}. "
                      "Or build without reports: -DTAUT_VIEWER=OFF")
endif()

set(viewer_dir ${CMAKE_CURRENT_SOURCE_DIR}/viewer)
set(viewer_out ${CMAKE_BINARY_DIR}/viewer)

# Packages, when the lock file changed. They lie in viewer/node_modules, shared by all build folders, so the stamp does
# too; npm takes what it has kept before it asks the network.
set(viewer_stamp ${viewer_dir}/node_modules/.taut-installed)
add_custom_command(
  OUTPUT ${viewer_stamp}
  COMMAND ${CMAKE_COMMAND} -DNPM=${NPM_PROGRAM} -DFOLDER=${viewer_dir} -DSTAMP=${viewer_stamp}
          -P ${CMAKE_CURRENT_LIST_DIR}/viewer_packages.cmake
  DEPENDS ${viewer_dir}/package-lock.json ${viewer_dir}/package.json
  COMMENT "Installing the viewer's packages (npm ci)"
  VERBATIM)

file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS ${viewer_dir}/src/*)
add_custom_command(
  OUTPUT ${viewer_out}/page.html
  COMMAND ${NODE_PROGRAM} ${viewer_dir}/build.mjs page ${viewer_out}/page.html
  DEPENDS ${viewer_stamp} ${viewer_sources} ${viewer_dir}/build.mjs
  COMMENT "Bundling the viewer"
  VERBATIM)
add_custom_target(viewer DEPENDS ${viewer_out}/page.html)

# Types, unit tests, and the page in a real browser (skipped where there is no Chromium).
if(TAUT_TESTS)
  enable_testing()
  add_test(NAME viewer.types COMMAND ${NODE_PROGRAM} node_modules/typescript/bin/tsc --noEmit
           WORKING_DIRECTORY ${viewer_dir})
  add_test(NAME viewer.unit COMMAND ${NODE_PROGRAM} test/run.mjs unit WORKING_DIRECTORY ${viewer_dir})
  add_test(NAME viewer.browser COMMAND ${NODE_PROGRAM} test/run.mjs e2e WORKING_DIRECTORY ${viewer_dir})
  set_tests_properties(viewer.types viewer.unit viewer.browser PROPERTIES LABELS viewer TIMEOUT 600)
  set_tests_properties(
    viewer.browser PROPERTIES SKIP_RETURN_CODE 77 RUN_SERIAL ON
                              ENVIRONMENT "TAUT_PAGE=${viewer_out}/page.html;TAUT_PROGRAM=$<TARGET_FILE:taut-app>")
endif()
