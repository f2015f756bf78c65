# Defines weft::blas where an optimised BLAS is found: OpenBLAS, MKL, BLIS, or the one that BLA_VENDOR
# names. Used by the build and by the installed package alike.
if((DEFINED WEFT_BLAS AND NOT WEFT_BLAS) OR TARGET weft::blas)
  return()
endif()

set(weft_blas_vendors OpenBLAS Intel10_64lp FLAME)
if(BLA_VENDOR)
  set(weft_blas_vendors ${BLA_VENDOR})
endif()
foreach(BLA_VENDOR IN LISTS weft_blas_vendors)
  find_package(BLAS QUIET)
  if(BLAS_FOUND)
    break()
  endif()
endforeach()

if(BLAS_FOUND)
  add_library(weft::blas INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::blas INTERFACE weft::weft BLAS::BLAS)
  target_compile_definitions(weft::blas INTERFACE WEFT_BLAS)
  # Threads of its own fight for the cores with OpenMP's, which wait actively for a while.
  list(GET BLAS_LIBRARIES 0 weft_blas_library)
  if(EXISTS "${weft_blas_library}")
    file(REAL_PATH "${weft_blas_library}" weft_blas_library)
  endif()
  if(weft_blas_library MATCHES "openblas-pthread" AND NOT WEFT_OPENMP STREQUAL "OFF")
    message(STATUS "weft: this OpenBLAS has threads of its own beside OpenMP's, which is slow: take "
                   "its OpenMP build (Debian: libopenblas-openmp-dev), or set OMP_WAIT_POLICY=passive")
  endif()
endif()
