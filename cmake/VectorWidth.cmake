# The kernels are dense and gain two to three times from 256-bit vectors; every x86-64 server since 2015 has them. A build
# machine without them, or another architecture, gets the compiler's default.
include(CheckCXXSourceRuns)

function(hyobscure_vector_width target)
  set(CMAKE_REQUIRED_FLAGS "-march=x86-64-v3")
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }"
    HYOBSCURE_HAS_AVX2)
  if(HYOBSCURE_HAS_AVX2)
    target_compile_options(${target} INTERFACE -march=x86-64-v3)
  endif()
endfunction()
