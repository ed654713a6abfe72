# `cmake --install` gives a package that find_package(hyobscure) finds, with what it cannot count on finding elsewhere.
include(CMakePackageConfigHelpers)

set(hyobscure_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hyobscure)
get_property(libraries GLOBAL PROPERTY hyobscure_libraries)
install(TARGETS hyobscure ${libraries} EXPORT hyobscureTargets FILE_SET HEADERS)
install(TARGETS hyobscure_cli)
# The library is linked statically; DuckDB is found beside the installed program.
hyobscure_install_path(hyobscure_cli ${CMAKE_INSTALL_BINDIR} "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(EXPORT hyobscureTargets NAMESPACE hyobscure:: DESTINATION ${hyobscure_package_dir})
if(DuckDB_IS_BUNDLED)
  install(FILES ${DuckDB_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${DuckDB_INCLUDE_DIR}/duckdb.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()

configure_package_config_file(cmake/hyobscureConfig.cmake.in hyobscureConfig.cmake
  INSTALL_DESTINATION ${hyobscure_package_dir})
write_basic_package_version_file(hyobscureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/hyobscureConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/hyobscureConfigVersion.cmake
  cmake/FindSodium.cmake
  cmake/FindDuckDB.cmake
  cmake/FindXGBoost.cmake
  cmake/FindZstd.cmake
  DESTINATION ${hyobscure_package_dir})
install(DIRECTORY experiments/ DESTINATION ${CMAKE_INSTALL_DATADIR}/hyobscure/experiments FILES_MATCHING PATTERN "*.toml")
