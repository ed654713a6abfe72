# Ipopt::Ipopt. Its pkg-config file names libraries of a static build that Debian does not install with it.
find_path(Ipopt_INCLUDE_DIR IpTNLP.hpp PATH_SUFFIXES coin coin-or)
find_library(Ipopt_LIBRARY ipopt)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Ipopt REQUIRED_VARS Ipopt_LIBRARY Ipopt_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "an oracle of tests and a rival of benchmarks: install coinor-libipopt-dev")
if(Ipopt_FOUND AND NOT TARGET Ipopt::Ipopt)
  add_library(Ipopt::Ipopt UNKNOWN IMPORTED)
  set_target_properties(Ipopt::Ipopt PROPERTIES IMPORTED_LOCATION "${Ipopt_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Ipopt_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS HAVE_CSTDDEF)  # headers of Ipopt 3.11 ask for it
endif()
mark_as_advanced(Ipopt_INCLUDE_DIR Ipopt_LIBRARY)
