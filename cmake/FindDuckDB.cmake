# DuckDB::DuckDB: a DuckDB of the system where there is one, else the copy that `./run` unpacks into .deps/duckdb.
find_path(DuckDB_INCLUDE_DIR duckdb.h)
find_library(DuckDB_LIBRARY duckdb)
set(_duckdb_bundled "${CMAKE_CURRENT_LIST_DIR}/../.deps/duckdb")
if(NOT DuckDB_LIBRARY OR NOT DuckDB_INCLUDE_DIR)
  unset(DuckDB_INCLUDE_DIR CACHE)
  unset(DuckDB_LIBRARY CACHE)
  # The installed package keeps its copy of the library beside our own, two levels above this file.
  find_path(DuckDB_INCLUDE_DIR duckdb.h PATHS "${_duckdb_bundled}/include"
    "${CMAKE_CURRENT_LIST_DIR}/../../../include" NO_DEFAULT_PATH)
  find_library(DuckDB_LIBRARY duckdb PATHS "${_duckdb_bundled}/lib" "${CMAKE_CURRENT_LIST_DIR}/../.." NO_DEFAULT_PATH)
  set(DuckDB_IS_BUNDLED TRUE)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DuckDB REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run './run build' once: it fetches DuckDB by package name")
if(DuckDB_FOUND AND NOT TARGET DuckDB::DuckDB)
  add_library(DuckDB::DuckDB SHARED IMPORTED)
  set_target_properties(DuckDB::DuckDB PROPERTIES IMPORTED_LOCATION "${DuckDB_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${DuckDB_INCLUDE_DIR}")
endif()
mark_as_advanced(DuckDB_INCLUDE_DIR DuckDB_LIBRARY)
