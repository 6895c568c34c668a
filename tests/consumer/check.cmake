# SPDX-License-Identifier: Apache-2.0
# Installs the library from BUILD_DIR under WORK_DIR, builds and runs the project in SOURCE_DIR with
# it, and checks that PAGE shows its text and its output.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

function(expect_shown text what)
  file(READ ${PAGE} page)
  string(FIND "${page}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${PAGE} does not show ${what}:\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --component library --prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -D CMAKE_CXX_COMPILER=${CXX}
    -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)
expect_shown("${out}" "the output")
foreach(name main.cpp CMakeLists.txt)
  file(READ ${SOURCE_DIR}/${name} text)
  string(REGEX REPLACE "^[^\n]*SPDX[^\n]*\n" "" text "${text}")
  expect_shown("${text}" "${name}")
endforeach()
