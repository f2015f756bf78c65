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
endif()
