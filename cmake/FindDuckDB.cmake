# DuckDB::DuckDB: a DuckDB of the system where there is one, else the copy that `./run` unpacks into .deps/duckdb. An
# installed hyobscure has its copy beside its own library, two folders above this file.
# DuckDB_IS_BUNDLED: the copy of .deps, which an installation must take along.
set(_bundled "${CMAKE_CURRENT_LIST_DIR}/../.deps/duckdb")
find_path(DuckDB_INCLUDE_DIR duckdb.h)
find_path(DuckDB_INCLUDE_DIR duckdb.h PATHS "${_bundled}/include" "${CMAKE_CURRENT_LIST_DIR}/../../../include" NO_DEFAULT_PATH)
find_library(DuckDB_LIBRARY duckdb)
find_library(DuckDB_LIBRARY duckdb PATHS "${_bundled}/lib" "${CMAKE_CURRENT_LIST_DIR}/../.." NO_DEFAULT_PATH)
cmake_path(IS_PREFIX _bundled "${DuckDB_LIBRARY}" NORMALIZE DuckDB_IS_BUNDLED)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DuckDB REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run './run build' once: it fetches DuckDB by package name")
if(DuckDB_FOUND AND NOT TARGET DuckDB::DuckDB)
  add_library(DuckDB::DuckDB SHARED IMPORTED)
  set_target_properties(DuckDB::DuckDB PROPERTIES IMPORTED_LOCATION "${DuckDB_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${DuckDB_INCLUDE_DIR}")
endif()
mark_as_advanced(DuckDB_INCLUDE_DIR DuckDB_LIBRARY)
