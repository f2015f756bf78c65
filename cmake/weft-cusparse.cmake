# Defines weft::cusparse where the CUDA toolkit has cuSPARSE. Used by the build and by the installed
# package alike.
if((DEFINED WEFT_CUSPARSE AND NOT WEFT_CUSPARSE) OR NOT TARGET weft::cuda OR TARGET weft::cusparse)
  return()
endif()

if(TARGET CUDA::cusparse)
  add_library(weft::cusparse INTERFACE IMPORTED GLOBAL)
  target_link_libraries(weft::cusparse INTERFACE weft::cuda CUDA::cusparse)
  target_compile_definitions(weft::cusparse INTERFACE WEFT_CUSPARSE)
endif()
