# What a build needs and a fresh machine lacks, named all at once and before anything is compiled: header and Debian package.
# What each find_package accepts is decided there; this only says early and together what would fail one by one.
set(_requirements
  "Eigen/Core|libeigen3-dev" "tbb/tbb.h|libtbb-dev" "fmt/core.h|libfmt-dev" "nlohmann/json.hpp|nlohmann-json3-dev"
  "toml++/toml.h|libtomlplusplus-dev" "openssl/evp.h|libssl-dev" "sodium.h|libsodium-dev" "xgboost/c_api.h|libxgboost-dev"
  "CLI/CLI.hpp|libcli11-dev" "boost/beast/version.hpp|libboost1.81-dev" "zlib.h|zlib1g-dev" "zstd.h|libzstd-dev")

# Of a source distribution only the page is made.
if(SKBUILD_STATE STREQUAL "sdist")
  set(_requirements "")
endif()

function(_hyobscure_missing_packages result)
  set(missing "")
  foreach(requirement IN LISTS _requirements)
    string(REPLACE "|" ";" requirement "${requirement}")
    list(GET requirement 0 header)
    list(GET requirement 1 package)
    find_path(folder "${header}" PATH_SUFFIXES eigen3 NO_CACHE)
    if(NOT folder)
      list(APPEND missing "${package}")
    endif()
    unset(folder)
  endforeach()
  find_program(compiler NAMES c++ g++ clang++ NO_CACHE)
  if(_requirements AND NOT compiler AND NOT CMAKE_CXX_COMPILER AND "$ENV{CXX}" STREQUAL "")
    list(PREPEND missing g++)
  endif()
  if(_requirements AND HYOBSCURE_PYTHON_MODULE AND Python_EXECUTABLE)
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('include'))"
      OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT EXISTS "${headers}/Python.h")
      list(APPEND missing python3-dev)
    endif()
  endif()
  find_program(npm npm NO_CACHE)
  if(NOT npm AND HYOBSCURE_FETCHES)
    list(APPEND missing npm)
  endif()
  set(${result} "${missing}" PARENT_SCOPE)
endfunction()

# What `./run` fetches from npm by version and fingerprint. Within pip, which fetches anyhow, this does it; else `./run build`.
include("${CMAKE_CURRENT_LIST_DIR}/ReportPage.cmake")
set(HYOBSCURE_FETCHES "")
find_path(_duckdb duckdb.h PATHS "${CMAKE_CURRENT_LIST_DIR}/../.deps/duckdb/include" NO_CACHE)
if(NOT _duckdb AND NOT SKBUILD_STATE STREQUAL "sdist")
  list(APPEND HYOBSCURE_FETCHES duckdb)
endif()
hyobscure_page_needs(_page_needs)
list(APPEND HYOBSCURE_FETCHES ${_page_needs})

_hyobscure_missing_packages(_missing)
if(_missing)
  list(JOIN _missing " " _missing)
  message(FATAL_ERROR "These packages are missing; their names are those of Debian 12:\n"
    "  apt-get install ${_missing}\n`./run build` installs them, where it may.")
endif()
if(HYOBSCURE_FETCHES AND SKBUILD)
  execute_process(COMMAND "${PROJECT_SOURCE_DIR}/run" fetch ${HYOBSCURE_FETCHES} RESULT_VARIABLE _failed)
  if(_failed)
    message(FATAL_ERROR "`./run fetch ${HYOBSCURE_FETCHES}` failed: it takes packages of npm, from the network")
  endif()
endif()
