# cmake -DNPM=... -DFOLDER=... -DSTAMP=... -P viewer_packages.cmake: npm ci, quiet unless it fails. Two builds at a time
# wait for each other; the second finds the work done.
file(LOCK ${FOLDER}/.npm-lock TIMEOUT 600)
set(lock ${FOLDER}/package-lock.json)
if(EXISTS ${STAMP} AND ${STAMP} IS_NEWER_THAN ${lock} AND NOT ${lock} IS_NEWER_THAN ${STAMP})
  return()
endif()
execute_process(
  COMMAND ${NPM} ci --prefer-offline --no-audit --no-fund --ignore-scripts --loglevel=error
  WORKING_DIRECTORY ${FOLDER}
  RESULT_VARIABLE status
  OUTPUT_VARIABLE said
  ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The viewer's packages could not be installed:\n${said}\n"
                      "They come from the npm registry; without a network, build without reports: -DTAUT_VIEWER=OFF")
endif()
file(TOUCH ${STAMP})
