# Defines weft::lapack where a LAPACK is found: that of the BLAS which weft-blas.cmake takes, or else
# any. Used by the build and by the installed package alike.
if((DEFINED WEFT_LAPACK AND NOT WEFT_LAPACK) OR TARGET weft::lapack)
  return()
endif()

set(weft_lapack_vendors OpenBLAS Intel10_64lp FLAME All)
if(BLA_VENDOR)
  set(weft_lapack_vendors ${BLA_VENDOR})
endif()
foreach(BLA_VENDOR IN LISTS weft_lapack_vendors)
  find_package(LAPACK QUIET)
  if(LAPACK_FOUND)
    break()
  endif()
endforeach()

if(LAPACK_FOUND)
  add_library(weft::lapack INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::lapack INTERFACE weft::weft $<TARGET_NAME_IF_EXISTS:weft::blas>
                                               LAPACK::LAPACK)
  target_compile_definitions(weft::lapack INTERFACE WEFT_LAPACK)
endif()
