# hyobscure_module(solve SOURCES a.cpp HEADERS a.h TESTS a_test.cpp)
#
# Adds one folder of src/hyobscure to the library. HEADERS are the public ones and get installed; a header that is not
# listed is private. All tests of a folder form one program, <module>_tests.
function(hyobscure_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;TESTS" ${ARGN})
  list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM arg_HEADERS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(hyobscure PRIVATE ${arg_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${arg_HEADERS})

  if(HYOBSCURE_TESTS AND arg_TESTS)
    add_executable(${name}_tests ${arg_TESTS})
    target_compile_definitions(${name}_tests PRIVATE HYOBSCURE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name}_tests PRIVATE hyobscure hyobscure_flags GTest::gmock_main
      fmt::fmt nlohmann_json::nlohmann_json)
    if(TARGET base_tests AND NOT name STREQUAL base)
      target_precompile_headers(${name}_tests REUSE_FROM base_tests)
    else()
      target_precompile_headers(${name}_tests PRIVATE <Eigen/Dense> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
    endif()
    gtest_discover_tests(${name}_tests NO_PRETTY_VALUES PROPERTIES LABELS unit DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
