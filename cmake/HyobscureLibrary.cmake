# hyobscure_library(solve ROOMS channel groups USES base LIBRARIES TBB::tbb TESTS_USE release TESTS_LIBRARIES rapidcheck)
#
# A folder of src/hyobscure, or some of its rooms, as a library of its own: what it USES is all that it can link, so an
# include that points downstream fails to link, too. Every *.cpp belongs to the library, every *_test.cpp to the program
# <name>_tests, every header that is not of a test (test_*.h) is installed. ctest runs the tests of a folder in a few
# processes: a process for each test would spend most of its time loading libraries.
function(hyobscure_library name)
  cmake_parse_arguments(arg "" "" "ROOMS;USES;LIBRARIES;TESTS_USE;TESTS_LIBRARIES" ${ARGN})
  list(TRANSFORM arg_ROOMS APPEND "/" OUTPUT_VARIABLE rooms)
  if(NOT rooms)
    set(rooms "")
    set(sources_of "${CMAKE_CURRENT_SOURCE_DIR}/")
  else()
    list(TRANSFORM rooms PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE sources_of)
  endif()
  list(TRANSFORM sources_of APPEND "*.cpp" OUTPUT_VARIABLE globs)
  file(GLOB sources CONFIGURE_DEPENDS ${globs})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/test_[a-z_]*)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM sources_of APPEND "*.h" OUTPUT_VARIABLE globs)
  file(GLOB headers CONFIGURE_DEPENDS ${globs})
  list(FILTER headers EXCLUDE REGEX "/test_[a-z_]*\\.h$")

  set(library hyobscure_${name})
  add_library(${library} STATIC ${sources})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_sources(${library} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${headers})
  list(TRANSFORM arg_USES PREPEND hyobscure_ OUTPUT_VARIABLE upstream)
  target_link_libraries(${library} PUBLIC ${upstream} Eigen3::Eigen
    PRIVATE $<BUILD_INTERFACE:hyobscure_flags> fmt::fmt $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> ${arg_LIBRARIES})
  target_compile_features(${library} PUBLIC cxx_std_20)
  # The library may be built with wider vectors than its user: the alignment of Eigen's memory must not depend on that.
  target_compile_definitions(${library} PUBLIC EIGEN_MAX_ALIGN_BYTES=32)
  # Parsing Eigen and fmt again in every file would be half of the build time.
  if(TARGET hyobscure_base AND NOT name STREQUAL base)
    target_precompile_headers(${library} REUSE_FROM hyobscure_base)
  else()
    target_precompile_headers(${library} PRIVATE <Eigen/Dense> <fmt/format.h> <fmt/ranges.h> <algorithm> <filesystem>
      <functional> <map> <string> <vector>)
  endif()
  hyobscure_compile_together(${library} "${sources}")
  target_link_libraries(hyobscure INTERFACE ${library})
  set_property(GLOBAL APPEND PROPERTY hyobscure_libraries ${library})

  # Links all of the library with what it USES and nothing else: a symbol from downstream is an error.
  if(HYOBSCURE_TESTS AND NOT HYOBSCURE_SANITIZE)
    add_library(${name}_alone MODULE "${PROJECT_SOURCE_DIR}/cmake/nothing.cpp")
    target_link_libraries(${name}_alone PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${library}>")
    target_link_options(${name}_alone PRIVATE -Wl,--no-undefined)
  endif()
  if(HYOBSCURE_TESTS AND tests)
    list(TRANSFORM arg_TESTS_USE PREPEND hyobscure_)
    hyobscure_unit_tests(${name} "${tests}" "${library};${arg_TESTS_USE};${arg_TESTS_LIBRARIES}")
  endif()
endfunction()

# Where the preset asks for it (CMAKE_UNITY_BUILD), the sources of a room are one for the compiler, which takes a third of the
# time. So names, even those without a namespace of their own, are unique in a room.
function(hyobscure_compile_together target sources)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH room)
    cmake_path(GET room FILENAME room)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
  endforeach()
endfunction()

function(hyobscure_unit_tests name sources libraries)
  set(places "${PROJECT_SOURCE_DIR}/src/hyobscure/base/test_places.cpp")
  add_executable(${name}_tests ${sources} ${places})
  set_source_files_properties(${places} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON
    COMPILE_DEFINITIONS HYOBSCURE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  hyobscure_compile_together(${name}_tests "${sources}")
  target_link_libraries(${name}_tests PRIVATE ${libraries} hyobscure_test_flags GTest::gmock_main fmt::fmt
    nlohmann_json::nlohmann_json)
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
endfunction()
