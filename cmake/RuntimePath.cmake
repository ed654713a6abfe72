# Where our programs find their libraries: by whole paths in the build tree (the program itself by the way to them), beside
# themselves once installed.
#
# CMake would change one into the other by itself, but what it changes ends in an empty entry, which the loader takes for the
# current folder: `cd release && hyobscure verify .` would run a library that came with the release. So it must not, and
# hyobscure_install_path does instead.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "")
foreach(library "${DuckDB_LIBRARY}" "${Sodium_LIBRARY}" "${XGBoost_LIBRARY}")
  cmake_path(GET library PARENT_PATH folder)
  list(APPEND CMAKE_INSTALL_RPATH "${folder}")
endforeach()
list(REMOVE_DUPLICATES CMAKE_INSTALL_RPATH)
list(REMOVE_ITEM CMAKE_INSTALL_RPATH ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})

# The paths from a folder of the build, for a program whose bytes must not say where it was built: its own copy of DuckDB is
# found by the way to it, what else there is by whole paths, which are those of the system.
function(hyobscure_paths_from folder result)
  set(found "")
  foreach(path IN LISTS CMAKE_INSTALL_RPATH)
    cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${path}" NORMALIZE is_ours)
    if(is_ours)
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${folder}")
      string(PREPEND path "$ORIGIN/")
    endif()
    list(APPEND found "${path}")
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# hyobscure_install_path(program bin "$ORIGIN/../lib"): after install(TARGETS), which it belongs to.
function(hyobscure_install_path target folder path)
  set(found "${CMAKE_INSTALL_RPATH}")
  get_target_property(built_in ${target} RUNTIME_OUTPUT_DIRECTORY)
  if(built_in)
    hyobscure_paths_from("${built_in}" found)
  endif()
  list(JOIN found ":" found)
  if(found STREQUAL "")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${path}")
    return()
  endif()
  # The new path is written over the old one, which must be long enough: "/." changes nothing but its length.
  set(long_enough "${found}")
  string(LENGTH "${path}" least)
  string(LENGTH "${long_enough}" length)
  while(length LESS least)
    string(APPEND long_enough "/.")
    string(LENGTH "${long_enough}" length)
  endwhile()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${long_enough}")
  string(REPLACE "$" "\\$" path "${path}")
  string(REPLACE "$" "\\$" long_enough "${long_enough}")
  install(CODE "file(RPATH_CHANGE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>\"
    OLD_RPATH \"${long_enough}\" NEW_RPATH \"${path}\")" ${ARGN})
endfunction()
