# hyobscure_module(solve SOURCES a.cpp HEADERS a.h TESTS a_test.cpp)
#
# Adds one folder of src/hyobscure to the library. HEADERS are the public ones and get installed; a header that is not
# listed is private. All tests of a folder form one program, <module>_tests, which ctest runs in a few processes: a process
# for each test would spend most of its time loading libraries.
function(hyobscure_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;TESTS" ${ARGN})
  list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM arg_HEADERS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(hyobscure PRIVATE ${arg_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${arg_HEADERS})

  if(HYOBSCURE_TESTS AND arg_TESTS)
    set(places "${PROJECT_SOURCE_DIR}/src/hyobscure/base/test_places.cpp")
    add_executable(${name}_tests ${arg_TESTS} ${places})
    set_source_files_properties(${places} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
      COMPILE_DEFINITIONS HYOBSCURE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name}_tests PRIVATE hyobscure hyobscure_flags GTest::gmock_main
      fmt::fmt nlohmann_json::nlohmann_json)
    if(TARGET base_tests AND NOT name STREQUAL base)
      target_precompile_headers(${name}_tests REUSE_FROM base_tests)
    else()
      target_precompile_headers(${name}_tests PRIVATE <Eigen/Dense> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
    endif()
    set(processes 8)
    foreach(process RANGE 1 ${processes})
      math(EXPR index "${process} - 1")
      add_test(NAME ${name}_${process} COMMAND ${name}_tests --gtest_brief=1)
      set_tests_properties(${name}_${process} PROPERTIES LABELS unit
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${processes};GTEST_SHARD_INDEX=${index}")
    endforeach()
  endif()
endfunction()
